package config

import (
	"testing"

	"github.com/miekg/dns"
)

func TestHostOf(t *testing.T) {
	for _, c := range []struct {
		typ, data, name string
		port            uint16
	}{
		{"CNAME", "WWW", "WWW.example.org.", 0},
		{"NS", "ns.example.net.", "ns.example.net.", 0},
		{"PTR", "host", "host.example.org.", 0},
		{"MX", "10 mx1", "mx1.example.org.", 0},
		{"MX", "0 .", "", 0},
		{"SRV", "0 0 5060 sip", "sip.example.org.", 5060},
		{"SRV", "0 0 0 .", "", 0},
		{"NAPTR", `100 10 "a" "" "" host`, "host.example.org.", 0},
		{"NAPTR", `100 10 "S" "" "" _sip._udp`, "", 0},
		{"NAPTR", `100 10 "" "" "" host`, "", 0},
		{"HTTPS", "1 . alpn=h2", "owner.example.org.", 0},
		{"HTTPS", "0 .", "", 0},
		{"HTTPS", "0 svc", "svc.example.org.", 0},
		{"SVCB", "1 svc port=8443", "svc.example.org.", 8443},
		{"A", "192.0.2.1", "", 0},
		{"TXT", "host", "", 0},
		{"CAA", `0 issue "ca.example.net"`, "", 0},
		{"TYPE65280", `\# 1 00`, "", 0},
	} {
		typ, _ := ParseType(c.typ)
		rr, err := Value{Type: typ, Data: c.data}.RR("owner.example.org.", "example.org.", 30)
		if err != nil {
			t.Fatalf("Expected data of %s, got %v", c.typ, err)
		}
		if name, port := HostOf(rr, "owner.example.org."); name != c.name || port != c.port {
			t.Errorf("Expected host %q and port %d of %s %s, got %q and %d", c.name, c.port, c.typ, c.data, name, port)
		}
	}
}

func TestDataOf(t *testing.T) {
	for _, c := range []struct{ typ, data, want string }{
		{"MX", "10 mx1", "10 mx1.example.org."},
		{"TYPE65280", `\# 2 ab0C`, `\# 2 AB0C`},
		{"TYPE65280", `\# 0`, `\# 0`},
		{"TXT", "a b", `"a b"`},
	} {
		typ, _ := ParseType(c.typ)
		for _, owner := range []string{".", "long.owner.example.org."} {
			rr, err := Value{Type: typ, Data: c.data}.RR(owner, "example.org.", dns.MaxMsgSize)
			if err != nil {
				t.Fatalf("Expected data of %s, got %v", c.typ, err)
			}
			if got := DataOf(rr); got != c.want {
				t.Errorf("Expected %q of %s %s, got %q", c.want, c.typ, c.data, got)
			}
		}
	}
}
