package scenario

import (
	"testing"

	"github.com/miekg/dns"
)

// TestExplain shows the tree of a failover while its primary is down.
func TestExplain(t *testing.T) {
	w := newWorld(t, failoverCorefile, "zone", zoneText)
	if err := w.SetTarget("192.0.2.1", Behaviour{Kind: Status, Status: 503}); err != nil {
		t.Fatal(err)
	}
	w.AdvanceTo(seconds(100))
	x, err := w.Explain(Question{Name: "www", Type: dns.TypeA})
	if err != nil {
		t.Fatal(err)
	}
	const want = `www.example.org. A: 192.0.2.2 (TTL 30)
  name: exact name, zone example.org.
  group www.example.org., failover, secondary, the primary is not usable
    192.0.2.1  out  unhealthy  not usable: web@192.0.2.1:80 is unhealthy, last attempt fail: status 503, expected 200-399
    192.0.2.2  in   healthy    usable
      web@192.0.2.1:80: unhealthy since 1m30.05s; last attempt 1m30.05s, fail: status 503, expected 200-399
      web@192.0.2.2:80: healthy since 50ms; last attempt 1m30.05s, pass
  decided by: secondary, the primary is not usable
`
	if got := x.Text(At); got != want {
		t.Errorf("Expected\n%s\ngot\n%s", want, got)
	}
}

// TestWhyHeldBack: what is usable and does not answer has a reason, and the true one.
func TestWhyHeldBack(t *testing.T) {
	w := newWorld(t, `example.org {
	healthroute {
		probe web http {
			fall 1
			rise 1
		}
		group weighted weighted {
			sticky
			record 192.0.2.1
			record 192.0.2.2
		}
		group turns roundrobin {
			sticky
			record 192.0.2.1
			record 192.0.2.2
		}
		group many multivalue {
			sticky
			max 1
			record 192.0.2.1
			record 192.0.2.2
		}
		group over weighted {
			override from ::/0 use b
			record 192.0.2.1 id a
			record 192.0.2.2 id b
		}
		group back failover {
			failback manual
			record 192.0.2.9 primary probe web
			record 192.0.2.2 secondary
		}
	}
}`)
	for _, kind := range []Behaviour{{Kind: Status, Status: 503}, {Kind: Status, Status: 200}} {
		if err := w.SetTarget("192.0.2.9", kind); err != nil {
			t.Fatal(err)
		}
		w.AdvanceTo(w.Now() + seconds(100))
	}
	const sticky = "sticky has another record for this client's network"
	for name, want := range map[string]string{
		"weighted": sticky, "turns": sticky, "many": sticky, "over": "an override has another record for this client",
		"back": "failback manual: it has failed, and stays out until an operator says failback",
	} {
		x, err := w.Explain(Question{Name: name, Type: dns.TypeA})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range x.Groups[0].Records {
			if r.Share == "0" && r.Why != want {
				t.Errorf("Expected %q for record %s of %s, got %q", want, r.Record, name, r.Why)
			}
		}
	}
}
