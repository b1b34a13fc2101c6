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
