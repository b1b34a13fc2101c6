package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// s makes a time of seconds.
func s(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
}

// trafficManager is E1's probe of spec 5.1.
func trafficManager(p *config.Probe) {
	p.Interval, p.Timeout = s(30), s(10)
	p.Fall, p.Rise, p.Initial = tm.Fall, tm.Rise, tm.Initial
}

// forever is later than any time of a test.
const forever = 24 * time.Hour

// TestTimelines are those of spec, section 5, as far as they are one check's. Times are exact to the hundredth.
func TestTimelines(t *testing.T) {
	for _, tc := range []struct {
		name    string
		probe   func(*config.Probe)
		world   world
		until   time.Duration
		starts  []string
		changes []string
	}{
		{
			name: "5.1 E1", probe: trafficManager, world: hangs(s(45), s(195), s(10)), until: s(240.05),
			starts: []string{"0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00", "210.00", "240.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"160.00 unhealthy after 4, was healthy for 159.95",
				"210.05 healthy after 1, was unhealthy for 50.05",
			},
		},
		{
			name: "V-1 the attempt at 120 passes", probe: trafficManager, until: s(260),
			world: func(at time.Duration) (probe.Outcome, time.Duration) {
				if at == s(120) {
					return probe.Pass, answer
				}
				return hangs(s(45), forever, s(10))(at)
			},
			starts: []string{"0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00", "210.00", "240.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"250.00 unhealthy after 4, was healthy for 249.95",
			},
		},
		{
			name:  "V-2 none tolerated",
			probe: func(p *config.Probe) { trafficManager(p); p.Fall = 1 },
			world: hangs(s(45), s(195), s(10)), until: s(240),
			starts: []string{"0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00", "210.00", "240.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"70.00 unhealthy after 1, was healthy for 69.95",
				"210.05 healthy after 1, was unhealthy for 140.05",
			},
		},
		{
			name: "V-3 a wrong status at once", probe: trafficManager, world: hangs(s(45), s(195), answer), until: s(200),
			starts: []string{"0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"150.05 unhealthy after 4, was healthy for 150.00",
			},
		},
		{
			name: "V-4 interval 10, timeout 5, none tolerated", probe: fastFailover,
			world: hangs(s(45), forever, s(5)), until: s(60),
			starts: []string{"0.00", "10.00", "20.00", "30.00", "40.00", "50.00", "60.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"55.00 unhealthy after 1, was healthy for 54.95",
			},
		},
		{
			name: "5.2 Route 53",
			probe: func(p *config.Probe) {
				p.Interval, p.FromEnd, p.Timeout = s(30), true, s(4)
				p.Fall, p.Rise, p.Initial = route53.Fall, route53.Rise, route53.Initial
			},
			world: hangs(s(45), s(150), s(4)), until: s(230),
			starts: []string{"0.00", "30.05", "60.10", "94.10", "128.10", "162.10", "192.15", "222.20"},
			changes: []string{ // two passes are no verdict of three; until then it is included
				"132.10 unhealthy after 3, was checking for 132.10",
				"222.25 healthy after 3, was unhealthy for 90.15",
			},
		},
		{
			name: "5.3 NLB",
			probe: func(p *config.Probe) {
				p.Interval, p.Timeout = s(30), s(10)
				p.Fall, p.Rise, p.Initial = nlb.Fall, nlb.Rise, nlb.Initial
			},
			world: hangs(s(45), s(115), s(10)), until: s(250),
			starts: []string{"0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00", "210.00", "240.00"},
			changes: []string{
				"0.05 healthy after 1, was checking for 0.05",
				"100.00 unhealthy after 2, was healthy for 99.95",
				"240.05 healthy after 5, was unhealthy for 140.05",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stage := newStage(tc.world)
			stage.lease(t, of(t, tcp(tc.probe), 1))
			stage.clock.to(tc.until)
			same(t, "starts", stage.starts, tc.starts...)
			same(t, "changes", stage.changes, tc.changes...)
			for i, lag := range stage.lags {
				if lag != 0 {
					t.Errorf("Expected attempt %d in time, got a lag of %v", i+1, lag)
				}
			}
		})
	}
}

// fastFailover is the probe of V-4.
func fastFailover(p *config.Probe) {
	p.Interval, p.Timeout = s(10), s(5)
	p.Fall, p.Rise, p.Initial = tmTolerate0.Fall, tmTolerate0.Rise, tmTolerate0.Initial
}

// TestTimelineStates are the columns `fails` and `E1 state` of spec 5.1, and whether E1 answers.
func TestTimelineStates(t *testing.T) {
	stage := newStage(hangs(s(45), s(195), s(10)))
	_, checks := stage.lease(t, of(t, tcp(trafficManager), 1))
	for _, row := range []struct {
		at     time.Duration
		fails  int
		status Status
		usable bool
		since  time.Duration
		next   time.Duration
	}{
		{0, 0, Checking, true, 0, 0},
		{s(0.05), 0, Healthy, true, s(0.05), s(30)},
		{s(30.05), 0, Healthy, true, s(0.05), s(60)},
		{s(60), 0, Healthy, true, s(0.05), s(60)},
		{s(70), 1, Healthy, true, s(0.05), s(90)},
		{s(100), 2, Healthy, true, s(0.05), s(120)},
		{s(130), 3, Healthy, true, s(0.05), s(150)},
		{s(159.99), 3, Healthy, true, s(0.05), s(150)},
		{s(160), 4, Unhealthy, false, s(160), s(180)},
		{s(190), 5, Unhealthy, false, s(160), s(210)},
		{s(210.04), 5, Unhealthy, false, s(160), s(210)},
		{s(210.05), 0, Healthy, true, s(210.05), s(240)},
		{s(240.05), 0, Healthy, true, s(210.05), s(270)},
	} {
		stage.clock.to(row.at)
		got := checks[0].State()
		what := " at " + seconds(row.at)
		equal(t, "fails"+what, got.Counter.Fails, row.fails)
		equal(t, "status"+what, got.Status, row.status)
		equal(t, "usable"+what, got.Usable, row.usable)
		equal(t, "usable for views"+what, checks[0].Usable(), row.usable)
		equal(t, "since"+what, seconds(got.Since.Sub(stage.clock.epoch)), seconds(row.since))
		equal(t, "next"+what, seconds(got.Next.Sub(stage.clock.epoch)), seconds(row.next))
	}
}

// TestFailoverBounds tries many times of death (spec 5.1, Derived bounds; V-4).
func TestFailoverBounds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		probe    func(*config.Probe)
		takes    time.Duration // a failure
		at, most time.Duration // from death to unhealthy: at least, and less than
	}{
		{"hanging", trafficManager, s(10), s(100), s(130)},
		{"a wrong status at once", trafficManager, answer, s(90), s(120.05)},
		{"V-4", fastFailover, s(5), s(5), s(15)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := tcp(tc.probe)
			least, most := forever, time.Duration(0)
			for death := 2 * p.Interval; death < 3*p.Interval; death += s(0.05) {
				stage := newStage(hangs(death, forever, tc.takes))
				var took time.Duration
				l := stage.engine.Lease(func(*Check) { took = stage.clock.at() - death })
				l.Check(of(t, p, 1))
				l.Start()
				stage.clock.to(death + tc.most)
				least, most = min(least, took), max(most, took)
				l.Release()
			}
			if least < tc.at || most >= tc.most {
				t.Errorf("Expected unhealthy from %v to less than %v after the death, got %v to %v", tc.at, tc.most, least, most)
			}
			if least > tc.at+s(0.05) || most < tc.most-s(0.15) {
				t.Errorf("Expected deaths near both bounds %v and %v, got %v to %v", tc.at, tc.most, least, most)
			}
		})
	}
}
