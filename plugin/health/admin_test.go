package health

import (
	"fmt"
	"testing"
	"time"
)

// TestAdmin sets, replaces, clears and lists overrides, and tells of each change once.
func TestAdmin(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	var told []string
	unwatch := a.Watch(func(o Object) { told = append(told, seconds(clock.at())+" "+o.String()) })
	group, record := Object{Group: "www"}, Object{Group: "www", Record: "192.0.2.1"}

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
