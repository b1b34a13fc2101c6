package health

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// shifts is an admin layer in virtual time, and what it told.
type shifts struct {
	*Admin
	clock *virtualClock
	told  []string
}

func newShifts() *shifts {
	s := &shifts{clock: newVirtualClock(time.Unix(1_000_000, 0))}
	s.Admin = NewAdmin(s.clock)
	s.Watch(func(objects []Object) { s.told = append(s.told, seconds(s.clock.at())+" "+names(objects)) })
	return s
}

// is expects the site of the balancer to be shifted, and until when; "" for none.
func (s *shifts) is(t *testing.T, balancer, site string, until time.Duration) {
	t.Helper()
	got, v, ok := s.Shifted(balancer)
	equal(t, "shifted site", got, site)
	equal(t, "shifted", ok, site != "")
	if ok {
		equal(t, "end", v.Until.Sub(s.clock.epoch), until)
		equal(t, "state", v.State, Shifted)
	}
}

// TestShift begins at once, ends by itself, and can be made longer, shorter, and ended (spec 4.10, site shift).
func TestShift(t *testing.T) {
	s := newShifts()
	s.is(t, "shop", "", 0)
	equal(t, "error", s.Shift("shop", "a", time.Hour, "power", "kim"), nil)
	s.is(t, "shop", "a", time.Hour)
	v, ok := s.Override(ShiftObject("shop", "a"))
	equal(t, "whether there is an override", ok, true)
	equal(t, "reason", v.Reason, "power")
	equal(t, "author", v.Author, "kim")

	s.clock.to(30 * time.Minute)
	equal(t, "error when longer", s.Shift("shop", "a", 2*time.Hour, "still", "lee"), nil)
	s.is(t, "shop", "a", 150*time.Minute)
	v, _ = s.Override(ShiftObject("shop", "a"))
	equal(t, "since", v.Since, s.clock.epoch)
	equal(t, "reason", v.Reason, "still")
	s.clock.to(2 * time.Hour) // the first end must not end it
	s.is(t, "shop", "a", 150*time.Minute)
	equal(t, "error when shorter", s.Shift("shop", "a", time.Minute, "", ""), nil)
	s.clock.to(2*time.Hour + time.Minute)
	s.is(t, "shop", "", 0)

	equal(t, "error after the end", s.Shift("shop", "b", time.Minute, "", ""), nil)
	v, _ = s.Override(ShiftObject("shop", "b"))
	equal(t, "since of a new shift", v.Since, s.clock.Now())
	equal(t, "ended", s.Unshift("shop", "b"), true)
	equal(t, "ended again", s.Unshift("shop", "b"), false)
	s.is(t, "shop", "", 0)
	equal(t, "timers left", s.clock.pending(), 0)
	same(t, "what was told", s.told, "0.00 shift shop/a", "1800.00 shift shop/a", "7200.00 shift shop/a", "7260.00 shift shop/a",
		"7260.00 shift shop/b", "7260.00 shift shop/b")
}

// TestShiftOneSite of a balancer at a time; other balancers are their own.
func TestShiftOneSite(t *testing.T) {
	s := newShifts()
	equal(t, "error", s.Shift("shop", "a", time.Hour, "", ""), nil)
	equal(t, "error of another balancer", s.Shift("app", "b", time.Hour, "", ""), nil)
	err := s.Shift("shop", "b", time.Minute, "", "")
	var other *OtherShift
	if !errors.As(err, &other) || other.Site != "a" || !other.Until.Equal(s.clock.epoch.Add(time.Hour)) {
		t.Fatalf("Expected an error that names site a and its end, got %v", err)
	}
	for _, part := range []string{`"a"`, `"shop"`, "1970-01-12T14:46:40Z"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("Expected %s in the error, got: %v", part, err)
		}
	}
	s.is(t, "shop", "a", time.Hour)
	s.is(t, "app", "b", time.Hour)
	s.Unshift("shop", "a")
	equal(t, "error after the end", s.Shift("shop", "b", time.Minute, "", ""), nil)
}

// TestShiftLimits are 1 minute and 72 hours.
func TestShiftLimits(t *testing.T) {
	for lasts, want := range map[time.Duration]string{
		config.MinShift - 1:                "a shift of 59.999999999s: expected 1m to 72h",
		config.MaxShift + 1:                "a shift of 72h0m0.000000001s: expected 1m to 72h",
		0:                                  "a shift of 0s: expected 1m to 72h",
		-time.Hour:                         "a shift of -1h: expected 1m to 72h",
		config.MinShift:                    "",
		config.MaxShift:                    "",
		config.MaxShift - time.Millisecond: "",
	} {
		s := newShifts()
		got := ""
		if err := s.Shift("shop", "a", lasts, "", ""); err != nil {
			got = err.Error()
		}
		equal(t, "error", got, want)
		if want != "" {
			s.is(t, "shop", "", 0)
		}
	}
}

// TestShiftIsTold after it holds: who hears of it may ask.
func TestShiftIsTold(t *testing.T) {
	s := newShifts()
	var sites []string
	s.Watch(func([]Object) {
		site, _, _ := s.Shifted("shop")
		sites = append(sites, site)
	})
	_ = s.Shift("shop", "a", time.Minute, "", "")
	s.clock.to(time.Minute)
	same(t, "sites", sites, "a", "")
}
