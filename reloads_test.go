package healthroute

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coredns/caddy"

	"github.com/healthroute/healthroute/plugin/health"
)

// reloading is a server whose configuration changes all the time, numbered from 1 on: odd ones have one more group, and each has another path for one
// probe than the one before. Every query tells under which configuration it was answered.
type reloading struct {
	*server
	t *testing.T

	up, down, flip, redefined, coming *target
	occupied                          string // a port on which nobody else can listen
	dir, held                         string // where no file is, and a state file that another server holds
	bulk                              string // groups that make an instance large enough for a lost one to be seen
}

func newReloading(t *testing.T) *reloading {
	r := &reloading{t: t, occupied: occupied(t), dir: t.TempDir(), up: newTarget(t, "127.0.0.1", "0", false)}
	r.down = newTarget(t, "127.0.0.2", r.up.port, true)
	r.flip = newTarget(t, "127.0.0.3", r.up.port, false)
	r.redefined = newTarget(t, "127.0.0.4", r.up.port, true)
	r.coming = newTarget(t, "127.0.0.5", r.up.port, false)
	r.held = heldState(t, r.dir)
	var bulk strings.Builder
	for i := range 300 {
		fmt.Fprintln(&bulk, groupOf("weighted", fmt.Sprintf("bulk%d", i), "", "192.0.2.1", "192.0.2.2", "192.0.2.3"))
	}
	r.bulk = bulk.String()
	r.server = start(t, r.corefile(1))
	return r
}

// corefile is the configuration of a number.
func (r *reloading) corefile(n int) string {
	return r.with(fmt.Sprint(n), n, "")
}

// with is a configuration that says it is called so.
func (r *reloading) with(name string, n int, more string) string {
	probe := func(name, options string) string {
		return "probe " + name + " http {\nport " + r.up.port + "\ninterval 1s\ntimeout 900ms\n" + options + "\n}"
	}
	extra := ""
	if n%2 == 1 {
		extra = groupOf("simple", "coming", "probe web", r.coming.address)
	}
	return listening("example.org", stanza(more, "nameserver ns1 192.0.2.53", probe("web", ""), probe("redefined", fmt.Sprintf("path /%d", n%2)), extra,
		"group marker simple {\nrecord TXT "+name+" id number\n}",
		groupOf("multivalue", "steady", "probe web", r.up.address, r.down.address),
		groupOf("failover", "flip", "probe web", r.flip.address, "192.0.2.9 probe none"),
		groupOf("failover", "redefined", "probe redefined", r.redefined.address, "192.0.2.9 probe none"),
		r.bulk))
}

// ways are how a start can fail, each with a configuration that differs in everything else too. Late says that our part of it starts.
func (r *reloading) ways(n int) []struct {
	name, corefile string
	late           bool
} {
	other := func(more string) string { return r.with("refused", n, more) }
	return []struct {
		name, corefile string
		late           bool
	}{
		{"the Corefile's syntax", other("") + "example.net {\n", false},
		{"our configuration", strings.Replace(other(""), "multivalue", "nonsense", 1), false},
		{"another plugin's setup", strings.Replace(other(""), "healthroute", "broken setup\nhealthroute", 1), false},
		{"another plugin's start, after ours", strings.Replace(other(r.hostile()), "healthroute", "broken start\nhealthroute", 1), true},
		{"an address in use", other(r.hostile()) + "example.net:" + r.occupied + " {\nbind 127.0.0.1\nwhoami\n}\n", true},
		{"our own setup, of a file that is missing", other("geoip " + filepath.Join(r.dir, "missing.mmdb")), false},
		{"our own start, of a state file that another server holds", other("state " + r.held), false},
	}
}

// hostile is what is about the whole process, and must not be while the start can fail: a canary that fails, and one attempt at a time.
func (r *reloading) hostile() string {
	return "max_attempts 1\ncanary gateway\nprobe gateway tcp {\ntarget 127.0.0.9\nport " + closedPort(r.t, "127.0.0.9") + "\ninterval 1h\nfall 1\n}"
}

// TestReloadsUnderLoad is user report 29. A third of the reloads is broken, in each of the ways in which a start can fail. Meanwhile clients ask by UDP and TCP,
// and one target turns again and again: no query goes unanswered, none is answered wrongly, no target sees an attempt too many, runs of failures and
// passes go on, counters never go back, and in the end there is no more of anything than after the first reloads.
//
// The server runs in this process: so the race detector and the counts of goroutines, descriptors and bytes see all of it.
func TestReloadsUnderLoad(t *testing.T) {
	r := newReloading(t)
	n := 1
	for _, way := range r.ways(2) { // everything that is made once is made
		if err := r.reload(way.corefile); err == nil {
			t.Fatalf("Expected %s to refuse the reload, got no error", way.name)
		}
	}
	for range 2 {
		n++
		r.mustReload(r.corefile(n))
	}
	goroutines, files, bytes := runtime.NumGoroutine(), openFiles(t), heap()
	metrics := scrape(t)
	began := time.Now()
	attempted := r.counts()
	check := checkOf(t, r.flip.address)

	load := newReloadLoad(t, r, n)
	settle := r.flipping(check)
	broken, adds, redefined := 0, 0, 0
	left := -1 // attempts at what is not configured, when that began
	quick := []*target{r.up, r.down, r.flip, r.redefined}
	for i := range manyReloads {
		if left >= 0 {
			r.expectCount(r.coming, left)
		}
		if i%3 == 2 {
			ways := r.ways(n + 1)
			way := ways[broken%len(ways)]
			broken++
			if err := r.reload(way.corefile); err == nil {
				t.Fatalf("Expected %s to refuse the reload, got no error", way.name)
			}
			if way.late {
				adds++
				redefined++
			}
		} else {
			n++
			load.coming.Store(int64(n))
			r.mustReload(r.corefile(n))
			load.holds.Store(int64(n))
			adds++
			redefined++
		}
		if left = -1; n%2 == 0 {
			left = r.coming.count()
		}
		if got := checkOf(t, r.flip.address); got != check {
			t.Fatalf("Expected the check of %s to be the same one, got another", r.flip.address)
		}
		if len(running.all()) != 1 || engine.Frozen() {
			t.Fatalf("Expected one instance, and verdicts that move, got %d and %v", len(running.all()), engine.Frozen())
		}
		metrics = expectForwards(t, metrics, scrape(t))
		quick[i%len(quick)].await() // so that the reloads spread over many intervals
	}
	turns := settle()
	load.end()
	if turns == 0 {
		t.Error("Expected a target that turned, got none")
	}

	// An attempt comes 5 % early at the most; what begins makes one at once and the next one at any time.
	most := int(time.Since(began).Seconds()/0.95) + 2
	ended := r.counts()
	for i, slack := range []int{0, 0, 0, 2 * redefined, 2 * adds} {
		if got := ended[i] - attempted[i]; got > most+slack {
			t.Errorf("Expected at most %d attempts at target %d, got %d", most+slack, i, got)
		}
	}
	if n%2 == 1 {
		r.mustReload(r.corefile(n + 1))
	}
	r.mustReload(r.corefile(3))
	expectChecks(t, 5)
	eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "no more open files than before", func() bool { runtime.GC(); return openFiles(t) <= files })
	eventually(t, "no more memory than before", func() bool { return heap() < bytes+2<<20 })
	if got := len(caddy.Instances()); got != 1 {
		t.Errorf("Expected one instance of caddy, got %d", got)
	}
}

// counts are the attempts so far.
func (r *reloading) counts() (all []int) {
	for _, g := range []*target{r.up, r.down, r.flip, r.redefined, r.coming} {
		all = append(all, g.count())
	}
	return all
}

func (r *reloading) expectCount(g *target, want int) {
	r.t.Helper()
	if got := g.count(); got != want {
		r.t.Errorf("Expected no attempt at %s, which no configuration names, got %d", g.address, got-want)
	}
}

// await waits for the next attempt.
func (g *target) await() {
	g.t.Helper()
	select {
	case <-g.came:
	case <-time.After(patience):
		g.t.Fatalf("Expected an attempt at %s within %s, got none", g.address, patience)
	}
}

// heap is how many bytes are in use.
func heap() int {
	runtime.GC()
	runtime.GC() // what finalizers let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("Expected a list of open files, got: %v", err)
	}
	return len(files)
}

// expectForwards holds counters against what they were: none is less, and none is gone but those of what a reload took out.
func expectForwards(t *testing.T, before, after map[string]float64) map[string]float64 {
	t.Helper()
	for name, was := range before {
		if !strings.Contains(name, "_total{") && !strings.Contains(name, "_duration_seconds{") && !strings.Contains(name, "_lag_seconds{") {
			continue
		}
		if is, there := after[name]; is < was && (there || !strings.Contains(name, "coming.") && !strings.Contains(name, "127.0.0.5") && !strings.Contains(name, "gateway")) {
			t.Errorf("Expected %s to be at least %v, got %v (there: %v)", name, was, is, there)
		}
	}
	return after
}

// flipping turns a target again and again and asks until the answer follows: after as many attempts as the probe says, whatever reloads come between. What it
// returns ends that, and says how often the answer has followed.
func (r *reloading) flipping(check *health.Check) (end func() int) {
	stop, turns, done := make(chan struct{}), 0, make(chan struct{})
	end = sync.OnceValue(func() int {
		close(stop)
		<-done
		return turns
	})
	r.t.Cleanup(func() { end() })
	address := r.address("udp")
	go func() {
		defer close(done)
		for failing := true; ; failing = !failing {
			needed, from, to := check.Probe().Fall, r.flip.address, "192.0.2.9"
			if !failing {
				needed, from, to = check.Probe().Rise, to, from
			}
			r.flip.turn(failing)
			for answered := from; answered != to; {
				select {
				case <-stop:
					return
				default:
				}
				had := r.flip.since() - 1 // the next attempt begins when everybody knows of the end of the one before
				answered = askOnce("udp", address, "flip.example.org.", "A")
				switch have := r.flip.since(); {
				case answered != from && answered != to:
					r.t.Errorf("Expected %s or %s, got %s", from, to, answered)
					return
				case answered == from && had >= needed:
					r.t.Errorf("Expected %s after %d attempts, got %s after %d", to, needed, from, had)
					return
				case answered == to && have < needed:
					r.t.Errorf("Expected %s until %d attempts, got %s after %d", from, needed, to, have)
					return
				}
			}
			turns++
		}
	}()
	return end
}
