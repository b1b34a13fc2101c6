package scenario

import (
	"testing"

	"github.com/miekg/dns"
)

// TestFilterExplained meets the addresses of a zone file, lets one of them die, and says why it is out; a reload forgets none.
func TestFilterExplained(t *testing.T) {
	const corefile = `example.org {
	healthroute {
		probe web http
		filter *.apps {
			probe web
		}
	}
	file zone
}
`
	const zone = `$ORIGIN example.org.
@ 3600 IN SOA ns hostmaster 1 7200 1800 86400 1800
@ 3600 IN NS ns
api.apps 3600 IN A 192.0.2.1
api.apps 3600 IN A 192.0.2.2
`
	w := newWorld(t, corefile, "zone", zone)
	if err := w.SetTarget("192.0.2.2", Behaviour{Kind: Refuse}); err != nil {
		t.Fatal(err)
	}
	explain := func(want string) {
		t.Helper()
		x, err := w.Explain(Question{Name: "api.apps", Type: dns.TypeA})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Text(At); got != want {
			t.Errorf("Expected\n%s\ngot\n%s", want, got)
		}
	}
	explain(`api.apps.example.org. A: 192.0.2.1 192.0.2.2 (TTL 30)
  name: in our zone, but not a name of ours, zone example.org.
  filter *.apps.example.org.
    192.0.2.1  in  unmonitored  not checked
    192.0.2.2  in  unmonitored  not checked
  decided by: the next plugin's answer stands
`)
	w.AdvanceTo(seconds(15))
	const dead = `api.apps.example.org. A: 192.0.2.1 (TTL 30)
  name: in our zone, but not a name of ours, zone example.org.
  filter *.apps.example.org.
    192.0.2.2  out  unhealthy  not usable: web@192.0.2.2:80 is unhealthy, last attempt fail: connection refused
    192.0.2.1  in   healthy    usable
      web@192.0.2.2:80: unhealthy since 50ms; last attempt 10.05s, fail: connection refused
      web@192.0.2.1:80: healthy since 50ms; last attempt 10.05s, pass
  decided by: filter *.apps.example.org. takes out what is not usable
`
	explain(dead)
	if problems := w.Reload(w.source); problems.Errors() != nil {
		t.Fatal(problems)
	}
	explain(dead)
	if got := w.Attempts("192.0.2.2"); got != 2 {
		t.Errorf("Expected two attempts, got %d", got)
	}
}
