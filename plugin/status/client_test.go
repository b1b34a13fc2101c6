package status

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestClient: what the backend says comes out at the other end, over each kind of place.
func TestClient(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "unix:" + filepath.Join(t.TempDir(), "api.sock")} {
		c := withToken(t, true)
		c.Address = address
		b := newBench(t, c)
		s := serve(t, c, b)
		place := Place{URL: address, Token: secret}
		if s.Address().Network() == "tcp" {
			place.URL = fmt.Sprintf("http://%s/", s.Address())
		}
		client, err := NewClient(place)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		ctx := t.Context()
		same := func(what string, got any, gotErr error, want any, wantErr error) {
			t.Helper()
			if gotErr != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Expected %s\n%+v, got\n%+v, %v", what, want, got, gotErr)
			}
		}
		all := Selection{Limit: 100}
		groups, err := client.Groups(ctx, "")
		page, fault := b.backend.Groups(ctx, all)
		same("groups", groups, err, page.Items, fault)
		checks, err := client.Checks(ctx, "")
		checksPage, fault := b.backend.Checks(ctx, all)
		same("checks", checks, err, checksPage.Items, fault)
		pools, err := client.Pools(ctx, "")
		poolsPage, fault := b.backend.Pools(ctx, all)
		same("pools", pools, err, poolsPage.Items, fault)
		q := Question{Name: "www.example.org.", Type: 1, Client: "192.0.2.0/24", Block: "x"}
		x, err := client.Explain(ctx, q)
		want, fault := b.backend.Explain(ctx, q)
		same("explanation", x, err, want, fault)
		overrides, err := client.Overrides(ctx)
		wanted, fault := b.backend.Overrides(ctx)
		same("overrides", overrides, err, wanted, fault)
		o := Order{Objects: []string{"www"}, State: "disabled"}
		said, err := client.Say(ctx, o)
		wantSaid, fault := b.backend.Say(ctx, o, By{})
		same("said", said, err, wantSaid, fault)
		if state, err := client.State(ctx); err != nil || state.Host != "ns1" || state.Events.Last == "" {
			t.Errorf("Expected the state, got %+v, %v", state, err)
		}
		for _, write := range []func() error{
			func() error { _, err := client.Failback(ctx, FailbackOrder{Groups: []string{"www"}}); return err },
			func() error { _, err := client.Push(ctx, Pushed{Probe: "release", Health: "healthy"}); return err },
			func() error { _, err := client.Attempt(ctx, AttemptOrder{Checks: []string{"*"}}); return err },
		} {
			if err := write(); err != nil {
				t.Errorf("Expected a write, got: %v", err)
			}
		}
		_, err = client.Push(ctx, Pushed{Probe: "release", Health: "well"})
		var p *Problem
		if !errors.As(err, &p) || p.Status != http.StatusBadRequest || !strings.Contains(p.Expected, "healthy or unhealthy") {
			t.Errorf("Expected the problem that the server tells, got %v", err)
		}
	}
}

// TestClientPages reads a list to its end, however short the pages.
func TestClientPages(t *testing.T) {
	b := newBench(t, local())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		query.Set("limit", "3")
		r.URL.RawQuery = query.Encode()
		b.ServeHTTP(w, r)
	}))
	defer server.Close()
	client, err := NewClient(Place{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	groups, err := client.Groups(t.Context(), "g*.example.org.")
	if err != nil || len(groups) != 25 || groups[24].Group != "g24.example.org." {
		t.Errorf("Expected 25 groups in their order, got %d, %v", len(groups), err)
	}
}

// TestClientElsewhere says what is wrong with a place that has no API.
func TestClientElsewhere(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for place, want := range map[string]string{
		"127.0.0.1:8053":                     "is no place of an API: expected http://",
		"http://127.0.0.1:1/x":               "is no place of an API",
		other.URL:                            "says 404 Not Found, and is no API of healthroute",
		"http://" + closed.Addr().String():   "no API at http://" + closed.Addr().String() + ": dial tcp",
		"unix:" + t.TempDir() + "/none.sock": "no such file or directory",
	} {
		client, err := NewClient(Place{URL: place})
		if err == nil {
			_, err = client.State(t.Context())
			client.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Expected %q, got: %v", want, err)
		}
	}
}

// TestClientPatience: a server that says nothing is not waited for without end.
func TestClientPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := NewClient(Place{URL: "http://127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		p := newPipes()
		client.http.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			go func() { <-p.incoming }()
			return p.dial(t), nil
		}
		if _, err := client.State(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer within 30s") {
			t.Errorf("Expected an end of patience, got: %v", err)
		}
		client.Close()
	})
}

// TestClientTLS trusts the certificate that it is told of, whatever name the place has, and logs in with its own.
func TestClientTLS(t *testing.T) {
	a := newAuthority(t)
	a.sign(t, "server", &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"api.example.org"}})
	a.sign(t, "alice", &x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "alice"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	c := &config.Status{Address: "127.0.0.1:0", Reads: true, TLS: config.StatusTLS{Cert: a.file("server.pem"), Key: a.file("server.key"), CA: a.file("ca.pem")}}
	s := serve(t, c, newBench(t, c))
	place := Place{URL: fmt.Sprintf("https://%s", s.Address()), CA: a.file("server.pem"), Server: "api.example.org", Cert: a.file("alice.pem"), Key: a.file("alice.key")}
	for want, spoil := range map[string]func(*Place){
		"":                                func(*Place) {},
		"not logged in":                   func(p *Place) { p.Cert = "" },
		"valid for api.example.org":       func(p *Place) { p.Server = "other.example.org" },
		"signed by unknown authority":     func(p *Place) { p.CA = "" },
		"holds no certificate":            func(p *Place) { p.CA = a.file("server.key") },
		"no such file":                    func(p *Place) { p.CA = "missing" },
		"open missing: no such file or d": func(p *Place) { p.Key = "missing" },
	} {
		bad := place
		spoil(&bad)
		client, err := NewClient(bad)
		if err == nil {
			_, err = client.State(t.Context())
			client.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("Expected %q, got: %v", want, err)
		}
	}
}
