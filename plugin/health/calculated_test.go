package health

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// needs changes a calculated probe's number of children.
func needs(n int, percent bool) func(*config.Probe) {
	return func(p *config.Probe) { p.Children.Healthy, p.Children.Percent = n, percent }
}

var all = needs(100, true)

// calculatedOf asks for a check that counts the groups of children.
func calculatedOf(tb testing.TB, change func(*config.Probe), children ...[]*Check) Spec {
	tb.Helper()
	p := config.DefaultProbe("sum", config.ProbeCalculated, "")
	change(p)
	prober, err := probe.New(p)
	if err != nil {
		tb.Fatalf("Expected a prober, got: %v", err)
	}
	return Spec{Probe: p, Prober: prober, Children: children, User: "example.org."}
}

// TestCalculated is H-32 to H-36, and what follows from spec 2.7: an inverted child, one that has no verdict yet, a record with two
// checks and one with none.
func TestCalculated(t *testing.T) {
	inverted := func(p *config.Probe) { p.Invert = true }
	disabled := func(p *config.Probe) { p.Assume = config.AssumeHealthy }
	for _, tc := range []struct {
		name     string
		change   func(*config.Probe)
		children string // H, U, N (new), h (disabled), u (disabled and inverted), b (a record with H and U), e (one without checks), S stopped
		want     Status
	}{
		{"H-32 2 of 3", needs(2, false), "HHU", Healthy},
		{"H-32 1 of 3", needs(2, false), "HUU", Unhealthy},
		{"H-33 0 of 3", needs(0, false), "UUU", Healthy},
		{"H-34 4 of 3", needs(4, false), "HHH", Unhealthy},
		{"H-35 all, one disabled", all, "Hh", Healthy},
		{"H-36 all, one disabled and inverted", all, "Hu", Unhealthy},
		{"half of 3, rounded up", needs(50, true), "HUU", Unhealthy},
		{"half of 3", needs(50, true), "HHU", Healthy},
		{"new ones count as they are used", all, "HN", Healthy},
		{"a record with one usable check", all, "b", Healthy},
		{"a record that nobody looks at", all, "e", Healthy},
		{"a stopped one", all, "HS", Unhealthy},
		{"inverted", func(p *config.Probe) { all(p); p.Invert = true }, "HH", Unhealthy},
		{"assumed", func(p *config.Probe) { all(p); p.Assume = config.AssumeHealthy }, "UU", Healthy},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stage := newStage(always(probe.Pass, answer))
			l := stage.engine.Lease(nil)
			t.Cleanup(l.Release)
			n := 0
			child := func(change func(*config.Probe), s Status) *Check {
				n++
				c := l.Check(of(t, tcp(change), n))
				stage.engine.Force(c, s)
				return c
			}
			var children [][]*Check
			for _, letter := range tc.children {
				switch letter {
				case 'H':
					children = append(children, []*Check{child(nil, Healthy)})
				case 'U':
					children = append(children, []*Check{child(nil, Unhealthy)})
				case 'N':
					children = append(children, []*Check{child(nil, Checking)})
				case 'S':
					children = append(children, []*Check{child(nil, Stopped)})
				case 'h':
					children = append(children, []*Check{child(disabled, Unhealthy)})
				case 'u':
					children = append(children, []*Check{child(func(p *config.Probe) { disabled(p); inverted(p) }, Unhealthy)})
				case 'b':
					children = append(children, []*Check{child(nil, Unhealthy), child(nil, Healthy)})
				case 'e':
					children = append(children, nil)
				}
			}
			c := l.Check(calculatedOf(t, tc.change, children...))
			equal(t, "status", c.State().Status, tc.want)
			equal(t, "usable", c.Usable(), tc.want == Healthy)
			equal(t, "attempted", c.Attempted(), true)
		})
	}
}

// TestCalculatedFollows tells of a change in the same instant, and over a reload.
func TestCalculatedFollows(t *testing.T) {
	stage := newStage(hangs(s(15), s(50), s(5)))
	var told []string
	note := func(c *Check) {
		told = append(told, seconds(stage.clock.at())+" "+c.String()+" "+c.State().Status.String())
	}
	first := stage.engine.Lease(note)
	child := first.Check(of(t, tcp(nil), 1))
	parent := first.Check(calculatedOf(t, all, []*Check{child}))
	first.Start()
	stage.clock.to(s(30))
	second := stage.engine.Lease(note)
	equal(t, "the child after a reload", second.Check(of(t, tcp(nil), 1)), child)
	equal(t, "the parent after a reload", second.Check(calculatedOf(t, all, []*Check{child})), parent)
	second.Start()
	first.Release()
	stage.clock.to(s(100))
	same(t, "what was told", told,
		"45.00 web@10.0.0.1:80 unhealthy", "45.00 sum@calculated unhealthy",
		"60.05 web@10.0.0.1:80 healthy", "60.05 sum@calculated healthy")
	same(t, "changes", stage.changes,
		"0.05 healthy after 1, was checking for 0.05",
		"45.00 unhealthy after 3, was healthy for 44.95",
		"45.00 unhealthy after 0, was healthy for 45.00",
		"60.05 healthy after 2, was unhealthy for 15.05",
		"60.05 healthy after 0, was unhealthy for 15.05")
	equal(t, "the reason", parent.State().Last.Reason, "1 of 1 healthy, 1 needed")

	third := stage.engine.Lease(note)
	third.Check(of(t, tcp(nil), 1))
	second.Release() // the parent stops, the child does not
	equal(t, "parents", len(child.parents), 0)
	third.Release()
	equal(t, "checks left", stage.engine.Checks(), 0)
}
