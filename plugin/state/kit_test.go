package state

import (
	"net/netip"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// No keeper may outlive its test.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is an instant with nanoseconds, in the zone that the file has.
var epoch = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

// sample is a state with everything in it.
func sample() State {
	return State{
		Health: health.Snapshot{
			Taken: epoch,
			Checks: []health.Known{
				{
					Identity: "00ff", Lineages: []string{"example.org #0 web@192.0.2.1:80 for www.example.org.", "example.org #0 web@192.0.2.1:80 for a.example.org."},
					Name: "web@192.0.2.1:80", At: epoch, Status: health.Healthy, Counter: health.Counter{Verdict: health.Up, Passes: 12}, Verdict: health.Up,
					Since: epoch.Add(-time.Hour), Last: probe.Result{Outcome: probe.Pass, Reason: "status 200", Duration: 1500 * time.Microsecond},
					LastAt: epoch.Add(-3 * time.Second), Expires: 1_800_000_000,
					Recovery: health.RecoverySnapshot{Fallen: true, Clean: epoch.Add(-time.Minute), Runs: []health.CleanRun{{From: epoch.Add(-time.Hour), Lasts: 20 * time.Second}}},
				},
				{
					Identity: "01", Name: "web@[2001:db8::1]:80", At: epoch.Add(-time.Minute), Status: health.Unhealthy, Counter: health.Counter{Verdict: health.Up, Fails: 1},
					Verdict: health.Down, Since: epoch.Add(-time.Second),
					Last: probe.Result{Outcome: probe.CannotTell, Cause: probe.NoRoute, Reason: `<no route> & "more"`}, LastAt: epoch,
				},
			},
			Latches: map[string]int{"example.org #0 www.example.org. A": 2, "example.org #0 www.example.org. AAAA": 1},
		},
		Admin: []health.Standing{
			{
				Object:   health.GroupObject("www.example.org.", "192.0.2.1"),
				Override: health.Override{State: health.Disabled, Reason: "disk", Author: "kim", Since: epoch.Add(-time.Minute), Until: epoch.Add(time.Hour)},
				Under:    &health.Override{State: health.Always, Since: epoch.Add(-time.Hour)},
			},
			{Object: health.ShiftObject("shop", "fra"), Override: health.Override{State: health.Shifted, Since: epoch, Until: epoch.Add(time.Hour)}},
		},
		Sources: []discover.Standing{{
			Key: discover.Key{Scope: "example.org #0", Zone: "example.org.", Pool: "app", Source: "discover file targets/*.json"},
			Known: discover.Known{Good: epoch.Add(-5 * time.Second), Parts: []discover.Part{
				{From: "targets/a.json", Found: []config.Found{{Address: netip.MustParseAddr("192.0.2.1"), Port: 8080, Site: "fra", Weight: 2}}},
				{From: "targets/b.json", Found: []config.Found{{Address: netip.MustParseAddr("2001:db8::1"), Weight: 1}, {Address: netip.MustParseAddr("2001:db8::2")}}},
			}},
		}},
	}
}

// before is what version 1 had of a state.
func before(s State) State {
	s.Sources = nil
	return s
}

// encoded is the text of a state.
func encoded(tb testing.TB, s State) []byte {
	tb.Helper()
	text, err := Encode(s)
	if err != nil {
		tb.Fatalf("Expected the state to be written, got: %v", err)
	}
	return text
}

// states draws states of every kind.
func states() *rapid.Generator[State] {
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-1e9, 1e11).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
	})
	maybe := rapid.OneOf(rapid.Just(time.Time{}), instant)
	word := rapid.String()
	duration := rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64().Draw(t, "duration")) })
	verdict := rapid.SampledFrom([]health.Verdict{health.NoVerdict, health.Up, health.Down})
	override := rapid.Custom(func(t *rapid.T) health.Override {
		return health.Override{
			State:  rapid.SampledFrom(append(health.AdminStates(), health.Deregistered, health.Unused, health.Shifted)).Draw(t, "state"),
			Reason: word.Draw(t, "reason"), Author: word.Draw(t, "author"), Since: instant.Draw(t, "since"), Until: maybe.Draw(t, "until"),
		}
	})
	standing := rapid.Custom(func(t *rapid.T) health.Standing {
		kind := rapid.SampledFrom([]health.ObjectKind{health.OfGroup, health.OfPool, health.OfSite, health.OfShift}).Draw(t, "kind")
		s := health.Standing{Object: health.Object{Kind: kind, Name: word.Draw(t, "name"), Member: word.Draw(t, "member")}, Override: override.Draw(t, "override")}
		if rapid.Bool().Draw(t, "under") {
			under := override.Draw(t, "under")
			s.Under = &under
		}
		return s
	})
	known := func(taken time.Time) *rapid.Generator[health.Known] {
		return rapid.Custom(func(t *rapid.T) health.Known {
			k := health.Known{
				Identity: rapid.StringMatching("[0-9a-f]{2,8}").Draw(t, "identity"), Name: word.Draw(t, "name"),
				At: rapid.OneOf(rapid.Just(taken), instant).Draw(t, "at"), Status: rapid.SampledFrom([]health.Status{health.Checking, health.Healthy, health.Unhealthy}).Draw(t, "status"),
				Counter: health.Counter{Verdict: verdict.Draw(t, "verdict")}, Verdict: verdict.Draw(t, "together"), Since: instant.Draw(t, "since"),
				Expires: rapid.Int64().Draw(t, "expires"),
			}
			if names := rapid.SliceOfN(word, 0, 3).Draw(t, "lineages"); len(names) > 0 {
				k.Lineages = names
			}
			if run := rapid.IntRange(0, 20).Draw(t, "run"); rapid.Bool().Draw(t, "passes") {
				k.Counter.Passes = run
			} else {
				k.Counter.Fails = run
			}
			if k.LastAt = maybe.Draw(t, "last"); !k.LastAt.IsZero() {
				k.Last = probe.Result{
					Outcome: probe.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), Cause: probe.Cause(rapid.IntRange(0, int(probe.OtherCause)).Draw(t, "cause")),
					Reason: word.Draw(t, "reason"), Duration: duration.Draw(t, "took"),
				}
			}
			if k.Recovery.Fallen = rapid.Bool().Draw(t, "fallen"); k.Recovery.Fallen {
				k.Recovery.Clean = maybe.Draw(t, "clean")
				for range rapid.IntRange(0, 3).Draw(t, "runs") {
					k.Recovery.Runs = append(k.Recovery.Runs, health.CleanRun{From: instant.Draw(t, "from"), Lasts: duration.Draw(t, "lasts")})
				}
			}
			return k
		})
	}
	part := rapid.Custom(func(t *rapid.T) discover.Part {
		p := discover.Part{From: word.Draw(t, "from")}
		for range rapid.IntRange(1, 4).Draw(t, "targets") {
			address := netip.AddrFrom4([4]byte{10, rapid.Byte().Draw(t, "b"), rapid.Byte().Draw(t, "c"), rapid.Byte().Draw(t, "d")})
			if rapid.Bool().Draw(t, "six") {
				address = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: rapid.Byte().Draw(t, "last")})
			}
			p.Found = append(p.Found, config.Found{
				Address: address, Port: rapid.Uint16().Draw(t, "port"), Site: word.Draw(t, "site"), Weight: rapid.IntRange(0, maxWeight).Draw(t, "weight"),
			})
		}
		return p
	})
	source := rapid.Custom(func(t *rapid.T) discover.Standing {
		return discover.Standing{
			Key:   discover.Key{Scope: word.Draw(t, "block"), Zone: word.Draw(t, "zone"), Pool: word.Draw(t, "pool"), Source: word.Draw(t, "source")},
			Known: discover.Known{Good: maybe.Draw(t, "good"), Parts: rapid.SliceOfN(part, 1, 3).Draw(t, "parts")},
		}
	})
	return rapid.Custom(func(t *rapid.T) State {
		s := State{Health: health.Snapshot{Taken: instant.Draw(t, "taken")}}
		for range rapid.IntRange(0, 4).Draw(t, "overrides") {
			s.Admin = append(s.Admin, standing.Draw(t, "standing"))
		}
		for range rapid.IntRange(0, 4).Draw(t, "checks") {
			s.Health.Checks = append(s.Health.Checks, known(s.Health.Taken).Draw(t, "check"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "sources") {
			s.Sources = append(s.Sources, source.Draw(t, "source"))
		}
		if latches := rapid.MapOfN(word, rapid.IntRange(1, 9), 0, 3).Draw(t, "latches"); len(latches) > 0 {
			s.Health.Latches = latches
		}
		return s
	})
}

// server is an engine and an admin layer to keep.
type server struct {
	engine *health.Engine
	admin  *health.Admin
	lists  *discover.Lists
	lease  *health.Lease
}

func newServer(tb testing.TB) *server {
	s := &server{engine: health.NewEngine(health.Options{}), admin: health.NewAdmin(health.RealClock{}), lists: &discover.Lists{}}
	s.lease = s.engine.Lease(nil)
	tb.Cleanup(s.lease.Release)
	return s
}

// check asks for a check that is not started.
func (s *server) check(tb testing.TB) *health.Check {
	tb.Helper()
	p := config.DefaultProbe("web", config.ProbeTCP, "")
	p.Port = 80
	prober, err := probe.New(p)
	if err != nil {
		tb.Fatalf("Expected a prober, got: %v", err)
	}
	return s.lease.Check(health.Spec{Probe: p, Prober: prober, Target: probe.Target{Name: "a.example", Port: 80}, User: "www.example.org."})
}

// open keeps the file for the server; the test closes it at its end.
func (s *server) open(tb testing.TB, file string, o Options) *Keeper {
	tb.Helper()
	o.Engine, o.Admin, o.Lists = s.engine, s.admin, s.lists
	k, err := Open(file, o)
	if err != nil {
		tb.Fatalf("Expected the file to be opened, got: %v", err)
	}
	return k
}

// equal compares two values.
func equal[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("Expected %s %v, got %v", what, want, got)
	}
}
