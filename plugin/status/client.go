package status

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// Place is where an API is, and what lets in there.
type Place struct {
	URL    string // http://HOST:PORT, https://HOST:PORT or unix:PATH
	Token  string // "" for none
	CA     string // file of certificates that the server's may be signed with, besides the system's; "" for none
	Server string // name in the server's certificate; "" is the URL's host
	Cert   string // file of our own certificate, with Key; "" for none
	Key    string
}

// Client asks the API of a server. It may be used from any number of goroutines.
type Client struct {
	http  *http.Client
	base  string
	token string
	place string // as it was named, for errors
}

// clientTimeout bounds a request of a client.
const clientTimeout = 30 * time.Second

// NewClient returns a client, whose owner calls Close. It connects to nobody yet.
func NewClient(p Place) (*Client, error) {
	c := &Client{token: p.Token, place: p.URL, base: strings.TrimSuffix(p.URL, "/")}
	transport := &http.Transport{}
	c.http = &http.Client{Transport: transport, Timeout: clientTimeout}
	if path, ok := strings.CutPrefix(p.URL, "unix:"); ok {
		c.base = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		return c, nil
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("%q is no place of an API: expected http://HOST:PORT, https://HOST:PORT or unix:PATH", p.URL)
	}
	transport.TLSClientConfig, err = p.tls()
	return c, err
}

// tls is how a client speaks it.
func (p Place) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: p.Server}
	if p.CA != "" {
		text, err := os.ReadFile(p.CA)
		if err != nil {
			return nil, err
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", p.CA)
		}
	}
	if p.Cert == "" {
		return c, nil
	}
	pair, err := tls.LoadX509KeyPair(p.Cert, p.Key)
	c.Certificates = []tls.Certificate{pair}
	return c, err
}

// Close ends the client's connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Groups returns the groups that the name stands for, all if it is "".
func (c *Client) Groups(ctx context.Context, name string) ([]Group, error) {
	return pages(name, func(query url.Values) ([]Group, string, error) {
		var page Groups
		err := c.get(ctx, "groups", query, &page)
		return page.Groups, page.Next, err
	})
}

// Pools returns the pools that the name stands for, all if it is "".
func (c *Client) Pools(ctx context.Context, name string) ([]Pool, error) {
	return pages(name, func(query url.Values) ([]Pool, string, error) {
		var page Pools
		err := c.get(ctx, "pools", query, &page)
		return page.Pools, page.Next, err
	})
}

// Balancers returns the balancers that the name stands for, all if it is "".
func (c *Client) Balancers(ctx context.Context, name string) ([]Balancer, error) {
	return pages(name, func(query url.Values) ([]Balancer, string, error) {
		var page Balancers
		err := c.get(ctx, "balancers", query, &page)
		return page.Balancers, page.Next, err
	})
}

// Checks returns the checks that the name stands for, all if it is "".
func (c *Client) Checks(ctx context.Context, name string) ([]Check, error) {
	return pages(name, func(query url.Values) ([]Check, string, error) {
		var page Checks
		err := c.get(ctx, "checks", query, &page)
		return page.Checks, page.Next, err
	})
}

// pages reads all pages of a list.
func pages[T any](name string, read func(url.Values) (items []T, next string, err error)) ([]T, error) {
	query := url.Values{}
	if name != "" {
		query.Set("name", name)
	}
	var all []T
	for {
		items, next, err := read(query)
		if err != nil {
			return nil, err
		}
		if all = append(all, items...); next == "" {
			return all, nil
		}
		query.Set("after", next)
	}
}

// Explain asks why a query is answered as it is.
func (c *Client) Explain(ctx context.Context, q Question) (Explanation, error) {
	query := url.Values{"name": {q.Name}, "type": {dns.Type(q.Type).String()}}
	for name, value := range map[string]string{"client": q.Client, "block": q.Block} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var x Explanation
	err := c.get(ctx, "explain", query, &x)
	return x, err
}

// State returns the server's own state.
func (c *Client) State(ctx context.Context) (s State, err error) {
	err = c.get(ctx, "state", nil, &s)
	return s, err
}

// Overrides returns what operators have said.
func (c *Client) Overrides(ctx context.Context) ([]Override, error) {
	var all Overrides
	err := c.get(ctx, "admin", nil, &all)
	return all.Overrides, err
}

// Say says an admin state of objects.
func (c *Client) Say(ctx context.Context, o Order) (said Said, err error) {
	err = c.post(ctx, "admin", o, &said)
	return said, err
}

// Failback lets records of groups with `failback manual` answer again.
func (c *Client) Failback(ctx context.Context, o FailbackOrder) (back FailedBack, err error) {
	err = c.post(ctx, "failback", o, &back)
	return back, err
}

// Push tells what the checks of a push probe are.
func (c *Client) Push(ctx context.Context, p Pushed) (reached Reached, err error) {
	err = c.post(ctx, "push", p, &reached)
	return reached, err
}

// Attempt asks for attempts at once.
func (c *Client) Attempt(ctx context.Context, o AttemptOrder) (reached Reached, err error) {
	err = c.post(ctx, "attempts", o, &reached)
	return reached, err
}

func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, into)
}

func (c *Client) post(ctx context.Context, path string, what, into any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, body, into)
}

// do makes a request. What the server refuses is a *Problem.
func (c *Client) do(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.base+base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	reply, err := c.http.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) { // which names the path, that nobody asked for
			err = wrapped.Err
			if wrapped.Timeout() && ctx.Err() == nil {
				err = fmt.Errorf("no answer within %s", config.FormatDuration(clientTimeout))
			}
		}
		return fmt.Errorf("no API at %s: %w", c.place, err)
	}
	defer reply.Body.Close()
	if reply.StatusCode < 300 {
		return json.NewDecoder(reply.Body).Decode(into)
	}
	p := &Problem{Status: reply.StatusCode}
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxBody))
	if err != nil || json.Unmarshal(text, p) != nil || p.Message == "" {
		return fmt.Errorf("%s says %s, and is no API of healthroute", c.place, reply.Status)
	}
	return p
}
