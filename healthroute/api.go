package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

const apiDetails = `The server is found by -api URL or -api unix:PATH, else by the variable HEALTHROUTE_API, else by the status line of the
Corefile, whose token and certificate are used then. Otherwise -token, or the variable HEALTHROUTE_TOKEN with the token itself, logs in.
`

// apiVariable and tokenVariable are what the environment says of the API.
const (
	apiVariable   = "HEALTHROUTE_API"
	tokenVariable = "HEALTHROUTE_TOKEN"
)

// calling are the flags of the commands that ask a running server.
type calling struct {
	corefile corefile
	output   output
	api      apiFlags
}

func (c *calling) declare(flags *flag.FlagSet) {
	c.corefile.declare(flags)
	c.output.declare(flags)
	c.api.declare(flags)
}

// client returns a client of the server's API.
func (c *calling) client() (*status.Client, error) { return c.api.client(c.corefile) }

// apiFlags are where the API is, and what lets in.
type apiFlags struct{ url, token, ca, cert, key string }

func (a *apiFlags) declare(flags *flag.FlagSet) {
	flags.StringVar(&a.url, "api", "", "ask the server at `URL|unix:PATH`")
	flags.StringVar(&a.token, "token", "", "log in with the token in `FILE`")
	flags.StringVar(&a.ca, "ca", "", "trust certificates of `FILE`, besides the system's")
	flags.StringVar(&a.cert, "cert", "", "log in with the certificate in `FILE`")
	flags.StringVar(&a.key, "key", "", "whose key is in `FILE`")
}

func (a *apiFlags) client(c corefile) (*status.Client, error) {
	if (a.cert == "") != (a.key == "") {
		return nil, usageError("-cert and -key belong together")
	}
	place, err := a.place(c)
	if err != nil {
		return nil, err
	}
	if a.token != "" {
		if place.Token, err = readToken(a.token); err != nil {
			return nil, usageError(err.Error())
		}
	}
	place.CA, place.Cert, place.Key = cmp.Or(a.ca, place.CA), a.cert, a.key
	client, err := status.NewClient(place)
	if err != nil {
		return nil, usageError(err.Error())
	}
	return client, nil
}

// place finds the API.
func (a *apiFlags) place(c corefile) (status.Place, error) {
	token := strings.TrimSpace(os.Getenv(tokenVariable))
	if url := cmp.Or(a.url, os.Getenv(apiVariable)); url != "" {
		return status.Place{URL: url, Token: token}, nil
	}
	s, err := c.status()
	if err != nil {
		return status.Place{}, err
	}
	place, err := placeOf(s)
	if err != nil {
		return status.Place{}, err
	}
	if place.Token = token; token == "" && s.Token != "" && a.token == "" {
		if place.Token, err = readToken(s.Token); err != nil {
			return status.Place{}, usageError(err.Error() + ": name a file with -token")
		}
	}
	return place, nil
}

// status returns the status line of the Corefile, whatever else is wrong in that.
func (c *corefile) status() (*config.Status, error) {
	const ways = "name the server with -api or " + apiVariable
	source, err := scenario.FileSource(string(*c))
	if err == nil {
		source.Dir, err = filepath.Abs(source.Dir)
	}
	if err != nil {
		return nil, usageError(err.Error() + ": " + ways)
	}
	blocks, _ := scenario.Load(source)
	for _, b := range blocks {
		for _, s := range b.Stanzas {
			if s.Status != nil && !s.Status.Places.Faulty {
				return s.Status, nil
			}
		}
	}
	return nil, usageError(fmt.Sprintf("%s has no status line: %s", *c, ways))
}

// placeOf is where the server is that listens as the Corefile says.
func placeOf(s *config.Status) (status.Place, error) {
	at, err := config.ParseStatusAddress(s.Address)
	switch {
	case err != nil:
		return status.Place{}, usageError(err.Error())
	case at.Path != "":
		return status.Place{URL: "unix:" + at.Path}, nil
	case at.TCP.Port() == 0:
		return status.Place{}, usageError(fmt.Sprintf("status %s may be any port: name it with -api", s.Address))
	}
	if at.TCP.Addr().IsUnspecified() { // all addresses: this host is one of them
		at.TCP = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.TCP.Port())
	}
	if s.TLS.Cert == "" {
		return status.Place{URL: "http://" + at.TCP.String()}, nil
	}
	place := status.Place{URL: "https://" + at.TCP.String()}
	if text, err := os.ReadFile(s.TLS.Cert); err == nil { // whoever may read it need not trust anybody else
		place.CA, place.Server = s.TLS.Cert, nameIn(text)
	}
	return place, nil
}

// nameIn is a name in the first certificate of a PEM text, "" for none.
func nameIn(text []byte) string {
	block, _ := pem.Decode(text)
	if block == nil {
		return ""
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return ""
	case len(cert.DNSNames) > 0:
		return strings.Replace(cert.DNSNames[0], "*", "x", 1)
	case len(cert.IPAddresses) > 0:
		return cert.IPAddresses[0].String()
	}
	return ""
}

func readToken(name string) (string, error) {
	text, err := os.ReadFile(name)
	return strings.TrimSpace(string(text)), err
}

// refusal is what the server refused, as an error of the command: a name or word that is wrong is the caller's.
func refusal(err error) error {
	var p *status.Problem
	if !errors.As(err, &p) {
		var unknown *tls.CertificateVerificationError
		if errors.As(err, &unknown) {
			return fmt.Errorf("%w: trust its certificate with -ca", err)
		}
		return err
	}
	switch p.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return usageError(p.Error())
	case http.StatusConflict:
		if len(p.Emptied) == 0 {
			return usageError(p.Error())
		}
		text := "nothing usable would be left; with -force:"
		for _, r := range p.Emptied {
			text += "\n  " + r.String()
		}
		return errors.New(text)
	case http.StatusUnauthorized:
		return fmt.Errorf("%w; log in with -token or %s", p, tokenVariable)
	}
	return p
}
