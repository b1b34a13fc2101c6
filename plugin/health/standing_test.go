package health

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestStanding lists what is in force with all that is known of it.
func TestStanding(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	record := GroupObject("www", "a")
	a.Set(record, Override{State: Always, Author: "kim"})
	clock.to(time.Minute)
	a.Set(record, Override{State: Disabled, Reason: "disk", Author: "lee", Until: clock.Now().Add(time.Hour)})
	a.Set(SiteObject("fra"), Override{State: Draining})
	got := a.Standing()
	equal(t, "number", len(got), 2)
	equal(t, "first", got[0].Object, record)
	equal(t, "first override", got[0].Override,
		Override{State: Disabled, Reason: "disk", Author: "lee", Since: clock.epoch.Add(time.Minute), Until: clock.epoch.Add(time.Hour + time.Minute)})
	equal(t, "what stands under it", *got[0].Under, Override{State: Always, Author: "kim", Since: clock.epoch})
	equal(t, "second", got[1].Object, SiteObject("fra"))
	equal(t, "what stands under that", got[1].Under, nil)
	clock.stall(2 * time.Hour) // its timer is late
	equal(t, "number after an end", len(a.Standing()), 2)
}

// TestRestore is what a restart does: it ends as it would have ended, an always comes back, and what has ended is gone.
func TestRestore(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	at := func(d time.Duration) time.Time { return clock.epoch.Add(d) }
	always := &Override{State: Always, Since: at(0)}
	short := &Override{State: Always, Since: at(0), Until: at(5 * time.Minute)}
	clock.to(10 * time.Minute)
	a := NewAdmin(clock)
	var told []string
	a.Watch(func(objects []Object) {
		for _, o := range objects {
			v, _ := a.Override(o)
			told = append(told, fmt.Sprintf("%s %s %s", seconds(clock.at()), o, v.State))
		}
	})
	a.Set(GroupObject("said", ""), Override{State: Always})
	before := a.Changes()
	a.Restore([]Standing{
		{GroupObject("kept", ""), Override{State: Disabled, Since: at(time.Minute), Until: at(20 * time.Minute)}, always},
		{GroupObject("over", ""), Override{State: Disabled, Since: at(time.Minute), Until: at(10 * time.Minute)}, nil},
		{GroupObject("back", ""), Override{State: Disabled, Since: at(time.Minute), Until: at(9 * time.Minute)}, always},
		{GroupObject("gone", ""), Override{State: Disabled, Since: at(time.Minute), Until: at(9 * time.Minute)}, short},
		{GroupObject("lone", ""), Override{State: Disabled, Since: at(time.Minute)}, short},
		{GroupObject("said", ""), Override{State: Disabled, Since: at(time.Minute)}, nil},
		{ShiftObject("shop", "a"), Override{State: Shifted, Since: at(time.Minute), Until: at(time.Hour)}, nil},
	})
	equal(t, "changes", a.Changes()-before, 4)
	site, _, _ := a.Shifted("shop")
	equal(t, "shifted", site, "a")
	got, _ := a.Override(GroupObject("kept", ""))
	equal(t, "since", got.Since, at(time.Minute))
	a.Set(GroupObject("lone", ""), Override{State: Enabled})
	clock.to(2 * time.Hour)
	same(t, "what was told", told, "600.00 said always", "600.00 kept disabled", "600.00 back always", "600.00 lone disabled", "600.00 shift shop/a shifted",
		"600.00 lone enabled", "1200.00 kept always", "3600.00 shift shop/a enabled")
}

// TestRestoreOfATimeToCome: after the clock was set back nothing was said later than now.
func TestRestoreOfATimeToCome(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	until := clock.epoch.Add(3 * time.Hour)
	a.Restore([]Standing{{SiteObject("fra"), Override{State: Draining, Since: clock.epoch.Add(time.Hour), Until: until}, nil}})
	got, _ := a.Override(SiteObject("fra"))
	equal(t, "override", got, Override{State: Draining, Since: clock.epoch, Until: until})
}

// TestRestoreIsAsBefore: at whatever time a layer is restored, from then on it is as it would have been without.
func TestRestoreIsAsBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := newVirtualClock(time.Unix(1_000_000, 0))
		before := NewAdmin(clock)
		objects := []Object{GroupObject("a", ""), GroupObject("a", "1"), PoolObject("p", "1"), SiteObject("s")}
		for range rapid.IntRange(0, 20).Draw(t, "calls") {
			clock.to(clock.at() + time.Duration(rapid.IntRange(0, 20).Draw(t, "passed"))*time.Second)
			v := Override{State: rapid.SampledFrom(AdminStates()).Draw(t, "state"), Reason: rapid.StringN(0, 3, -1).Draw(t, "reason")}
			if lasts := rapid.IntRange(0, 60).Draw(t, "lasts"); lasts > 0 {
				v.Until = clock.Now().Add(time.Duration(lasts) * time.Second)
			}
			before.Set(rapid.SampledFrom(objects).Draw(t, "object"), v)
		}
		saved := before.Standing()
		clock.to(clock.at() + time.Duration(rapid.IntRange(0, 60).Draw(t, "down"))*time.Second)
		after := NewAdmin(clock)
		after.Restore(saved)
		for range 7 {
			if got, want := text(after.Standing()), text(before.Standing()); got != want {
				t.Fatalf("Expected %s after %s, got %s", want, clock.at(), got)
			}
			for _, o := range objects {
				got, standsNow := after.Override(o)
				want, stood := before.Override(o)
				if got != want || standsNow != stood {
					t.Fatalf("Expected %+v of %s after %s, got %+v", want, o, clock.at(), got)
				}
			}
			clock.to(clock.at() + 10*time.Second)
		}
	})
}

// text writes out what stands, and what stands under it.
func text(standing []Standing) string {
	out := ""
	for _, s := range standing {
		out += fmt.Sprint(s.Object, s.Override)
		if s.Under != nil {
			out += fmt.Sprint(" over ", *s.Under)
		}
		out += "; "
	}
	return out
}

// setBack is a clock that somebody has set back, which timers do not feel.
type setBack struct {
	*virtualClock
	by time.Duration
}

func (c *setBack) Now() time.Time { return c.virtualClock.Now().Add(-c.by) }

// TestExpiryAfterClockWasSetBack: what has an end ends at that, also if the clock was set meanwhile.
func TestExpiryAfterClockWasSetBack(t *testing.T) {
	clock := &setBack{virtualClock: newVirtualClock(time.Unix(1_000_000, 0))}
	a := NewAdmin(clock)
	o := GroupObject("www", "")
	a.Restore([]Standing{{Object: o, Override: Override{State: Disabled, Until: clock.Now().Add(time.Minute)}}})
	clock.by = 10 * time.Second
	for at, want := range []bool{true, true, false} {
		clock.to(time.Duration(55+10*at) * time.Second)
		_, ok := a.Override(o)
		equal(t, "whether it stands", ok, want)
	}
}
