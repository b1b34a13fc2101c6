package healthroute

import (
	"fmt"
	"net/http"
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
