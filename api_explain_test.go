package healthroute

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/status"
)

// TestAPIExplain gives the answer that a query gets, for the client that is named, and takes nobody's turn.
func TestAPIExplain(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	explain := func(name string, qtype uint16, client string) status.Explanation {
		t.Helper()
		x, err := c.Explain(t.Context(), status.Question{Name: name, Type: qtype, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, name := range []string{"www", "outer", "told", "near", "gone"} {
		x := explain(name, dns.TypeA, "")
		r := s.ask(name+".example.org.", dns.TypeA)
		if got := data(r.Answer); fmt.Sprint(got) != fmt.Sprint(x.Answer) || x.Rcode != dns.RcodeToString[r.Rcode] {
			t.Errorf("Expected %v %s for %s, got %v %s", got, dns.RcodeToString[r.Rcode], name, x.Answer, x.Rcode)
		}
	}
	for client, want := range map[string]string{"198.51.100.7": "192.0.2.51", "198.51.100.0/24": "192.0.2.51", "203.0.113.1": "192.0.2.52", "2001:db8::1": "192.0.2.52"} {
		if x := explain("near.example.org.", dns.TypeA, client); x.Answer[0] != want {
			t.Errorf("Expected %s for %s, got %v", want, client, x.Answer)
		}
	}
	first := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]
	for range 5 {
		explain("turn", dns.TypeA, "")
	}
	if second := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]; second == first {
		t.Errorf("Expected explanations to take no turn, got %s twice", first)
	}
	_, err := c.Explain(t.Context(), status.Question{Name: "www.example.com.", Type: dns.TypeA})
	expectRefused(t, err, http.StatusNotFound, "no server block with healthroute is asked for")
	_, err = c.Explain(t.Context(), status.Question{Name: "www", Type: dns.TypeA, Block: running.newest().blocks[0].key + "1"})
	expectRefused(t, err, http.StatusNotFound, "; did you mean")
}

// TestAPIExplainPlace finds the client's place as queries do, by our files and by plugin geoip.
func TestAPIExplainPlace(t *testing.T) {
	file := mmdb(t, map[string]string{"198.51.100.0/24": "CH"})
	for _, lines := range [][]string{
		{stanza(shownAt, "geoip "+file, byCountry)},
		{"metadata", "geoip " + file + " {\nedns-subnet\n}", stanza(shownAt, byCountry)},
	} {
		start(t, listening("example.org", lines...))
		c := apiClient(t)
		for client, want := range map[string]string{"198.51.100.7": "192.0.2.1", "198.51.100.0/25": "192.0.2.1", "203.0.113.1": "192.0.2.3"} {
			x, err := c.Explain(t.Context(), status.Question{Name: "www", Type: dns.TypeA, Client: client})
			if err != nil || len(x.Answer) != 1 || x.Answer[0] != want {
				t.Errorf("Expected %s for %s, got %+v, %v", want, client, x, err)
			}
		}
	}
}

// TestAPIViews: a group that stands in two server blocks is one object, and each block explains itself.
func TestAPIViews(t *testing.T) {
	block := func(address string) string { return stanza("group www simple {\nrecord " + address + " id one\n}") }
	start(t, listening("example.org", stanza(shownAt))+listening("a.example.org", block("192.0.2.9"))+listening("example.net", block("192.0.2.1")))
	c := apiClient(t)
	_, err := c.Say(t.Context(), status.Order{Objects: []string{"www"}, State: "draining", Force: true})
	expectRefused(t, err, http.StatusConflict, `"www" is the name of several: expected www.a.example.org. or www.example.net.`)
	x, err := c.Explain(t.Context(), status.Question{Name: "www.a.example.org", Type: dns.TypeA})
	if err != nil || !strings.Contains(x.Block, "a.example.org") || x.Answer[0] != "192.0.2.9" {
		t.Errorf("Expected the longest zone's block, got %+v, %v", x, err)
	}
}

// TestAPIExplainsWhatIsSent asks the same questions of a server and of its API: of names behind filters, at and below delegations, of other server
// blocks, and of nobody.
func TestAPIExplainsWhatIsSent(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	closed := "127.0.0.9"
	zone := strings.Join([]string{
		"$ORIGIN example.org.", "@ 300 IN SOA ns1.example.net. hostmaster.example.net. 1 7200 1800 86400 300", "@ 300 IN NS ns1.example.net.",
		"both 300 IN A 127.0.0.1", "both 300 IN A " + closed, "dead 300 IN A " + closed, "via 300 IN CNAME both", "text 300 IN TXT hello",
	}, "\n") + "\n"
	own := stanza(shownAt, "probe web tcp {\nport "+up.Port+"\ninterval 1h\n}", "filter {\nprobe web\nttl 20s\n}",
		"filter dead {\nprobe web\nlast_resort none\n}",
		"group sub multivalue {\nrecord NS ns.sub\nrecord NS ns.example.net.\n}", "group ns.sub simple {\nrecord 192.0.2.53\n}",
		"group www simple {\nrecord 192.0.2.1\n}")
	s := start(t, listening("example.org", own, zoneFile(t, "example.org", zone))+
		listening("inner.example.org", stanza("nameserver ns1 192.0.2.54", "group www simple {\nrecord 192.0.2.2\n}"))+
		listening("example.net", stanzaOf("a.example.net", "group www simple {\nrecord 192.0.2.3\n}"), "forward example.com 127.0.0.1:1"))
	c := apiClient(t)
	filters := running.newest().blocks[0].table.Filters()
	for _, name := range []string{"both", "dead"} { // met for the first time, addresses pass
		s.ask(name+".example.org.", dns.TypeA)
	}
	eventually(t, "verdicts on the addresses", func() bool {
		known := 0
		for _, f := range filters {
			for _, a := range []string{"127.0.0.1", closed} {
				if c := f.Check(netip.MustParseAddr(a)); c != nil && c.Attempted() {
					known++
				}
			}
		}
		return known == 3
	})
	for _, q := range []struct {
		name  string
		qtype uint16
		words string // of the explanation
	}{
		{"both.example.org.", dns.TypeA, "takes out what is not usable"}, {"via.example.org.", dns.TypeA, "takes out what is not usable"},
		{"dead.example.org.", dns.TypeA, "last resort, no usable address"}, {"text.example.org.", dns.TypeTXT, "the next plugin's answer stands"},
		{"gone.example.org.", dns.TypeA, "the next plugin's answer stands"}, {"www.example.org.", dns.TypeA, "only record"},
		{"sub.example.org.", dns.TypeA, ""}, {"a.sub.example.org.", dns.TypeMX, ""}, {"sub.example.org.", dns.TypeDS, ""},
		{"www.inner.example.org.", dns.TypeA, "only record"}, {"inner.example.org.", dns.TypeDS, ""}, {"www.inner.example.org.", dns.TypeDS, ""},
		{"inner.example.org.", dns.TypeSOA, "our own apex"}, {"www.a.example.net.", dns.TypeA, "only record"}, {"b.a.example.net.", dns.TypeA, ""},
		{"other.example.net.", dns.TypeA, ""},
	} {
		t.Run(q.name+" "+dns.Type(q.qtype).String(), func(t *testing.T) {
			x, err := c.Explain(t.Context(), status.Question{Name: q.name, Type: q.qtype})
			if err != nil {
				t.Fatal(err)
			}
			r := s.ask(q.name, q.qtype)
			var refers []string
			if len(r.Answer) == 0 {
				for _, rr := range r.Ns {
					if ns, ok := rr.(*dns.NS); ok {
						refers = append(refers, ns.Ns)
					}
				}
			}
			slices.Sort(refers)
			slices.Sort(x.Answer)
			slices.Sort(x.Refers)
			if got := data(r.Answer); !slices.Equal(got, x.Answer) || x.Rcode != dns.RcodeToString[r.Rcode] || !slices.Equal(refers, x.Refers) {
				t.Errorf("Expected %v %v %s, got %v %v %s", got, refers, dns.RcodeToString[r.Rcode], x.Answer, x.Refers, x.Rcode)
			}
			if len(r.Answer) > 0 && r.Answer[0].Header().Ttl != x.TTL {
				t.Errorf("Expected TTL %d, got %d", r.Answer[0].Header().Ttl, x.TTL)
			}
			if !strings.Contains(x.Reason, q.words) {
				t.Errorf("Expected %q, got %q", q.words, x.Reason)
			}
		})
	}
	x, err := c.Explain(t.Context(), status.Question{Name: "both", Type: dns.TypeA})
	if err != nil || x.Filter == nil || len(x.Filter.Addresses) != 2 || x.Filter.Addresses[0].Answered || !x.Filter.Addresses[1].Answered {
		t.Errorf("Expected the filter's addresses, got %+v, %v", x.Filter, err)
	}
}
