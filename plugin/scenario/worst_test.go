package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// worstCorefile has one record with a probe of the given options.
func worstCorefile(options string) string {
	return fmt.Sprintf(`
example.org {
    healthroute {
        probe web http {
            %s
        }
        group www failover {
            probe web
            record 192.0.2.1 primary
            record 192.0.2.2 secondary probe none
        }
    }
}
`, options)
}

// TestWorstDetection lets a target die at many instants between two attempts: none takes longer to be noticed than worstDetection
// says, and the worst comes near.
func TestWorstDetection(t *testing.T) {
	const step = 250 * time.Millisecond
	for name, tc := range map[string]struct {
		options string
		want    time.Duration // by hand, from spec 5.1 and the options
		death   Behaviour
	}{
		"the defaults, hanging":    {"fall 3", seconds(35), Behaviour{Kind: Hang}},
		"spec 5.1":                 {"interval 30s\ntimeout 10s\ntolerate 3", seconds(130), Behaviour{Kind: Hang}},
		"spec V-4":                 {"interval 10s\ntimeout 5s\ntolerate 0", seconds(15), Behaviour{Kind: Hang}},
		"slow failures":            {"interval 10s\ntimeout 5s\nfall 2", seconds(25), Behaviour{Kind: Status, Status: 503, After: seconds(4.99)}},
		"a timeout of two parts":   {"interval 10s\ntimeout connect 2s response 3s\nfall 2", seconds(25), Behaviour{Kind: Status, Status: 503, After: seconds(4.99)}},
		"counted from the end":     {"interval 10s from end\ntimeout 5s\nfall 3", seconds(50), Behaviour{Kind: Hang}},
		"from the end, timeout > ": {"interval 2s from end\ntimeout 5s\nfall 1", seconds(12), Behaviour{Kind: Hang}},
		"inverted":                 {"invert\nrise 2\nfall 5", seconds(25), Behaviour{Kind: Up, After: seconds(4.99)}},
	} {
		t.Run(name, func(t *testing.T) {
			sample := newWorld(t, worstCorefile(tc.options))
			p := sample.Checks()[0].Probe()
			bound, never := worstDetection(p, 0)
			if bound != tc.want || never {
				t.Fatalf("Expected a bound of %s, got %s, %t", tc.want, bound, never)
			}
			worst := time.Duration(0)
			for death := seconds(200); death < seconds(200)+p.Interval+p.Timeout; death += step {
				alive := Behaviour{Kind: Up, After: seconds(4.99)} // a slow pass is the worst before a death
				if p.Invert {
					alive = Behaviour{Kind: Hang}
				}
				took := detection(t, newWorld(t, worstCorefile(tc.options)), alive, tc.death, death)
				if took >= bound {
					t.Errorf("Expected a death at %s to be noticed in less than %s, got %s", death, bound, took)
				}
				worst = max(worst, took)
			}
			if slack := bound - worst; slack > step+seconds(0.1) {
				t.Errorf("Expected the worst detection near the bound of %s, got %s", bound, worst)
			}
		})
	}
}

// TestWorstDetectionVaries is the same for the varying attempts of a server.
func TestWorstDetectionVaries(t *testing.T) {
	worst := time.Duration(0)
	var bound time.Duration
	for i := range 1500 {
		w := newWorld(t, worstCorefile("interval 10s\ntimeout 5s\nfall 1"))
		source := w.source
		w.Close()
		w.engine = health.NewEngine(health.Options{Clock: w.clock, Observer: w, Runner: w.run}) // with jitter
		if problems := w.Reload(source); problems != nil {
			t.Fatal(problems)
		}
		p := w.Checks()[0].Probe()
		bound, _ = worstDetection(p, p.Interval/variation)
		took := detection(t, w, Behaviour{Kind: Up}, Behaviour{Kind: Hang}, seconds(100)+time.Duration(i)*seconds(0.0137))
		if took >= bound {
			t.Fatalf("Expected less than %s, got %s", bound, took)
		}
		worst = max(worst, took)
	}
	if worst < bound-seconds(0.5) {
		t.Errorf("Expected the worst detection near the bound of %s, got %s", bound, worst)
	}
}

// detection is how long the death of the target of the world's first check goes unnoticed.
func detection(t *testing.T, w *World, alive, dead Behaviour, death time.Duration) time.Duration {
	t.Helper()
	set := func(b Behaviour) {
		if err := w.SetTarget("192.0.2.1", b); err != nil {
			t.Fatal(err)
		}
	}
	c := w.Checks()[0]
	set(alive)
	w.AdvanceTo(death)
	if got := c.State().Status; got != health.Healthy {
		t.Fatalf("Expected %s to be healthy at %s, got %s", c, death, got)
	}
	set(dead)
	for c.State().Status != health.Unhealthy {
		if w.Now() > death+time.Hour {
			t.Fatalf("Expected the death at %s to be noticed", death)
		}
		w.step()
	}
	w.Close()
	return c.State().Since.Sub(epoch) - death
}

// TestNoDetection has nothing that could notice.
func TestNoDetection(t *testing.T) {
	w := newWorld(t, worstCorefile("assume healthy"))
	if _, never := worstDetection(w.Checks()[0].Probe(), 0); !never {
		t.Error("Expected an assumed health never to change")
	}
}
