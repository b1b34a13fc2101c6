package route

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// manualClock is a clock that stands still; the test ends attempts by hand.
type manualClock struct {
	mu    sync.Mutex
	due   []func() // guarded by mu
	fixed time.Time
}

func (c *manualClock) Now() time.Time { return c.fixed }

func (c *manualClock) AfterFunc(_ time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = append(c.due, f)
	return func() bool { return true }
}

// fire starts every attempt that is scheduled.
func (c *manualClock) fire() {
	c.mu.Lock()
	due := c.due
	c.due = nil
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// TestSettle waits for a rebuild that another goroutine makes, as whoever asks whether a start is ready must: the check whose change is being
// taken in has ended its first attempt already.
func TestSettle(t *testing.T) {
	l := newLive(t, 3)
	if !l.table.Settled() || !l.table.Settle(t.Context()) {
		t.Error("Expected a table without changes to be settled, it is not")
	}
	l.table.mu.Lock()
	l.table.rebuilding = true // somebody else is at it
	l.table.mu.Unlock()
	if l.table.Settled() {
		t.Error("Expected a table that is being rebuilt not to be settled, it is")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if l.table.Settle(ended) {
		t.Error("Expected no wait beyond the context, got one")
	}
	settled := make(chan bool)
	go func() { settled <- l.table.Settle(t.Context()) }()
	l.table.mu.Lock()
	l.table.rebuilding = false
	l.table.mark(l.table.groups[0])
	l.table.work()
	l.table.mu.Unlock()
	if !<-settled {
		t.Error("Expected the wait to end with the rebuild, got otherwise")
	}
}

// live is a table whose attempts end as the test says, and that counts the last resorts.
type live struct {
	quiet
	clock   *manualClock
	table   *Table
	outcome func(*health.Check) probe.Outcome
	changes []string
}

func (l *live) LastResort(g *Group, qtype uint16, on bool) {
	l.changes = append(l.changes, fmt.Sprintf("%s %s %v", g.Name, dns.Type(qtype), on))
}

func newLive(tb testing.TB, records int) *live {
	tb.Helper()
	var b strings.Builder
	b.WriteString("healthroute {\nprobe p tcp {\nport 80\nfall 1\nrise 1\n}\ngroup www weighted {\nprobe p\n")
	for i := range records {
		fmt.Fprintf(&b, "record 10.%d.%d.%d\n", i>>16, i>>8&255, i&255)
	}
	b.WriteString("}\n}\n")
	stanzas, problems := corefile.ParseText("Corefile", b.String(), corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		tb.Fatalf("Expected a good stanza, got: %v", errs)
	}
	probers, err := Probers(stanzas[0])
	if err != nil {
		tb.Fatalf("Expected probers, got: %v", err)
	}
	l := &live{clock: &manualClock{fixed: time.Unix(0, 0)}}
	l.table = NewTable(l, nil)
	engine := health.NewEngine(health.Options{Clock: l.clock, Exact: true,
		Runner: func(_ context.Context, c *health.Check, done func(probe.Result)) {
			done(probe.Result{Outcome: l.outcome(c)})
		}})
	lease := engine.Lease(l.table.Changed)
	if err := l.table.Compile(stanzas, probers, lease); err != nil {
		tb.Fatalf("Expected the stanza to compile, got: %v", err)
	}
	lease.Start()
	tb.Cleanup(lease.Release)
	return l
}

func (l *live) usable() int {
	n := 0
	for _, c := range l.table.Groups()[0].View().Set(dns.TypeA).Candidates {
		if c.Standing == Usable {
			n++
		}
	}
	return n
}

// TestVerdictReachesViewAtOnce finds the new view in place when the attempt that changed it has ended.
func TestVerdictReachesViewAtOnce(t *testing.T) {
	l := newLive(t, 3)
	down := map[string]bool{"10.0.0.1:80": true}
	l.outcome = func(c *health.Check) probe.Outcome {
		if down[c.TargetString()] {
			return probe.Fail
		}
		return probe.Pass
	}
	l.clock.fire()
	if got := l.usable(); got != 2 {
		t.Errorf("Expected 2 usable records after the first attempts, got %d", got)
	}
	down["10.0.0.0:80"], down["10.0.0.2:80"] = true, true
	l.clock.fire()
	if got := l.usable(); got != 0 {
		t.Errorf("Expected no usable record, got %d", got)
	}
	clear(down)
	l.clock.fire()
	if got := l.usable(); got != 3 {
		t.Errorf("Expected 3 usable records again, got %d", got)
	}
	if got, want := fmt.Sprint(l.changes), "[www.example.org. A true www.example.org. A false]"; got != want {
		t.Errorf("Expected the last resort to be told once each way %s, got %s", want, got)
	}
}

// TestConcurrentChanges loses none: after all checks have changed at once, the view shows them all.
func TestConcurrentChanges(t *testing.T) {
	const records = 200
	l := newLive(t, records)
	outcome := probe.Fail
	l.outcome = func(*health.Check) probe.Outcome { return outcome }
	for range 5 {
		l.clock.mu.Lock()
		due := l.clock.due
		l.clock.due = nil
		l.clock.mu.Unlock()
		var wg sync.WaitGroup
		for _, f := range due {
			wg.Go(f)
		}
		wg.Wait()
		want := records
		if outcome == probe.Fail {
			want = 0
		}
		if got := l.usable(); got != want {
			t.Fatalf("Expected %d usable records, got %d", want, got)
		}
		outcome = probe.Pass - outcome + probe.Fail
	}
}
