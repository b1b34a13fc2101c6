package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestTargetsOfPools reads the words of the commands' flags that mean targets of pools, or all in a site.
func TestTargetsOfPools(t *testing.T) {
	w := newWorld(t, `example.org {
    healthroute {
        probe web http
        probe edge tcp {
            port 443
        }
        pool app {
            probe web
            target 192.0.2.1 site a id One
            target 192.0.2.2 port 8080 site a
            target 198.51.100.1,2001:db8::1 site b
            target 192.0.2.3 site c
        }
        balancer front {
            pools app
            site a address 203.0.113.1 probe edge
            site b address 203.0.113.2
        }
        group www simple {
            alias balancer front
        }
    }
}`)
	for word, want := range map[string]string{
		"192.0.2.2":     "192.0.2.2:8080",
		"app/one":       "192.0.2.1:80",
		"one":           "192.0.2.1:80",
		"APP/192.0.2.2": "192.0.2.2:8080",
		"a":             "192.0.2.1:80 192.0.2.2:8080 203.0.113.1:443",
		"B":             "198.51.100.1:80 [2001:db8::1]:80",
	} {
		if got, err := w.TargetsOf(word); err != nil || strings.Join(got, " ") != want {
			t.Errorf("Expected %s for %s, got %s, %v", want, word, got, err)
		}
	}
	const want = `"app/onw" is no target, record or site of the Corefile; did you mean "app/One"?`
	if _, err := w.TargetsOf("app/onw"); err == nil || err.Error() != want {
		t.Errorf("Expected %q, got %v", want, err)
	}
}

// TestSimulateSites follows an outage of a site whose address answers in place of its targets: the answer is dead while nothing stands behind it.
func TestSimulateSites(t *testing.T) {
	for name, tc := range map[string]struct {
		down string
		want string
	}{
		"all of a site": {"a", `
front.example.org. A until 1m

      0s  203.0.113.1+203.0.113.2 100 %
    50ms  8 checks are healthy after 1 attempt
     10s  down: a (192.0.2.1:80, 192.0.2.2:80, 192.0.2.3:80, 203.0.113.1:443)
  10.05s  web@192.0.2.1:80 is unhealthy after 1 attempt: connection refused
  10.05s  web@192.0.2.2:80 is unhealthy after 1 attempt: connection refused
  10.05s  web@192.0.2.3:80 is unhealthy after 1 attempt: connection refused
  10.05s  edge@203.0.113.1:443 is unhealthy after 1 attempt: connection refused
  10.05s  from here on: 203.0.113.2 100 %

outage of a at 10s
  noticed after 50ms
  a dead answer was given for 50ms; clients could hold one for 30.05s (TTL 30)
`},
		"one of three": {"192.0.2.1", `
outage of 192.0.2.1 at 10s
  noticed after 50ms
  no dead answer was given
`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shopCorefile)
			timeline, err := w.Simulate(Simulation{
				Question: Question{Name: "front", Type: dns.TypeA}, Until: seconds(60), Faults: []Fault{{tc.down, seconds(10), Refuse}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := timeline.Text(); !strings.Contains("\n"+got, tc.want) {
				t.Errorf("Expected%sin\n%s", tc.want, got)
			}
		})
	}
}

// TestSimulateManyTargets: where a sample of targets has too many forms to list, they are told one by one, through the alias of their pool.
func TestSimulateManyTargets(t *testing.T) {
	var targets strings.Builder
	for i := range 25 {
		fmt.Fprintf(&targets, "target 192.0.2.%d\n", i+1)
	}
	w := newWorld(t, "example.org {\nhealthroute {\nprobe web http\npool app {\nprobe web\n"+targets.String()+"}\ngroup www multivalue {\nalias pool app\n}\n}\n}")
	w.AdvanceTo(seconds(1))
	d, err := w.Distribution(Question{Name: "www", Type: dns.TypeA})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Together || len(d.Possible) != 25 {
		t.Fatalf("Expected 25 targets one by one, got %d", len(d.Possible))
	}
	for _, p := range d.Possible {
		if p.Share != "8/25" || len(p.Answer) != 1 {
			t.Errorf("Expected one address with 8/25, got %s of %v", p.Share, p.Answer)
		}
	}
}
