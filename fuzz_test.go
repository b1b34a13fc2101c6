package healthroute

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"
)

// fuzzedStanza has a group of every policy, wildcards, other types and CNAMEs that loop, leave and end.
const fuzzedStanza = `healthroute example.org sub.example.org 2.0.192.in-addr.arpa {
	nameserver ns1 192.0.2.53
	` + dead + `
	group www weighted {
		record 192.0.2.1
		record 192.0.2.2,2001:db8::2
		record CNAME many
	}
	group many multivalue {
		max 2
		record 192.0.2.3,2001:db8::3
		record 192.0.2.4
		record 192.0.2.5
	}
	group over failover {
		record 192.0.2.6 probe dead primary
		record CNAME out.example.net. secondary
	}
	group down simple {
		probe dead
		last_resort nxdomain
		record 192.0.2.7
	}
	group * *.a.*.b simple {
		record TXT "192.0.2.8"
	}
	group ping simple {
		record CNAME pong
	}
	group pong simple {
		record CNAME ping
	}
	group mail simple {
		record MX "10 many" {
			value "20 any.thing"
			value "30 host.cut"
		}
		record HTTPS "1 many alpn=h2 ipv4hint=192.0.2.7 ipv6hint=2001:db8::7"
	}
	group cut multivalue {
		record NS host.cut
		record NS many
	}
	group host.cut simple {
		record 192.0.2.8
	}
}`

// FuzzServe sends whatever unpacks through the handler: nothing panics, a reply answers the question that was asked, and its
// data is what was declared.
func FuzzServe(f *testing.F) {
	for _, name := range []string{"www.example.org.", "MANY.example.org.", "over.sub.example.org.", "x.y.example.org.", "*.example.org.",
		"ping.example.org.", "example.org.", ".", "1.2.0.192.in-addr.arpa.", `a\.b\000.example.org.`, "down.example.org.", "ns1.example.org.",
		"mail.example.org.", "x.cut.sub.example.org."} {
		for _, qtype := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeANY, dns.TypeSOA, dns.TypeTXT, dns.TypeDS, dns.TypeMX, dns.TypeHTTPS, dns.TypeNS, 0, 65535} {
			m := question(name, qtype)
			withSubnet(m, 1, 24, 0, "198.51.100.0")
			if wire, err := m.Pack(); err == nil {
				f.Add(wire)
			}
		}
	}
	behind := plugin.HandlerFunc(func(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
		m := new(dns.Msg)
		m.SetRcode(r, dns.RcodeNameError)
		return dns.RcodeSuccess, w.WriteMsg(m)
	})
	h := handlerFor(f, fuzzedStanza, behind)
	f.Fuzz(func(t *testing.T, wire []byte) {
		req := new(dns.Msg)
		if req.Unpack(wire) != nil || len(req.Question) == 0 {
			return
		}
		asked := req.String()
		w := nonwriter.New(&test.ResponseWriter{})
		rcode, err := h.ServeDNS(context.Background(), w, req)
		if got := req.String(); got != asked {
			t.Fatalf("Expected the request to stay as it was:\n%s\ngot:\n%s", asked, got)
		}
		if err != nil {
			t.Fatalf("Expected no error, got: %v", err)
		}
		if w.Msg == nil {
			if plugin.ClientWrite(rcode) {
				t.Fatalf("Expected a reply or a code that the server answers, got %s", dns.RcodeToString[rcode])
			}
			return
		}
		expectFaithful(t, req, w.Msg)
	})
}

func expectFaithful(t *testing.T, req, reply *dns.Msg) {
	t.Helper()
	if reply.Id != req.Id || !reply.Response || len(reply.Question) == 0 || reply.Question[0] != req.Question[0] {
		t.Fatalf("Expected a reply to %v, got:\n%v", req.Question, reply)
	}
	wire, err := reply.Pack()
	if err == nil {
		err = new(dns.Msg).Unpack(wire)
	}
	if err != nil {
		t.Fatalf("Expected a reply that packs and unpacks, got: %v in\n%v", err, reply)
	}
	for _, rr := range append(slices.Clone(reply.Answer), reply.Extra...) {
		switch rr := rr.(type) {
		case *dns.A:
			if last := rr.A.To4(); last[0] != 192 || last[1] != 0 || last[2] != 2 || last[3] == 7 || last[3] == 6 {
				t.Fatalf("Expected a usable address of ours, got: %v", rr)
			}
		case *dns.HTTPS:
			if strings.Contains(rr.String(), "192.0.2.7") || strings.Contains(rr.String(), "2001:db8::7") {
				t.Fatalf("Expected hints that many.example.org. has, got: %v", rr)
			}
		case *dns.AAAA, *dns.CNAME, *dns.TXT, *dns.SOA, *dns.NS, *dns.MX, *dns.OPT:
		default:
			t.Fatalf("Expected only what was declared, got: %v", rr)
		}
	}
	if reply.Rcode == dns.RcodeNameError && len(reply.Ns) > 1 {
		t.Fatalf("Expected one SOA, got:\n%v", reply)
	}
}
