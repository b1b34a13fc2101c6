package route

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// meeting is an engine whose attempts end at once. Tables come to it and go, as in reloads.
type meeting struct {
	tb     testing.TB
	engine *health.Engine
	down   sync.Map // addresses of targets that fail
	starts atomic.Int64
}

func newMeeting(tb testing.TB) *meeting {
	m := &meeting{tb: tb}
	m.engine = health.NewEngine(health.Options{Exact: true, Runner: func(_ context.Context, c *health.Check, done func(probe.Result)) {
		m.starts.Add(1)
		outcome := probe.Pass
		if _, down := m.down.Load(c.Target().Address.String()); down {
			outcome = probe.Fail
		}
		done(probe.Result{Outcome: outcome})
	}})
	return m
}

// filtering is a table with filters, and what it was told.
type filtering struct {
	quiet
	table  *Table
	lease  *health.Lease
	full   atomic.Int64
	forgot atomic.Int64
}

func (f *filtering) FilterFull(*Filter) { f.full.Add(1) }

func (f *filtering) FilterForgot(_ *Filter, checks []*health.Check) { f.forgot.Add(int64(len(checks))) }

// table compiles the stanza body, takes over what the tables before it know, and begins.
func (m *meeting) table(body string, before ...*filtering) *filtering {
	m.tb.Helper()
	stanzas, problems := corefile.ParseText("Corefile", "healthroute {\nprobe p tcp {\nport 80\ninterval 10s\n}\n"+body+"\n}",
		corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		m.tb.Fatalf("Expected a good stanza, got: %v", errs)
	}
	probers, err := Probers(stanzas[0])
	if err != nil {
		m.tb.Fatal(err)
	}
	f := &filtering{}
	f.table = NewTable(f, nil)
	f.lease = m.engine.Lease(f.table.Changed)
	if err := f.table.Compile(stanzas, probers, f.lease); err != nil {
		m.tb.Fatal(err)
	}
	for _, b := range before {
		f.table.Inherit(b.table)
	}
	f.table.Begin()
	return f
}

// meet meets addresses as an answer would, and returns the usable ones.
func (f *filtering) meet(addresses ...string) []string {
	filter := f.table.Filters()[0]
	var usable []string
	for _, a := range addresses {
		if ok, _ := filter.Meet(netip.MustParseAddr(a), time.Now()); ok {
			usable = append(usable, a)
		}
	}
	return usable
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("Expected %s to be %v, got %v", what, want, got)
	}
}

// TestFirstMeeting is T-303: a new address passes, one attempt starts, and what it shows counts from then on.
func TestFirstMeeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		m.down.Store("192.0.2.1", true)
		f := m.table("filter www {\nprobe p\n}")
		defer f.lease.Release()
		equal(t, "usable addresses at first", len(f.meet("192.0.2.1", "192.0.2.2")), 2)
		synctest.Wait()
		equal(t, "attempts", m.starts.Load(), 2)
		equal(t, "usable addresses", fmt.Sprint(f.meet("192.0.2.1", "192.0.2.2")), "[192.0.2.2]")
		time.Sleep(25 * time.Second)
		synctest.Wait()
		equal(t, "attempts", m.starts.Load(), 6)
		equal(t, "known addresses", f.table.Filters()[0].Known(), 2)
		equal(t, "the check of an unknown address", f.table.Filters()[0].Check(netip.MustParseAddr("192.0.2.3")), nil)
		equal(t, "the target", f.table.Filters()[0].Check(netip.MustParseAddr("192.0.2.1")).TargetString(), "192.0.2.1:80")
	})
}

// TestNoHost passes unchecked what cannot be a host's address.
func TestNoHost(t *testing.T) {
	m := newMeeting(t)
	f := m.table("filter www {\nprobe p\n}")
	defer f.lease.Release()
	all := []string{"0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "255.255.255.255", "ff02::1", "::192.0.2.1", "::ffff:192.0.2.1"}
	for _, a := range append(all, "") {
		address, _ := netip.ParseAddr(a)
		if usable, checked := f.table.Filters()[0].Meet(address, time.Now()); !usable || !checked {
			t.Errorf("Expected %q to pass and not to count, got %v, %v", a, usable, checked)
		}
	}
	equal(t, "known addresses", f.table.Filters()[0].Known(), 0)
	equal(t, "checks", m.engine.Checks(), 0)
}

// TestLimit: what comes beyond it passes unchecked, until somebody has been idle. The log hears of it once.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		f := m.table("filter www {\nprobe p\nlimit 2\nidle 10m\n}")
		defer f.lease.Release()
		filter := f.table.Filters()[0]
		late := netip.MustParseAddr("192.0.2.3")
		m.down.Store(late.String(), true)
		f.meet("192.0.2.1", "192.0.2.2")
		for range 3 {
			if usable, checked := filter.Meet(late, time.Now()); !usable || checked {
				t.Errorf("Expected the third address to pass unchecked, got %v, %v", usable, checked)
			}
		}
		synctest.Wait()
		equal(t, "checks", m.engine.Checks(), 2)
		equal(t, "words about it", f.full.Load(), 1)
		time.Sleep(10*time.Minute - time.Second)
		f.meet("192.0.2.1")
		time.Sleep(time.Second)
		synctest.Wait()
		equal(t, "known addresses", filter.Known(), 1)
		equal(t, "forgotten", f.forgot.Load(), 1)
		if _, checked := filter.Meet(late, time.Now()); !checked {
			t.Error("Expected room for another address, got none")
		}
		synctest.Wait()
		equal(t, "usable addresses", fmt.Sprint(f.meet("192.0.2.1", late.String())), "[192.0.2.1]")
		equal(t, "words about it", f.full.Load(), 1)
	})
}

// TestIdle: an address is forgotten when it has not been met for the idle time, at most a sixteenth of it later, with its check; met again it is new.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		f := m.table("filter www {\nprobe p\nidle 10m\n}")
		defer f.lease.Release()
		for i := range 60 { // 60 addresses in a minute, then each a last time, a second apart
			f.meet(fmt.Sprintf("192.0.2.%d", i+1))
			time.Sleep(time.Second)
		}
		for i := range 60 {
			f.meet(fmt.Sprintf("192.0.2.%d", i+1))
			time.Sleep(time.Second)
		}
		synctest.Wait()
		for s := 61; s < 700; s++ { // seconds since the first was met last
			known := f.table.Filters()[0].Known()
			must, may := max(0, min(60, 660-s)), max(0, min(60, 660+38-s))
			if known < must || known > may {
				t.Fatalf("Expected %d to %d known addresses after %d s, got %d", must, may, s, known)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		equal(t, "checks at the end", m.engine.Checks(), 0)
		equal(t, "forgotten", f.forgot.Load(), 60)
		before := m.starts.Load()
		f.meet("192.0.2.1")
		synctest.Wait()
		equal(t, "attempts at one met again", m.starts.Load()-before, 1)
	})
}

// TestInherit: a reload adopts what is known, with no attempt more, also what the old table has met since; the newest first where the new limit is
// smaller.
func TestInherit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		m.down.Store("192.0.2.1", true)
		old := m.table("filter www *.www other {\nprobe p\n}")
		old.meet("192.0.2.1", "192.0.2.2")
		synctest.Wait()
		time.Sleep(time.Second)
		now := m.table("filter mail *.www {\nprobe p\nlimit 3\nidle 1m\n}\nfilter other {\nprobe p\n}", old)
		old.meet("192.0.2.3", "192.0.2.4")
		synctest.Wait()
		now.table.Inherit(old.table)
		old.lease.Release()
		synctest.Wait()
		filter := now.table.Filters()[0]
		equal(t, "known addresses", filter.Known(), 3)
		equal(t, "known addresses of the other filter", now.table.Filters()[1].Known(), 4)
		equal(t, "attempts", m.starts.Load(), 4)
		equal(t, "usable addresses", fmt.Sprint(now.meet("192.0.2.1", "192.0.2.2")), "[192.0.2.2]")
		time.Sleep(59 * time.Second)
		synctest.Wait()
		equal(t, "known addresses after the idle time of those that were met before", filter.Known(), 3)
		time.Sleep(time.Second)
		synctest.Wait()
		equal(t, "known addresses after all have been idle", filter.Known(), 0)
		now.lease.Release()
		equal(t, "checks at the end", m.engine.Checks(), 0)
	})
}

// TestInheritNewest takes over what was met last if there is no room for all.
func TestInheritNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		old := m.table("filter www {\nprobe p\n}")
		for i := range 9 {
			old.meet(fmt.Sprintf("192.0.2.%d", i+1))
			time.Sleep(time.Second)
		}
		now := m.table("filter www {\nprobe p\nlimit 2\n}", old)
		old.lease.Release()
		defer now.lease.Release()
		for i, want := range []bool{6: false, 7: true, 8: true} {
			got := now.table.Filters()[0].Check(netip.MustParseAddr(fmt.Sprintf("192.0.2.%d", i+1)))
			equal(t, fmt.Sprintf("whether number %d is known", i+1), got != nil, want)
		}
		synctest.Wait()
		equal(t, "checks", m.engine.Checks(), 2)
	})
}

// TestChangedProbe: an address keeps its verdict over a reload that changes how it is tested, until the new test has earned another.
func TestChangedProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		m.down.Store("192.0.2.1", true)
		old := m.table("probe q tcp {\nport 81\n}\nfilter www {\nprobe q\n}")
		old.meet("192.0.2.1", "192.0.2.2")
		synctest.Wait()
		m.down.Delete("192.0.2.1")
		now := m.table("probe q tcp {\nport 81\nrise 3\n}\nfilter www {\nprobe q\n}", old)
		defer now.lease.Release()
		old.lease.Release()
		synctest.Wait()
		equal(t, "usable addresses after the first attempt", fmt.Sprint(now.meet("192.0.2.1", "192.0.2.2")), "[192.0.2.2]")
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "usable addresses after the third", len(now.meet("192.0.2.1", "192.0.2.2")), 2)
	})
}

// TestSharedCheck: records, pools and filters share equal checks, and each gives back only its own use. What an operator took out is attempted as
// long as a filter wants it.
func TestSharedCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeeting(t)
		f := m.table("group www weighted {\nprobe p\nrecord 192.0.2.1\nrecord 192.0.2.2 disabled\n}\nfilter a {\nprobe p\nidle 1m\n}\nfilter b {\nprobe p\nidle 2m\n}")
		defer f.lease.Release()
		synctest.Wait()
		equal(t, "attempts", m.starts.Load(), 1)
		now := time.Now()
		for _, filter := range f.table.Filters() {
			for _, a := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"} {
				filter.Meet(netip.MustParseAddr(a), now)
			}
		}
		synctest.Wait()
		equal(t, "checks", m.engine.Checks(), 3)
		equal(t, "attempts", m.starts.Load(), 3)
		for i, only := range []bool{false, false, true} {
			c := f.table.Filters()[0].Check(netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}))
			equal(t, "whether only filters use "+c.String(), f.table.OnlyMet(c), only)
		}
		time.Sleep(115 * time.Second)
		synctest.Wait()
		equal(t, "checks while one filter knows", m.engine.Checks(), 3)
		equal(t, "attempts while one filter knows", m.starts.Load(), 3*12)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		equal(t, "checks that records hold", m.engine.Checks(), 2)
		before := m.starts.Load()
		time.Sleep(100 * time.Second)
		synctest.Wait()
		equal(t, "attempts that a record wants", m.starts.Load()-before, 10)
	})
}

// TestFilterOf is whose filter a name has: its own, else the nearest one above, within the stanza of its zone.
func TestFilterOf(t *testing.T) {
	stanzas := []string{
		"healthroute example.org sub.example.org {\nprobe p tcp {\nport 80\n}\nfilter www.example.org. *.apps.example.org. {\nprobe p\n}\n" +
			"filter *.deep.apps.example.org. {\nprobe p\n}\nfilter *.sub.example.org. {\nprobe p\n}\n}",
		"healthroute inner.example.org {\nprobe p tcp {\nport 80\n}\nfilter a {\nprobe p\n}\n}",
		"healthroute example.net {\nprobe p tcp {\nport 80\n}\nfilter {\nprobe p\n}\n}",
		"healthroute . {\nprobe p tcp {\nport 80\n}\nfilter *.com. {\nprobe p\n}\n}",
	}
	table := NewTable(quiet{}, nil)
	lease := health.NewEngine(health.Options{}).Lease(nil)
	defer lease.Release()
	parsed, problems := corefile.ParseText("Corefile", strings.Join(stanzas, "\n"), corefile.Env{})
	if errs := problems.Errors(); errs != nil {
		t.Fatal(errs)
	}
	if err := table.Compile(parsed, nil, lease); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"www.example.org.": 0, "x.www.example.org.": -1, "apps.example.org.": -1, "a.apps.example.org.": 0, "a.b.c.apps.example.org.": 0, "*.apps.example.org.": 0,
		"deep.apps.example.org.": 0, "a.deep.apps.example.org.": 1, "example.org.": -1, "sub.example.org.": -1, "a.sub.example.org.": 2,
		"a.inner.example.org.": 3, "inner.example.org.": -1, "b.inner.example.org.": -1,
		"example.net.": 4, "a.b.example.net.": 4, "example.edu.": -1, "example.com.": 5, "a.b.example.com.": 5, "com.": -1, ".": -1,
		`a\.apps.example.org.`: -1, `x\.y.apps.example.org.`: 0,
	} {
		got := slices.Index(table.Filters(), table.FilterOf(name))
		if got != want {
			t.Errorf("Expected filter number %d for %s, got %d", want, name, got)
		}
	}
}

// TestComingAndGoing is a hundred goroutines that meet five times as many addresses as the limit allows, while the idle ones go and a reload comes and
// goes: never are more known than may be, and in the end nothing is left.
func TestComingAndGoing(t *testing.T) {
	const limit = 50
	m := newMeeting(t)
	f := m.table(fmt.Sprintf("filter www {\nprobe p\nlimit %d\nidle 1s\n}", limit))
	filter := f.table.Filters()[0]
	filter.Config.Idle = time.Millisecond
	var goers sync.WaitGroup
	var over atomic.Int64
	for g := range 100 {
		goers.Go(func() {
			for i := range 300 {
				n := byte((g*7 + i*13) % (5 * limit))
				filter.Meet(netip.AddrFrom4([4]byte{10, 0, 0, n}), time.Now())
				if i%10 == 0 && filter.Known() > limit {
					over.Add(1)
				}
			}
		})
	}
	for range 5 {
		other := m.table(fmt.Sprintf("filter www {\nprobe p\nlimit %d\n}", limit), f)
		other.table.Inherit(f.table)
		other.lease.Release()
	}
	goers.Wait()
	equal(t, "how often too many were known", over.Load(), 0)
	for deadline := time.Now().Add(20 * time.Second); filter.Known() > 0 || m.engine.Checks() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("Expected all addresses to be forgotten, got %d with %d checks", filter.Known(), m.engine.Checks())
		}
	}
	f.lease.Release()
	equal(t, "what was counted as shared", len(f.table.refs), 0)
}
