package health

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// names joins what was told of together.
func names(objects []Object) string {
	words := make([]string, len(objects))
	for i, o := range objects {
		words[i] = o.String()
	}
	return strings.Join(words, "+")
}

// TestAdmin sets, replaces, clears and lists overrides, and tells of each change once.
func TestAdmin(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	var told []string
	unwatch := a.Watch(func(objects []Object) { told = append(told, seconds(clock.at())+" "+names(objects)) })
	group, record := GroupObject("www", ""), GroupObject("www", "192.0.2.1")

	a.Set(record, Override{State: Disabled, Author: "kim", Reason: "disk"})
	got, ok := a.Override(record)
	equal(t, "override", fmt.Sprint(got.State, got.Author, got.Reason, ok), "disabledkimdisktrue")
	a.Set(group, Override{State: Draining, Until: clock.Now().Add(time.Minute)})
	same(t, "objects", a.Objects(), group, record)

	clock.to(30 * time.Second)
	a.Set(group, Override{State: Always, Until: clock.Now().Add(time.Minute)}) // the first expiry must not end this one
	clock.to(80 * time.Second)
	got, _ = a.Override(group)
	equal(t, "state before the expiry", got.State, Always)
	clock.to(90 * time.Second)
	_, ok = a.Override(group)
	equal(t, "whether it stands after the expiry", ok, false)

	a.Set(record, Override{State: Enabled})
	a.Clear(record)                                                                // nothing is left to clear
	a.Set(record, Override{State: Disabled, Until: clock.Now().Add(-time.Second)}) // too late
	same(t, "objects", a.Objects())
	same(t, "what was told", told, "0.00 www/192.0.2.1", "0.00 www", "30.00 www", "90.00 www", "90.00 www/192.0.2.1")
	unwatch()
	a.Set(group, Override{State: Disabled})
	equal(t, "tellings after the watch", len(told), 5)
}

// TestAlwaysComesBack is T-230: an operator's always is how the record is served while it is, so disabling and enabling keeps it.
func TestAlwaysComesBack(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	record := GroupObject("www", "a")
	state := func(want AdminState) {
		t.Helper()
		got, _ := a.Override(record)
		equal(t, "state", got.State, want)
	}
	a.Set(record, Override{State: Always, Author: "kim"})
	a.Set(record, Override{State: Disabled})
	state(Disabled)
	a.Set(record, Override{State: Enabled})
	state(Always)
	got, _ := a.Override(record)
	equal(t, "author", got.Author, "kim")
	a.Set(record, Override{State: Enabled})
	state(Enabled)

	a.Set(record, Override{State: Always, Until: clock.Now().Add(time.Minute)})
	a.Set(record, Override{State: Disabled, Until: clock.Now().Add(10 * time.Second)})
	a.Set(record, Override{State: Disabled, Until: clock.Now().Add(20 * time.Second)}) // the always stands under both
	clock.to(20 * time.Second)
	state(Always)
	clock.to(time.Minute)
	state(Enabled)

	a.Set(record, Override{State: Always, Until: clock.Now().Add(time.Second)})
	a.Set(record, Override{State: Disabled})
	clock.to(2 * time.Minute)
	a.Set(record, Override{State: Enabled}) // the always has ended meanwhile
	state(Enabled)

	a.Set(record, Override{State: Always})
	a.Set(record, Override{State: Draining}) // only disabling keeps it
	a.Set(record, Override{State: Enabled})
	state(Enabled)
	a.Set(record, Override{State: Always})
	a.Set(record, Override{State: Disabled})
	a.Clear(record)
	state(Enabled)
	equal(t, "objects", len(a.Objects()), 0)
	equal(t, "timers left", clock.pending(), 0)
}

// TestAdminTogether: what is said of many objects at once is told once, of those alone that it changes.
func TestAdminTogether(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	var told []string
	a.Watch(func(objects []Object) { told = append(told, seconds(clock.at())+" "+names(objects)) })
	one, two, three := PoolObject("app", "1"), PoolObject("app", "2"), PoolObject("app", "3")
	a.Set(one, Override{State: Always})
	a.SetAll([]Object{one, two}, Override{State: Disabled, Until: clock.Now().Add(time.Minute)})
	a.SetAll([]Object{two, three}, Override{State: Enabled})
	a.SetAll([]Object{three}, Override{State: Enabled})
	a.SetAll([]Object{two, three}, Override{State: Draining, Until: clock.Now().Add(time.Minute)})
	clock.to(time.Minute)
	got, _ := a.Override(one)
	equal(t, "what comes back", got.State, Always)
	same(t, "objects", a.Objects(), one)
	same(t, "what was told", told, "0.00 pool app/1", "0.00 pool app/1+pool app/2", "0.00 pool app/2", "0.00 pool app/2+pool app/3",
		"60.00 pool app/1+pool app/2+pool app/3")
	equal(t, "changes", a.Changes(), 9)
}
