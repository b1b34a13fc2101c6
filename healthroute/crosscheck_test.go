package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// story is an outage that is played twice: in virtual time, and on a real server with real sockets.
type story struct {
	name  string
	hosts []string // of the backends; a record's address
	group string   // the group's policy and lines below `probe web`; hosts are in it
	steps []step
}

// step is one thing that happens; what follows from it is waited for before the next.
type step struct {
	host int
	mode mode
}

// behaviours are the modes of a real backend as a scenario says them.
var behaviours = map[mode]scenario.Behaviour{
	modeUp:     {Kind: scenario.Up},
	modeRefuse: {Kind: scenario.Refuse},
	modeHang:   {Kind: scenario.Hang},
	modeError:  {Kind: scenario.Status, Status: 500},
}

var stories = []story{
	{
		"failover", []string{"127.0.0.31", "127.0.0.32"},
		"failover {\nrecord 127.0.0.31 primary\nrecord 127.0.0.32 secondary",
		[]step{{0, modeRefuse}, {0, modeUp}, {0, modeHang}, {1, modeError}, {0, modeUp}, {1, modeUp}},
	},
	{
		"multivalue", []string{"127.0.0.33", "127.0.0.34", "127.0.0.35"},
		"multivalue {\nrecord 127.0.0.33\nrecord 127.0.0.34\nrecord 127.0.0.35",
		[]step{{2, modeError}, {1, modeRefuse}, {0, modeHang}, {1, modeUp}, {0, modeUp}, {2, modeUp}},
	},
	{
		"none left", []string{"127.0.0.36"},
		"simple {\nlast_resort servfail\nrecord 127.0.0.36",
		[]step{{0, modeHang}, {0, modeUp}, {0, modeError}},
	},
}

// corefile declares the story's group; attempts are as short as they may be.
func (s story) corefile(port int) string {
	return fmt.Sprintf(`example.org:0 {
    bind 127.0.0.1
    healthroute {
        probe web http {
            port %d
            interval 1s
            timeout 300ms
            fall 2
            rise 2
        }
        group www %s
            probe web
        }
    }
}
`, port, s.group)
}

// virtual plays the story in virtual time and returns, for each step, the answers that a client gets one after the other.
func (s story) virtual(t *testing.T) [][]string {
	t.Helper()
	text := []byte(s.corefile(80))
	w, problems := scenario.NewWorld(scenario.Source{Name: "Corefile", Files: map[string][]byte{"Corefile": text}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a world, got: %v", errs)
	}
	defer w.Close()
	const settled = 10 * time.Second // far more than anything takes
	w.AdvanceTo(settled)
	var out [][]string
	for i, step := range s.steps {
		if err := w.SetTarget(s.hosts[step.host], behaviours[step.mode]); err != nil {
			t.Fatal(err)
		}
		var seen []string
		until := settled * time.Duration(i+2)
		for {
			outcomes, err := w.Ask(scenario.Question{Name: "www", Type: dns.TypeA})
			if err != nil || len(outcomes) != 1 {
				t.Fatalf("Expected one answer, got %d, %v", len(outcomes), err)
			}
			seen = append(seen, virtualAnswer(outcomes[0].Result.Msg))
			at, more := w.NextEvent()
			if !more || at > until {
				break
			}
			w.AdvanceTo(at + 1) // beyond what starts then
		}
		out = append(out, slices.Compact(seen))
	}
	return out
}

// virtualAnswer is written as demoClient writes a real one.
func virtualAnswer(m *dns.Msg) string {
	if m.Rcode != dns.RcodeSuccess {
		return dns.RcodeToString[m.Rcode]
	}
	return strings.Join(scenario.Values(m), " ")
}

// caddys is held while a server starts or stops: caddy keeps its instances in a list of the process.
var caddys sync.Mutex

// TestCrossCheck plays each story on a real server: clients must see the same answers in the same order as in virtual time.
func TestCrossCheck(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want := s.virtual(t)
			backends, err := openBackends(s.hosts)
			if err != nil {
				t.Fatal(err)
			}
			defer closeBackends(backends)
			caddys.Lock()
			server, address, err := startServer("Corefile", s.corefile(backends[0].port()))
			caddys.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				caddys.Lock()
				defer caddys.Unlock()
				stopServer(server)
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			client := demoClient{address.String()}
			for i, step := range s.steps {
				seen := []string{client.now(ctx)}
				if err := backends[step.host].set(step.mode); err != nil {
					t.Fatal(err)
				}
				for seen[len(seen)-1] != want[i][len(want[i])-1] && ctx.Err() == nil {
					seen = slices.Compact(append(seen, client.now(ctx)))
				}
				if !slices.Equal(seen, want[i]) {
					t.Fatalf("Expected answers %q after step %d, got %q", want[i], i+1, seen)
				}
			}
		})
	}
}

// now asks once; a short pause keeps the load low.
func (c demoClient) now(ctx context.Context) string {
	pause := time.NewTimer(10 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
	a := c.ask(ctx, "www.example.org.")
	if a.problem != "" {
		return a.problem
	}
	return strings.Join(a.addresses, " ")
}
