package config

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestValueRR(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct {
		name string
		typ  string
		data string
		want string // rdata as the DNS library writes it; "" for an error
	}{
		{"address", "A", "192.0.2.1", "192.0.2.1"},
		{"address in long form", "AAAA", "2001:DB8:0::1", "2001:db8::1"},
		{"wrong family", "A", "2001:db8::1", ""},
		{"other wrong family", "AAAA", "192.0.2.1", ""},
		{"address as bytes", "A", `\# 4 e0000001`, ""},
		{"multicast", "A", "224.0.0.1", ""},
		{"this network", "A", "0.0.0.3", ""},
		{"relative name", "MX", "10 mx1", "10 mx1.example.org."},
		{"absolute name", "MX", "10 mx1.example.net.", "10 mx1.example.net."},
		{"apex", "CNAME", "@", "example.org."},
		{"text with blanks", "TXT", "v=spf1 -all", `"v=spf1 -all"`},
		{"text with quote and backslash", "TXT", `a"b\c`, `"a\"b\\c"`},
		{"text with escape is no escape", "TXT", `\065`, `"\\065"`},
		{"text that is not ASCII", "TXT", "ü", `"\195\188"`},
		{"text with semicolon", "TXT", "a;b", `"a;b"`},
		{"long text", "TXT", long, `"` + long[:255] + `" "` + long[255:] + `"`},
		{"text above all limits", "TXT", strings.Repeat("x", 70000), ""},
		{"service", "SRV", "0 5 5060 sip", "0 5 5060 sip.example.org."},
		{"binding", "HTTPS", `1 . alpn="h2" ipv4hint=192.0.2.1`, `1 . alpn="h2" ipv4hint="192.0.2.1"`},
		{"known type as bytes", "MX", `\# 4 000A0000`, `10 .`},
		{"unknown type", "TYPE65280", `\# 4 C0000201`, `\# 4 C0000201`},
		{"unknown type without length", "TYPE65280", "c0000201", ""},
		{"unknown type, wrong length", "TYPE65280", `\# 3 c0000201`, ""},
		{"nothing", "MX", "", ""},
		{"too little", "SRV", "0 5 5060", ""},
		{"too much", "MX", "10 mx1 mx2", ""},
		{"second line", "MX", "10 mx1\nb 1 IN A 192.0.2.1", ""},
		{"second line in brackets", "MX", "( 10\nmx1 )", ""},
		{"include", "MX", "10 mx1\n$INCLUDE /etc/passwd", ""},
		{"generate", "MX", "10 mx1\n$GENERATE 1-9 a$ A 192.0.2.$", ""},
		{"carriage return", "MX", "10 mx1\r", ""},
		{"open bracket", "MX", "( 10 mx1", ""},
		{"open quote", "CAA", `0 issue "ca`, ""},
		{"label too long", "CNAME", strings.Repeat("a", 64), ""},
		{"name too long", "CNAME", strings.Repeat("a.", 128), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			typ, ok := ParseType(tt.typ)
			if !ok {
				t.Fatalf("Expected type %s to be known", tt.typ)
			}
			rr, err := Value{Type: typ, Data: tt.data}.RR("www.example.org.", "example.org.", 30)
			if tt.want == "" {
				if err == nil {
					t.Fatalf("Expected an error, got %s", rr)
				}
				return
			}
			if err != nil {
				t.Fatalf("Expected %s, got error %v", tt.want, err)
			}
			header := dns.RR_Header{Name: "www.example.org.", Rrtype: typ, Class: dns.ClassINET, Ttl: 30}
			if got := *rr.Header(); got.Name != header.Name || got.Rrtype != header.Rrtype || got.Class != header.Class || got.Ttl != header.Ttl {
				t.Errorf("Expected header %v, got %v", header, got)
			}
			if got := rr.String(); !strings.HasSuffix(got, "\t"+tt.want) {
				t.Errorf("Expected data %s, got %s", tt.want, got)
			}
		})
	}
}

// TestValueRROnTheWire asserts that what comes out is what a client reads back, for texts that need escapes.
func TestValueRROnTheWire(t *testing.T) {
	text := "a\"b\\c;\x00\xff" + strings.Repeat("\\", 300)
	rr, err := Value{Type: dns.TypeTXT, Data: text}.RR("www.example.org.", "example.org.", 30)
	if err != nil {
		t.Fatalf("Expected a record, got %v", err)
	}
	wire := make([]byte, 1024)
	end, err := dns.PackRR(rr, wire, 0, nil, false)
	if err != nil {
		t.Fatalf("Expected the record on the wire, got %v", err)
	}
	if got := len(text) + 2; end < got || !strings.Contains(string(wire[:end]), text[:255]) {
		t.Errorf("Expected the text unchanged in %d bytes of data, got %d bytes in all", got, end)
	}
	read, _, err := dns.UnpackRR(wire[:end], 0)
	if err != nil || read.String() != rr.String() {
		t.Errorf("Expected to read %s back, got %v (%v)", rr, read, err)
	}
}

func TestParseType(t *testing.T) {
	tests := []struct {
		word string
		want uint16
		ok   bool
	}{
		{"A", dns.TypeA, true}, {"aaaa", dns.TypeAAAA, true}, {"Type65280", 65280, true}, {"TYPE1", dns.TypeA, true},
		{"TYPE", 0, false}, {"TYPE65536", 0, false}, {"TYPE-1", 0, false}, {"weight", 0, false}, {"192.0.2.1", 0, false}, {"", 0, false},
	}
	for _, tt := range tests {
		if got, ok := ParseType(tt.word); ok != tt.ok || ok && got != tt.want {
			t.Errorf("Expected %q to be type %d (%v), got %d (%v)", tt.word, tt.want, tt.ok, got, ok)
		}
	}
}
