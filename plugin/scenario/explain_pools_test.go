package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
)

// shopCorefile has two sites of three targets, answered by themselves (flat), by the sites' addresses (front), with all sites counted together
// (cross), one site alone (one), and behind a failover (over).
const shopCorefile = `example.org {
	healthroute {
		probe web http {
			fall 1
			rise 1
		}
		probe edge tcp {
			port 443
			fall 1
		}
		pool app {
			probe web
			target 192.0.2.1 site a
			target 192.0.2.2 site a
			target 192.0.2.3 site a
			target 198.51.100.1 site b
			target 198.51.100.2 site b
			target 198.51.100.3 site b
			dns_failover count off percent 60
			fail_open percent 30
		}
		balancer flat {
			pools app
			site a
			site b
		}
		balancer cross {
			pools app
			site a
			site b
			cross_site on
		}
		balancer front {
			pools app
			site a address 203.0.113.1 probe edge
			site b address 203.0.113.2 probe edge
		}
		group flat simple {
			alias balancer flat
		}
		group cross simple {
			alias balancer cross
		}
		group front simple {
			alias balancer front
		}
		group one simple {
			alias balancer flat site b
		}
		group over failover {
			alias balancer front primary
			record 192.0.2.9 secondary
		}
	}
}`

// shop is the world in which these targets are down, the others healthy.
func shop(t *testing.T, down ...string) *World {
	t.Helper()
	w := newWorld(t, shopCorefile)
	for _, target := range down {
		if err := w.SetTarget(target, Behaviour{Kind: Refuse}); err != nil {
			t.Fatal(err)
		}
	}
	w.AdvanceTo(seconds(1))
	return w
}

func explained(t *testing.T, w *World, name string) answer.Explanation {
	t.Helper()
	x, err := w.Explain(Question{Name: name, Type: dns.TypeA})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestExplainBalancer shows the whole text of a balancer that has lost a site.
func TestExplainBalancer(t *testing.T) {
	w := shop(t, "192.0.2.1", "192.0.2.2")
	for name, want := range map[string]string{
		"front": `front.example.org. A: 203.0.113.2 (TTL 30)
  name: exact name, zone example.org.
  group front.example.org., simple, only record
    front -> balancer front  in  healthy  usable
  balancer front, the sites that answer
    site a: out, pool app has too few usable targets: 1 of 3, wanted percent 60; pool app: 1 of 3 usable
      192.0.2.1: not usable: web@192.0.2.1:80 is unhealthy, last attempt fail: connection refused
      192.0.2.2: not usable: web@192.0.2.2:80 is unhealthy, last attempt fail: connection refused
    site b: in, enough works; pool app: 3 of 3 usable
    a  out  healthy  not usable: site a does not answer: pool app has too few usable targets: 1 of 3, wanted percent 60
    b  in   healthy  usable
      edge@203.0.113.1:443: healthy since 50ms; last attempt 50ms, pass
      edge@203.0.113.2:443: healthy since 50ms; last attempt 50ms, pass
  decided by: only record
`,
		"flat": `flat.example.org. A: 198.51.100.1 198.51.100.2 198.51.100.3 (TTL 30)
  name: exact name, zone example.org.
  group flat.example.org., simple, only record
    flat -> balancer flat  in  healthy  usable
  balancer flat, all targets that are used
    site a: out, pool app has too few usable targets: 1 of 3, wanted percent 60; pool app: 1 of 3 usable
    site b: in, enough works; pool app: 3 of 3 usable
    192.0.2.1     out  unhealthy  not usable: web@192.0.2.1:80 is unhealthy, last attempt fail: connection refused
    192.0.2.2     out  unhealthy  not usable: web@192.0.2.2:80 is unhealthy, last attempt fail: connection refused
    192.0.2.3     out  healthy    site a does not answer: pool app has too few usable targets: 1 of 3, wanted percent 60
    198.51.100.1  in   healthy    usable
    198.51.100.2  in   healthy    usable
    198.51.100.3  in   healthy    usable
      web@192.0.2.1:80: unhealthy since 50ms; last attempt 50ms, fail: connection refused
      web@192.0.2.2:80: unhealthy since 50ms; last attempt 50ms, fail: connection refused
      web@192.0.2.3:80: healthy since 50ms; last attempt 50ms, pass
      web@198.51.100.1:80: healthy since 50ms; last attempt 50ms, pass
      web@198.51.100.2:80: healthy since 50ms; last attempt 50ms, pass
      web@198.51.100.3:80: healthy since 50ms; last attempt 50ms, pass
  decided by: only record
`,
	} {
		if got := explained(t, w, name).Text(At); got != want {
			t.Errorf("Expected\n%s\ngot\n%s", want, got)
		}
	}
}

// TestExplainBalancerJSON holds the field names, which are stable.
func TestExplainBalancerJSON(t *testing.T) {
	x := explained(t, shop(t, "192.0.2.1", "192.0.2.2"), "front")
	x.Groups[1].Sites[0].Pools[0].NotUsable = x.Groups[1].Sites[0].Pools[0].NotUsable[:1]
	x.Groups[1].Sites[0].Pools[0].NotUsable[0].Checks = nil
	text, err := json.MarshalIndent(x.Groups[1].Sites, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `[
  {
    "site": "a",
    "answers": false,
    "why": "pool app has too few usable targets: 1 of 3, wanted percent 60",
    "pools": [
      {
        "pool": "app",
        "usable": 1,
        "registered": 3,
        "dns_failover": {
          "wanted": "percent 60",
          "breached": true
        },
        "fail_open": {
          "wanted": "count 1 and percent 30",
          "breached": false
        },
        "not_usable": [
          {
            "record": "192.0.2.1",
            "site": "a",
            "admin": "enabled",
            "health": "unhealthy",
            "share": "0",
            "why": "not usable: web@192.0.2.1:80 is unhealthy, last attempt fail: connection refused"
          }
        ]
      }
    ]
  },
  {
    "site": "b",
    "answers": true,
    "why": "enough works",
    "pools": [
      {
        "pool": "app",
        "usable": 3,
        "registered": 3,
        "dns_failover": {
          "wanted": "percent 60",
          "breached": false
        },
        "fail_open": {
          "wanted": "count 1 and percent 30",
          "breached": false
        }
      }
    ]
  }
]`
	if string(text) != want {
		t.Errorf("Expected\n%s\ngot\n%s", want, text)
	}
}

// TestWhyOutOfABalancer: every target and every site that does not answer has a reason, and the true one.
func TestWhyOutOfABalancer(t *testing.T) {
	a, b := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}, []string{"198.51.100.1", "198.51.100.2", "198.51.100.3"}
	const few, refused = "pool app has too few usable targets: ", ", last attempt fail: connection refused"
	for _, c := range []struct {
		name, asked string
		down        []string
		do          func(*World) error
		want        map[string]string // by site or record: why
	}{
		{"a site fails open", "one", b, nil, map[string]string{
			"site b":       few + "0 of 3, wanted percent 60; but no site is better",
			"site a":       "the alias reaches another site",
			"198.51.100.1": "not usable, but too little of its site is: fail open",
		}},
		{"no site is better", "front", append(a[:2:2], b[:2]...), nil, map[string]string{
			"site a": few + "1 of 3, wanted percent 60; but no site is better", "site b": few + "1 of 3, wanted percent 60; but no site is better",
			"a": "not usable, but nothing better is: last resort",
		}},
		{"all sites together", "cross", a[:2], nil, map[string]string{
			"site a": "enough works", "site b": "enough works",
			"192.0.2.1": "not usable: web@192.0.2.1:80 is unhealthy" + refused, "192.0.2.3": "usable",
		}},
		{"too few together", "cross", append(a[:2:2], b[:1]...), nil, map[string]string{
			"site b": few + "3 of 6, wanted percent 60; but no site is better",
		}},
		{"clients are shifted away", "flat", nil, func(w *World) error { return w.Shift("flat", "a", hour) }, map[string]string{
			"site a": "shifted away", "192.0.2.1": "site a does not answer: shifted away", "198.51.100.1": "usable",
		}},
		{"clients are shifted away from an address", "front", nil, func(w *World) error { return w.Shift("front", "a", hour) }, map[string]string{
			"site a": "shifted away", "a": "site a does not answer: shifted away", "b": "usable",
		}},
		{"a site is taken out", "front", nil, func(w *World) error { return w.Admin("site a", "disabled", 0) }, map[string]string{
			"site a": "taken out: disabled", "a": "site a does not answer: taken out: disabled",
		}},
		{"a target drains", "flat", nil, func(w *World) error { return w.Deregister("app/192.0.2.1") }, map[string]string{
			"192.0.2.1": "taken out: draining", "192.0.2.2": "usable", "site a": "enough works",
		}},
		{"a pool is disabled", "flat", nil, func(w *World) error { return w.Admin("app", "disabled", 0) }, map[string]string{
			"flat": "nothing behind it is eligible", "192.0.2.1": "taken out: disabled", "site a": few + "0 of 0, wanted percent 60; but no site is better",
		}},
		{"a site's own probe fails", "front", []string{"203.0.113.1"}, nil, map[string]string{
			"site a": "its own probe fails", "a": "not usable: edge@203.0.113.1:443 is unhealthy" + refused,
		}},
		{"the alias is not usable", "over", append(a[:2:2], b[:1]...), nil, map[string]string{
			"front": "not usable: pool app has 3 usable of 6 targets, wanted percent 60",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t, c.down...)
			if c.do != nil {
				if err := c.do(w); err != nil {
					t.Fatal(err)
				}
			}
			x := explained(t, w, c.asked)
			got := map[string]string{}
			for i := range x.Groups {
				reasons(t, &x.Groups[i], got)
			}
			for what, why := range c.want {
				if got[what] != why {
					t.Errorf("Expected of %s: %s\ngot: %s\n%s", what, why, got[what], x.Text(At))
				}
			}
		})
	}
}

const hour = 3600e9

// reasons notes why each site and record of the group is in or out, also of what stands behind an alias.
func reasons(t *testing.T, g *answer.Reason, into map[string]string) {
	for _, s := range g.Sites {
		into["site "+s.Site] = s.Why
	}
	for _, r := range g.Records {
		if into[r.Record] = r.Why; r.Why == "" {
			t.Errorf("Expected a reason for %s, got none", r.Record)
		}
		if r.Behind != nil {
			reasons(t, r.Behind, into)
		}
	}
}

// TestExplainBehindABalancer: an alias of a balancer that is not usable shows how the balancer's sites stand.
func TestExplainBehindABalancer(t *testing.T) {
	x := explained(t, shop(t, "192.0.2.1", "192.0.2.2", "198.51.100.1"), "over")
	behind := x.Groups[0].Records[0].Behind
	if behind == nil || behind.Group != "balancer front" || len(behind.Sites) != 2 {
		t.Fatalf("Expected the sites of the balancer behind the alias, got %+v", behind)
	}
	if got := len(behind.Sites[0].Pools[0].NotUsable); got != 2 {
		t.Errorf("Expected the two targets of site a that are not usable, got %d", got)
	}
	const want = `
        site a: out, pool app has too few usable targets: 1 of 3, wanted percent 60; pool app: 1 of 3 usable
          192.0.2.1: not usable: web@192.0.2.1:80 is unhealthy, last attempt fail: connection refused
`
	if text := x.Text(At); !strings.Contains(text, want) {
		t.Errorf("Expected%sin\n%s", want, text)
	}
}

// TestExplainManyTargets: the text names ten targets of a site and counts the others.
func TestExplainManyTargets(t *testing.T) {
	var targets strings.Builder
	for i := range 15 {
		fmt.Fprintf(&targets, "target 192.0.2.%d site a\n", i+1)
	}
	w := newWorld(t, "example.org {\nhealthroute {\nprobe web http\npool app {\nprobe web\n"+targets.String()+`}
balancer front {
pools app
site a address 203.0.113.1
}
group www simple {
alias balancer front
}
}
}`)
	for i := range 12 {
		if err := w.SetHealth(fmt.Sprintf("app/192.0.2.%d", i+1), "unhealthy"); err != nil {
			t.Fatal(err)
		}
	}
	text := explained(t, w, "www").Text(At)
	if !strings.Contains(text, "192.0.2.10: not usable") || strings.Contains(text, "192.0.2.11: not usable") || !strings.Contains(text, "      and 2 more\n") {
		t.Errorf("Expected ten targets and 2 more, got\n%s", text)
	}
}
