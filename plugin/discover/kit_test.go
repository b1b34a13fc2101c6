package discover

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// virtualClock is a clock that the test moves. All that is due runs on the goroutine that moves it.
type virtualClock struct {
	now    time.Time
	timers []*virtualTimer
}

type virtualTimer struct {
	at time.Time
	f  func()
}

func (c *virtualClock) Now() time.Time { return c.now }

func (c *virtualClock) AfterFunc(d time.Duration, f func()) func() bool {
	timer := &virtualTimer{c.now.Add(d), f}
	c.timers = append(c.timers, timer)
	return func() bool { return c.drop(timer) }
}

func (c *virtualClock) drop(timer *virtualTimer) bool {
	i := slices.Index(c.timers, timer)
	if i >= 0 {
		c.timers = slices.Delete(c.timers, i, i+1)
	}
	return i >= 0
}

// pass moves the clock on, and runs what is due until then, also at the very end.
func (c *virtualClock) pass(d time.Duration) {
	end := c.now.Add(d)
	for {
		var next *virtualTimer
		for _, timer := range c.timers {
			if !timer.at.After(end) && (next == nil || timer.at.Before(next.at)) {
				next = timer
			}
		}
		if next == nil {
			c.now = end
			return
		}
		c.drop(next)
		c.now = next.at
		next.f()
	}
}

// stage is a source on a virtual clock, and what it has told.
type stage struct {
	*Source
	t       *testing.T
	clock   *virtualClock
	taken   []string
	reports []string
}

// newStage returns a source that was not started. Its options need no clock.
func newStage(t *testing.T, d config.Discovery, o Options) *stage {
	t.Helper()
	s := &stage{t: t, clock: &virtualClock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if c, ok := o.Clock.(*virtualClock); ok {
		s.clock = c
	}
	o.Clock = s.clock
	o.Take = func(found []config.Found) { s.taken = append(s.taken, short(found)) }
	o.Report = func(r Report) { s.reports = append(s.reports, string(r.Fortune)+": "+r.String()) }
	s.Source = New(d, o)
	t.Cleanup(s.Stop)
	return s
}

// short writes targets in a line, as "10.0.0.1:80 10.0.0.2/a*3".
func short(found []config.Found) string {
	var words []string
	for _, f := range found {
		word := config.DefaultTargetID(f.Address, f.Port)
		if f.Site != "" {
			word += "/" + f.Site
		}
		if f.Weight != config.DefaultWeight {
			word += fmt.Sprintf("*%d", f.Weight)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// expect compares what was told since it was asked last. Each of want is a list that was taken, or, with a fortune before it, part of a report.
func (s *stage) expect(want ...string) {
	s.t.Helper()
	var lists, reports []string
	for _, w := range want {
		if strings.Contains(w, ": ") {
			reports = append(reports, w)
		} else {
			lists = append(lists, w)
		}
	}
	if !slices.Equal(s.taken, lists) {
		s.t.Errorf("Expected lists %q, got %q", lists, s.taken)
	}
	if !slices.EqualFunc(s.reports, reports, func(got, want string) bool {
		fortune, part, _ := strings.Cut(want, ": ")
		return strings.HasPrefix(got, fortune+": ") && strings.Contains(got, part)
	}) {
		s.t.Errorf("Expected reports\n%s, got\n%s", strings.Join(reports, "\n"), strings.Join(s.reports, "\n"))
	}
	s.taken, s.reports = nil, nil
}

// expectState compares the state; good is how long ago that was, negative for never.
func (s *stage) expectState(known int, fortune Fortune, good time.Duration) {
	s.t.Helper()
	got := s.State()
	age := time.Duration(-1)
	if !got.Good.IsZero() {
		age = s.clock.now.Sub(got.Good)
	}
	if got.Known != known || got.Fortune != fortune || age != good {
		s.t.Errorf("Expected %d known, %s, good %v ago, got %d, %s, %v", known, fortune, good, got.Known, got.Fortune, age)
	}
	if (got.Fault == "") != (fortune == Good) || got.FaultSince.IsZero() != (fortune == Good) {
		s.t.Errorf("Expected a fault with its time if, and only if, not good, got %+v", got)
	}
}

// stamp makes the times of modification differ, however coarse the file system's are.
var stamp = time.Unix(1_700_000_000, 0)

// write writes a file in place.
func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stamp = stamp.Add(time.Second)
	if err := os.Chtimes(name, stamp, stamp); err != nil {
		t.Fatal(err)
	}
}

// replace renames a finished file over another one.
func replace(t testing.TB, name, text string) {
	t.Helper()
	next := filepath.Join(t.TempDir(), "next")
	write(t, next, text)
	rename(t, next, name)
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link, or turns it to somewhere else in one step.
func link(t testing.TB, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name+".next"); err != nil {
		t.Fatal(err)
	}
	rename(t, name+".next", name)
}

func folder(t testing.TB, name string) string {
	t.Helper()
	if err := os.MkdirAll(name, 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// list is a JSON file of these targets.
func list(targets ...string) string {
	if len(targets) == 0 {
		return "[]"
	}
	return `[{"targets": ["` + strings.Join(targets, `", "`) + `"]}]`
}
