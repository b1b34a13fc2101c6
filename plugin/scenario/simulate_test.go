package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// sitesCorefile has a little of everything; `many` has more samples than can be listed.
var sitesCorefile = `
example.org {
    healthroute {
        probe web http
        group www weighted {
            ttl 60s
            probe web
            record 192.0.2.1,2001:db8:1::1 weight 1 site fra
            record 198.51.100.1 weight 1 site ams id two
            record 203.0.113.1 weight 2 site lon ttl 20s
        }
        group plain simple {
            record 192.0.2.9 site nowhere
        }
        group shop failover {
            last_resort none
            probe web
            record 192.0.2.1 primary
            record 198.51.100.1 secondary
        }
        group alias simple {
            record CNAME shop.example.org. ttl 300s
        }
        group many multivalue {
            probe web
` + manyRecords(25) + `
        }
    }
}
`

func manyRecords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "            record 203.0.113.%d\n", 100+i)
	}
	return b.String()
}

func TestSimulate(t *testing.T) {
	for name, tc := range map[string]struct {
		ask    string
		until  float64
		faults []Fault
		want   string
	}{
		"nothing happens": {"plain", 60, nil, `
plain.example.org. A until 1m

  0s  192.0.2.9 100 %
`},
		"a site goes and comes back": {"www", 100, []Fault{{"fra", Settled, Refuse}, {"fra", seconds(65), Up}}, `
www.example.org. A until 1m40s

        0s  203.0.113.1 50 %, 192.0.2.1 25 %, 198.51.100.1 25 %
      50ms  web@192.0.2.1:80 is healthy after 1 attempt
      50ms  web@198.51.100.1:80 is healthy after 1 attempt
      50ms  web@203.0.113.1:80 is healthy after 1 attempt
      50ms  down: fra (192.0.2.1:80, [2001:db8:1::1]:80)
    30.05s  web@192.0.2.1:80 is unhealthy after 3 attempts: connection refused
    30.05s  from here on: 203.0.113.1 2/3, 198.51.100.1 1/3
      1m5s  up: fra (192.0.2.1:80, [2001:db8:1::1]:80)
  1m20.05s  web@192.0.2.1:80 is healthy after 2 attempts
  1m20.05s  from here on: 203.0.113.1 50 %, 192.0.2.1 25 %, 198.51.100.1 25 %

outage of fra at 50ms
  noticed after 30s
  over after 1m4.95s
  a dead answer was given for 30s; clients could hold one for 1m4.95s (TTL 60)
`},
		"one that hangs": {"www", 60, []Fault{{"203.0.113.1", seconds(10), Hang}}, `
www.example.org. A until 1m

    0s  203.0.113.1 50 %, 192.0.2.1 25 %, 198.51.100.1 25 %
  50ms  web@192.0.2.1:80 is healthy after 1 attempt
  50ms  web@198.51.100.1:80 is healthy after 1 attempt
  50ms  web@203.0.113.1:80 is healthy after 1 attempt
   10s  hang: 203.0.113.1 (203.0.113.1:80)
   35s  web@203.0.113.1:80 is unhealthy after 3 attempts: timed out while connecting
   35s  from here on: 192.0.2.1 50 %, 198.51.100.1 50 %

outage of 203.0.113.1 at 10s
  noticed after 25s
  a dead answer was given for 25s; clients could hold one for 45s (TTL 20)
`},
		"not watched": {"plain", 60, []Fault{{"two", seconds(1), Refuse}}, `
plain.example.org. A until 1m

  0s  192.0.2.9 100 %
  1s  down: two (198.51.100.1:80)

outage of two at 1s
  no record of this name is watched there
`},
		"never in an answer": {"shop", 60, []Fault{{"shop/198.51.100.1", seconds(5), Refuse}}, `
shop.example.org. A until 1m

      0s  192.0.2.1 100 %
    50ms  web@192.0.2.1:80 is healthy after 1 attempt
    50ms  web@198.51.100.1:80 is healthy after 1 attempt
      5s  down: shop/198.51.100.1 (198.51.100.1:80)
  30.05s  web@198.51.100.1:80 is unhealthy after 3 attempts: connection refused

outage of shop/198.51.100.1 at 5s
  noticed after 25.05s
  no dead answer was given
`},
		"down from the start, then a last resort behind an alias": {"alias", 50, []Fault{{"two", 0, Refuse}, {"192.0.2.1:80", seconds(10), Refuse}}, `
alias.example.org. A until 50s

      0s  192.0.2.1+shop.example.org. 100 %
      0s  down: two (198.51.100.1:80)
    50ms  web@192.0.2.1:80 is healthy after 1 attempt
    50ms  web@198.51.100.1:80 is unhealthy after 1 attempt: connection refused
     10s  down: 192.0.2.1:80 (192.0.2.1:80)
  30.05s  web@192.0.2.1:80 is unhealthy after 3 attempts: connection refused
  30.05s  from here on: shop.example.org. 100 %

outage of two at 0s
  noticed after 50ms
  no dead answer was given

outage of 192.0.2.1:80 at 10s
  noticed after 20.05s
  a dead answer was given for 20.05s; clients could hold one for 50.05s (TTL 30)
`},
		"back before it is noticed": {"shop", 30, []Fault{{"shop/192.0.2.1", seconds(5), Refuse}, {"192.0.2.1", seconds(15), Up}}, `
shop.example.org. A until 30s

    0s  192.0.2.1 100 %
  50ms  web@192.0.2.1:80 is healthy after 1 attempt
  50ms  web@198.51.100.1:80 is healthy after 1 attempt
    5s  down: shop/192.0.2.1 (192.0.2.1:80)
   15s  up: 192.0.2.1 (192.0.2.1:80)

outage of shop/192.0.2.1 at 5s
  not noticed
  over after 10s
  a dead answer was given for 10s; clients could hold one for 10s (TTL 30)
`},
		"still answered at the end": {"many", 50, []Fault{{"203.0.113.101", seconds(45), Refuse}}, `
many.example.org. A until 50s

    0s  203.0.113.100 32 %, 203.0.113.101 32 %, 203.0.113.102 32 %, 203.0.113.103 32 %, 203.0.113.104 32 %, 203.0.113.105 32 %, 203.0.113.106 32 %, 203.0.113.107 32 %, 203.0.113.108 32 %, 203.0.113.109 32 %, 203.0.113.110 32 %, 203.0.113.111 32 %, and 13 more (records that are answered several together)
  50ms  25 checks are healthy after 1 attempt
   45s  down: 203.0.113.101 (203.0.113.101:80)

outage of 203.0.113.101 at 45s
  not noticed
  a dead answer is still given at the end
`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sitesCorefile)
			timeline, err := w.Simulate(Simulation{
				Question: Question{Name: tc.ask, Type: dns.TypeA}, Faults: tc.faults, Until: seconds(tc.until),
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := timeline.Text(); got != strings.TrimPrefix(tc.want, "\n") {
				t.Errorf("Expected\n%s\ngot\n%s", tc.want, got)
			}
		})
	}
}

// TestSimulateRefuses what cannot be simulated.
func TestSimulateRefuses(t *testing.T) {
	www := Question{Name: "www", Type: dns.TypeA}
	for name, tc := range map[string]struct {
		simulation Simulation
		want       string
	}{
		"a near word":        {Simulation{www, []Fault{{"frq", Settled, Refuse}}, seconds(10)}, `"frq" is no target, record or site of the Corefile; did you mean "fra"?`},
		"a far word":         {Simulation{www, []Fault{{"elsewhere.example", Settled, Refuse}}, seconds(10)}, `"elsewhere.example" is no target, record or site of the Corefile`},
		"a record unwatched": {Simulation{www, []Fault{{"192.0.2.9", Settled, Refuse}}, seconds(10)}, `"192.0.2.9" has no check: nothing notices what happens to it`},
		"a site unwatched":   {Simulation{www, []Fault{{"nowhere", Settled, Refuse}}, seconds(10)}, `"nowhere" has no check: nothing notices what happens to it`},
		"behind the end":     {Simulation{www, []Fault{{"fra", seconds(11), Refuse}}, seconds(10)}, `"fra" begins at 11s, behind the end at 10s`},
		"an end too soon":    {Simulation{www, []Fault{{"fra", Settled, Refuse}}, seconds(0.04)}, `"fra": when does that begin? At 40ms there are still checks without a verdict`},
		"a name of others":   {Simulation{Question{Name: "www.example.net.", Type: dns.TypeA}, nil, seconds(10)}, `no server block with healthroute serves "www.example.net."`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newWorld(t, sitesCorefile).Simulate(tc.simulation)
			if err == nil || err.Error() != tc.want {
				t.Errorf("Expected %q, got %v", tc.want, err)
			}
		})
	}
}

// TestTargetsOf reads the words of the commands' flags.
func TestTargetsOf(t *testing.T) {
	w := newWorld(t, sitesCorefile)
	for word, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1:80",
		"192.0.2.1:80":         "192.0.2.1:80",
		"2001:DB8:1:0::1":      "[2001:db8:1::1]:80",
		"www/192.0.2.1":        "192.0.2.1:80 [2001:db8:1::1]:80",
		"WWW.example.org./TWO": "198.51.100.1:80",
		"two":                  "198.51.100.1:80",
		"fra":                  "192.0.2.1:80 [2001:db8:1::1]:80",
		"FRA":                  "192.0.2.1:80 [2001:db8:1::1]:80",
	} {
		if got, err := w.TargetsOf(word); err != nil || strings.Join(got, " ") != want {
			t.Errorf("Expected %s for %s, got %s, %v", want, word, got, err)
		}
	}
}

// TestSimulateCalculated follows an outage of one of the targets that a calculated probe counts.
func TestSimulateCalculated(t *testing.T) {
	w := newWorld(t, `
example.org {
    healthroute {
        probe web http
        probe site http {
            target 192.0.2.81
        }
        probe all calculated {
            of site,www/x
        }
        group www simple {
            probe web
            record 192.0.2.11 id x
        }
        group sum failover {
            record 192.0.2.1 id a primary probe all
            record 192.0.2.2 id b secondary
        }
    }
}
`)
	timeline, err := w.Simulate(Simulation{
		Question: Question{Name: "sum", Type: dns.TypeA}, Until: seconds(60),
		Faults: []Fault{{Object: "192.0.2.81", At: seconds(10), Behaviour: Refuse}},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := timeline.Outages[0]
	if o.Detection == nil || *o.Detection != Seconds(seconds(20.05)) || len(o.Checks) != 1 || o.Checks[0] != "all@calculated" {
		t.Errorf("Expected a detection of all@calculated after 20.05s, got %+v", o)
	}
	if text := timeline.Text(); !strings.Contains(text, "all@calculated is unhealthy: 1 of 2 healthy, 2 needed") {
		t.Errorf("Expected the count as the reason, got\n%s", text)
	}
}

// TestHostsThatAreDown: each value of a record has the check of the host that it leads to.
func TestHostsThatAreDown(t *testing.T) {
	text := "example.org {\nhealthroute {\nprobe mail smtp\ngroup @ simple {\nprobe mail\nrecord MX \"10 mx1\" {\nvalue \"20 MX2\"\n}\n}\n}\n}\n"
	w, problems := NewWorld(Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(text)}})
	if errs := problems.Errors(); errs != nil {
		t.Fatal(errs)
	}
	defer w.Close()
	d, err := w.Distribution(Question{Name: "@", Type: dns.TypeMX})
	if err != nil || len(d.Possible) != 1 {
		t.Fatalf("Expected one answer, got %v (%v)", d, err)
	}
	for _, host := range []string{"mx1.example.org", "mx2.example.org"} {
		asked := 0
		dead, ttl := d.Possible[0].dead(func(c *health.Check) bool {
			asked++
			return c.Target().Name == host
		})
		if !dead || ttl != 30 || asked > 2 {
			t.Errorf("Expected %s to be seen dead for 30 s by its own check, got %t, %d s and %d checks", host, dead, ttl, asked)
		}
	}
}
