//go:build linux

package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/status"
)

// operators say admin states of one record each, again and again, and remember what was acknowledged.
const operators = 8

// ledger is what one operator knows of his record.
type ledger struct {
	object  string
	said    int    // orders so far
	known   string // what was acknowledged last, as words shows it
	pending string // what was said and not acknowledged; "" for nothing
}

// words is an admin state with all that has to survive.
func words(state, reason, author string, until *time.Time) string {
	if until == nil {
		return fmt.Sprintf("%s %q by %s", state, reason, author)
	}
	return fmt.Sprintf("%s %q by %s until %s", state, reason, author, until.UTC().Format(time.RFC3339Nano))
}

// nobody is that of a record of which nothing is said.
const nobody = ""

// speak says something of the record.
func (l *ledger) speak(ctx context.Context, api *status.Client, random *rand.Rand) error {
	l.said++
	o := status.Order{
		Objects: []string{l.object}, State: []string{"disabled", "draining", "enabled"}[random.IntN(3)], Force: true,
		Reason: fmt.Sprintf("%s, no. %d", l.object, l.said), Author: fmt.Sprintf("operator %d", l.said%7),
	}
	if o.State != "enabled" && random.IntN(2) == 0 {
		o.For = fmt.Sprintf("%dh", 1+random.IntN(9))
	}
	l.pending = o.State
	if o.State != "enabled" {
		l.pending = fmt.Sprintf("%s %q by %s", o.State, o.Reason, o.Author) // the end is the server's to say
	}
	said, err := api.Say(ctx, o)
	if err != nil {
		return err
	}
	l.known, l.pending = nobody, ""
	if o.State != "enabled" {
		l.known = words(o.State, o.Reason, o.Author, said.Changed[0].Until)
	}
	return nil
}

// compare holds the record's admin state after a crash against what was acknowledged, and goes on from there.
func (l *ledger) compare(t *testing.T, now string) {
	t.Helper()
	maybe := l.pending != "" && (l.pending == "enabled" && now == nobody || len(now) >= len(l.pending) && now[:len(l.pending)] == l.pending)
	if now != l.known && !maybe {
		t.Errorf("Expected of %s what was acknowledged, %q, or what was under way, %q; got %q", l.object, l.known, l.pending, now)
	}
	l.known, l.pending = now, ""
}

// sighting is a check's health as the server showed it.
type sighting struct {
	health string
	since  time.Time
}

// crash is a server that is killed again and again.
type crash struct {
	*keeping
	random    *rand.Rand
	backends  []*backend
	operators []*ledger
	seen      map[string]map[sighting]bool // by the id of the check, in the process that runs
	saved     time.Time                    // of the youngest state of which the server said that it is written
	left      time.Time                    // of the state in the file that the last crash left
}

// TestCrash kills a server at random moments, while health changes and operators write. Whatever was acknowledged is there when it is started again, with
// reason, author and end; health is as young as the last write that the server told of; and the file is always good.
func TestCrash(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("The seed is %d", seed)
	c := &crash{random: rand.New(rand.NewPCG(seed, 0)), backends: newBackends(t, 6), seen: map[string]map[sighting]bool{}}
	lines := []string{probe("web", "http", c.backends[0], quick, "fall 1", "rise 1"), "group www multivalue {\nprobe web"}
	for _, b := range c.backends {
		lines = append(lines, "record "+b.host)
	}
	lines = append(lines, "}\ngroup said multivalue {")
	for n := range operators {
		lines = append(lines, fmt.Sprintf("record 192.0.2.%d", n+1))
		c.operators = append(c.operators, &ledger{object: fmt.Sprintf("said.example.org./192.0.2.%d", n+1)})
	}
	c.keeping = startKeeping(t, append(lines, "}")...)
	for n := range crashes {
		if t.Failed() {
			t.Fatalf("After %d crashes", n)
		}
		if n%4 == 3 { // also while it starts
			clear(c.seen)
			c.kill()
			c.run()
			<-time.After(time.Duration(c.random.Int64N(int64(time.Second))))
			c.kill()
			c.expectFile()
			c.again()
			c.compare()
		}
		c.live(time.Duration(c.random.Int64N(int64(2500 * time.Millisecond))))
		c.expectFile()
		c.again()
		c.compare()
	}
}

// live lets the server work for so long, and kills it.
func (c *crash) live(lasts time.Duration) {
	clear(c.seen) // the last second of the process before may be lost
	ctx, stop := context.WithCancel(c.t.Context())
	var all sync.WaitGroup
	for _, l := range c.operators {
		random := rand.New(rand.NewPCG(c.random.Uint64(), 0))
		all.Go(func() {
			for ctx.Err() == nil && l.speak(ctx, c.api, random) == nil { // it is dead, or about to be
			}
		})
	}
	end := time.After(lasts)
	look := time.NewTicker(30 * time.Millisecond)
	defer look.Stop()
	for alive := true; alive; {
		select {
		case <-end:
			alive = false
		case <-look.C:
			c.backends[c.random.IntN(len(c.backends))].set([]mode{modeUp, modeError}[c.random.IntN(2)])
			c.look()
		}
	}
	c.kill()
	stop()
	all.Wait()
}

// look notes what the server shows.
func (c *crash) look() {
	c.t.Helper()
	f := c.fares()
	if f.Written != nil {
		c.saved = *f.Written
	}
	if f.Error != "" || f.Refused != "" {
		c.t.Errorf("Expected a file without a fault, got %+v", f)
	}
	checks, err := c.api.Checks(c.t.Context(), "*")
	if err != nil {
		c.t.Fatalf("Expected checks, got: %v", err)
	}
	for _, check := range checks {
		if c.seen[check.ID] == nil {
			c.seen[check.ID] = map[sighting]bool{}
		}
		c.seen[check.ID][sighting{check.Health, check.Since.UTC()}] = true
	}
}

// expectFile holds the file that the crash left against what was seen: it is good, no older than the server said, and of its time.
func (c *crash) expectFile() {
	c.t.Helper()
	s := c.contents()
	c.left = s.Health.Taken
	if s.Health.Taken.Before(c.saved) {
		c.t.Errorf("Expected a state of %s or later, got one of %s", c.saved, s.Health.Taken)
	}
	kept := map[string]sighting{}
	for _, k := range s.Health.Checks {
		kept[k.Identity[:16]] = sighting{k.Status.String(), k.Since.UTC()}
	}
	for id, seen := range c.seen {
		last := sighting{}
		for one := range seen {
			if one.since.After(last.since) && one.since.Before(s.Health.Taken) {
				last = one
			}
		}
		known := last.health != "" && last.health != health.Checking.String()
		if got := kept[id]; known && (got.since.Before(last.since) || got.since.Equal(last.since) && got.health != last.health) {
			c.t.Errorf("Expected check %s to be kept as it was last seen before %s, %v, or later, got %v", id, s.Health.Taken, last, got)
		}
	}
	if aside, err := filepath.Glob(c.file + ".bad-*"); err != nil || len(aside) > 0 {
		c.t.Errorf("Expected no damaged file, got %v, %v", aside, err)
	}
}

// compare holds what the restarted server knows against what was acknowledged before.
func (c *crash) compare() {
	c.t.Helper()
	if f := c.fares(); f.Read == nil || !f.Read.Equal(c.left) || f.Refused != "" {
		c.t.Errorf("Expected the state of %s to be read, got %+v", c.left, f)
	}
	all, err := c.api.Overrides(c.t.Context())
	if err != nil {
		c.t.Fatalf("Expected what was said, got: %v", err)
	}
	now := map[string]string{}
	for _, o := range all {
		now[o.Object] = words(o.State, o.Reason, o.Author, o.Until)
	}
	for _, l := range c.operators {
		l.compare(c.t, now[l.object])
		delete(now, l.object)
	}
	if len(now) > 0 {
		c.t.Errorf("Expected nothing else to be said, got %v", slices.Sorted(maps.Keys(now)))
	}
}
