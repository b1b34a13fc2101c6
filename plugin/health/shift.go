package health

import (
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// A shift takes clients away from a site of a balancer, whatever the site's health (spec 4.10, site shift): one site at a time, at once, and
// never without an end.

// OtherShift is the error of a shift while another site of the balancer is shifted.
type OtherShift struct {
	Balancer, Site string
	Until          time.Time
}

func (e *OtherShift) Error() string {
	return fmt.Sprintf("site %q of balancer %q is shifted until %s: expected one site at a time; end that shift first",
		e.Site, e.Balancer, e.Until.UTC().Format(time.RFC3339))
}

// Shift shifts clients away from the site for that long from now, config.MinShift to config.MaxShift. If it is shifted already, that shift
// goes on and ends then: so it is made longer or shorter. Another site of the balancer that is shifted is an *OtherShift. Names are those that the
// configuration declares.
func (a *Admin) Shift(balancer, site string, lasts time.Duration, reason, author string) error {
	if lasts < config.MinShift || lasts > config.MaxShift {
		return fmt.Errorf("a shift of %s: expected %s to %s", config.FormatDuration(lasts), config.FormatDuration(config.MinShift), config.FormatDuration(config.MaxShift))
	}
	o := ShiftObject(balancer, site)
	a.mu.Lock()
	now := a.clock.Now()
	v := Override{State: Shifted, Reason: reason, Author: author, Since: now, Until: now.Add(lasts)}
	if shifted, before, ok := a.shifted(balancer, now); ok {
		if shifted != site {
			a.mu.Unlock()
			return &OtherShift{Balancer: balancer, Site: shifted, Until: before.Until}
		}
		v.Since = before.Since
	}
	a.remove(o)
	a.enter(o, v, nil)
	a.mu.Unlock()
	a.tell(o)
	return nil
}

// Unshift ends the shift of the site and reports whether there was one.
func (a *Admin) Unshift(balancer, site string) bool { return a.Clear(ShiftObject(balancer, site)) }

// Shifted returns the site of the balancer that clients are shifted away from now, and who did that, why and until when; false if there is none.
func (a *Admin) Shifted(balancer string) (site string, v Override, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shifted(balancer, a.clock.Now())
}

// shifted is Shifted; it is called with mu held.
func (a *Admin) shifted(balancer string, now time.Time) (site string, v Override, ok bool) {
	for o, s := range a.overrides {
		if o.Kind == OfShift && o.Name == balancer && s.State == Shifted && !expired(s.Override, now) {
			return o.Member, s.Override, true
		}
	}
	return "", Override{}, false
}
