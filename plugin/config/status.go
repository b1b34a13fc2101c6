package config

import (
	"fmt"
	"net/netip"
	"strings"
)

// Status is where the server shows its state and takes orders (HTTP), and who may ask. It is about the whole process.
type Status struct {
	Address string // as written: ADDRESS:PORT, :PORT for all addresses, or unix:PATH
	Token   string // file with the token that logs in; "" for none
	TLS     StatusTLS
	// Insecure serves an address that others can reach without TLS: tokens and answers go over the network as they are.
	Insecure bool
	Reads    bool // reading needs a login too; writing always does where there is one
	Places   Places
}

// Equal reports whether both say the same, wherever they stand; either may be nil.
func (s *Status) Equal(o *Status) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.Address == o.Address && s.Token == o.Token && s.TLS == o.TLS && s.Insecure == o.Insecure && s.Reads == o.Reads
}

// StatusTLS are PEM files; all empty without TLS.
type StatusTLS struct {
	Cert, Key string
	CA        string // of clients' certificates, which log in; "" for none
}

// HasLogin reports whether somebody can log in.
func (s *Status) HasLogin() bool { return s.Token != "" || s.TLS.CA != "" }

// StatusAddress is where a Status listens.
type StatusAddress struct {
	Path string         // of a Unix socket; "" for TCP
	TCP  netip.AddrPort // the unspecified address for all; port 0 is any free one
}

// unixPrefix begins the address of a Unix socket.
const unixPrefix = "unix:"

// ParseStatusAddress reads the address of `status`, in the form that Status has it in.
func ParseStatusAddress(text string) (StatusAddress, error) {
	if path, ok := strings.CutPrefix(text, unixPrefix); ok {
		if path == "" {
			return StatusAddress{}, fmt.Errorf("%q lacks the path of the socket", text)
		}
		return StatusAddress{Path: path}, nil
	}
	if strings.HasPrefix(text, ":") {
		text = "[::]" + text
	}
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return StatusAddress{}, fmt.Errorf("%q is no address with a port", text)
	}
	if a := at.Addr(); !a.IsUnspecified() { // which is all addresses here
		if _, err := ParseAddress(a.WithZone("").String()); err != nil {
			return StatusAddress{}, err
		}
	}
	return StatusAddress{TCP: at}, nil
}

// IsLocal reports whether only this host can reach the address.
func (a StatusAddress) IsLocal() bool { return a.Path != "" || a.TCP.Addr().IsLoopback() }

// MinToken is the length in bytes of the shortest token that is accepted: what is shorter can be guessed.
const MinToken = 16
