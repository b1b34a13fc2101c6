package health

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// TestHistory remembers the last attempts with their reasons, oldest first.
func TestHistory(t *testing.T) {
	n := 0
	stage := newStage(nil)
	stage.world = func(time.Duration) (probe.Outcome, time.Duration) {
		n++
		return []probe.Outcome{probe.Pass, probe.Fail, probe.CannotTell}[n%3], time.Duration(n) * time.Millisecond
	}
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	equal(t, "attempts before the first", len(checks[0].History()), 0)
	stage.clock.to(s(5))
	equal(t, "attempts after the first", len(checks[0].History()), 1)
	stage.clock.to(s(205))
	h := checks[0].History()
	equal(t, "attempts that are remembered", len(h), Remembered)
	for i, a := range h {
		attempt := 21 - Remembered + i + 1
		equal(t, "duration", a.Result.Duration, time.Duration(attempt)*time.Millisecond)
		equal(t, "end", a.EndedAt, stage.clock.epoch.Add(s(10*float64(attempt-1))+a.Result.Duration))
		equal(t, "outcome", a.Result.Outcome, []probe.Outcome{probe.Pass, probe.Fail, probe.CannotTell}[attempt%3])
	}
}

// TestHistoryReasons keeps each reason once, and no more than there are attempts.
func TestHistoryReasons(t *testing.T) {
	h := &ring{}
	c := &Check{history: h}
	for i := range 1000 {
		reason := fmt.Sprint("reason ", i)
		if i%2 == 0 {
			reason = "connection refused"
		}
		c.remember(time.Unix(int64(i), 0), probe.Result{Outcome: probe.Fail, Reason: reason})
		if len(h.reasons) > Remembered {
			t.Fatalf("Expected at most %d reasons, got %d", Remembered, len(h.reasons))
		}
		for n, a := range c.History() {
			want := fmt.Sprint("reason ", a.EndedAt.Unix())
			if a.EndedAt.Unix()%2 == 0 {
				want = "connection refused"
			}
			if a.Result.Reason != want {
				t.Fatalf("Expected reason %q of attempt %d, got %q", want, n, a.Result.Reason)
			}
		}
	}
	c.remember(time.Unix(0, 0), probe.Result{Outcome: probe.Fail, Reason: strings.Repeat("x", 1000)})
	c.remember(time.Unix(0, 0), probe.Result{Times: probe.Times{probe.StepConnect: 1500}})
	equal(t, "times", c.History()[Remembered-1].Result.Times, probe.Times{probe.StepConnect: 1500})
	last := c.History()[Remembered-2]
	equal(t, "bytes of a long reason", len(last.Result.Reason), longestReason)
}
