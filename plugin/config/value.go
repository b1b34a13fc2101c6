package config

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

// ParseType reads a DNS type: its mnemonic, or TYPE and its number (RFC 3597). Letter case does not count.
func ParseType(word string) (uint16, bool) {
	word = strings.ToUpper(word)
	if t, ok := dns.StringToType[word]; ok {
		return t, true
	}
	digits, ok := strings.CutPrefix(word, "TYPE")
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), ok && err == nil
}

// TypeWord writes a DNS type so that ParseType reads it.
func TypeWord(t uint16) string { return dns.Type(t).String() }

// IsAddress reports whether the value is an A or AAAA record's.
func (v Value) IsAddress() bool { return v.Type == dns.TypeA || v.Type == dns.TypeAAAA }

// Address returns the address of an A or AAAA value; it is not valid for others and for faulty ones.
func (v Value) Address() netip.Addr {
	if !v.IsAddress() {
		return netip.Addr{}
	}
	a, _ := v.address()
	return a
}

func (v Value) address() (netip.Addr, error) {
	a, err := ParseAddress(v.Data)
	switch {
	case err != nil:
		return netip.Addr{}, err
	case v.Type == dns.TypeA && !a.Is4():
		return netip.Addr{}, fmt.Errorf("%q is not an IPv4 address, as type A needs", v.Data)
	case v.Type == dns.TypeAAAA && !a.Is6():
		return netip.Addr{}, fmt.Errorf("%q is not an IPv6 address, as type AAAA needs", v.Data)
	}
	return a, nil
}

// RR returns the value as a resource record of the owner. Names in the data are relative to the origin, the zone of
// the owner. The record is certain to fit onto the wire.
func (v Value) RR(owner, origin string, ttl uint32) (dns.RR, error) {
	header := dns.RR_Header{Name: owner, Rrtype: v.Type, Class: dns.ClassINET, Ttl: ttl}
	var rr dns.RR
	switch v.Type {
	case dns.TypeA, dns.TypeAAAA:
		a, err := v.address()
		if err != nil {
			return nil, err
		}
		if v.Type == dns.TypeA {
			rr = &dns.A{Hdr: header, A: a.AsSlice()}
		} else {
			rr = &dns.AAAA{Hdr: header, AAAA: a.AsSlice()}
		}
	case dns.TypeTXT:
		rr = &dns.TXT{Hdr: header, Txt: characterStrings(v.Data)}
	default:
		var err error
		if rr, err = v.parse(origin); err != nil {
			return nil, err
		}
		header.Rdlength = rr.Header().Rdlength
		*rr.Header() = header
	}
	if !readable(rr) {
		return nil, fmt.Errorf("%s does not fit into a record of type %s", abridged(v.Data), TypeWord(v.Type))
	}
	return rr, nil
}

// DataOf writes the data of a resource record in zone file form, without owner, TTL, class and type.
func DataOf(rr dns.RR) string {
	if unknown, ok := rr.(*dns.RFC3597); ok { // its String has another header
		return strings.TrimSpace(fmt.Sprintf(`\# %d %s`, len(unknown.Rdata)/2, strings.ToUpper(unknown.Rdata)))
	}
	return strings.TrimPrefix(rr.String(), rr.Header().String())
}

// readable reports whether a client can read the record from the wire. The library writes names that are too long.
func readable(rr dns.RR) bool {
	wire := make([]byte, dns.Len(rr))
	end, err := dns.PackRR(rr, wire, 0, nil, false)
	if err != nil {
		return false
	}
	_, _, err = dns.UnpackRR(wire[:end], 0)
	return err == nil
}

// abridged quotes data for a message; nobody reads the end of very long one.
func abridged(data string) string {
	if len(data) <= 300 {
		return fmt.Sprintf("%q", data)
	}
	return fmt.Sprintf("%q and %d bytes more", data[:300], len(data)-300)
}

// parse reads data in zone file form. The line is made by us but for the data, which cannot leave it, so that one
// record and nothing else comes out, and no directive ($INCLUDE, $GENERATE) can be in it.
func (v Value) parse(origin string) (dns.RR, error) {
	if strings.ContainsAny(v.Data, "\r\n") {
		return nil, fmt.Errorf("data %q holds a line break", v.Data)
	}
	if len(v.Data) > maxData {
		return nil, fmt.Errorf("data of %d bytes does not fit into a record", len(v.Data))
	}
	line := fmt.Sprintf("owner. 0 IN %s %s\n", TypeWord(v.Type), v.Data)
	parser := dns.NewZoneParser(strings.NewReader(line), origin, "")
	rr, ok := parser.Next()
	if err := parser.Err(); err != nil {
		return nil, fmt.Errorf("%q is no data of type %s%s", v.Data, TypeWord(v.Type), reason(err))
	}
	if !ok || rr.Header().Rrtype != v.Type {
		return nil, fmt.Errorf("%q is no data of type %s", v.Data, TypeWord(v.Type))
	}
	if _, more := parser.Next(); more || parser.Err() != nil {
		return nil, fmt.Errorf("%q is data of more than one record", v.Data)
	}
	return rr, nil
}

// maxData bounds what is parsed: no record is larger, and four letters may stand for a byte.
const maxData = 4 * 65535

// reason is what the DNS library says about bad data, without the line that we made around it.
func reason(err error) string {
	var parse *dns.ParseError
	if !errors.As(err, &parse) {
		return ""
	}
	text := strings.TrimPrefix(parse.Error(), "dns: ")
	if cut := strings.LastIndex(text, " at line: "); cut >= 0 {
		text = text[:cut]
	}
	return " (" + text + ")"
}

// characterStrings cuts a text into the strings of a TXT record, at most 255 bytes each, in the escaped form that
// the DNS library uses for them.
func characterStrings(text string) []string {
	var out []string
	for len(text) > 255 {
		out = append(out, escapeString(text[:255]))
		text = text[255:]
	}
	return append(out, escapeString(text))
}

func escapeString(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// DefaultID is the id of a record that names none: its first value.
func DefaultID(values []Value) string {
	if len(values) == 0 {
		return ""
	}
	return values[0].Data
}
