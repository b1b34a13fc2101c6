package health

import (
	"fmt"
	"strings"
)

// Remains is what an override would leave of something that answers: whoever knows the routes works it out before the override is set.
type Remains struct {
	Of      Object   // a group, or a pool or balancer (ShiftObject without a site)
	Type    string   // the type of records that it is about: A, AAAA, MX
	Usable  []string // the ids of the records, targets or sites that would still be usable
	Instead string   // what would answer without any: `last_resort all`, NODATA
}

// String is one line for the operator.
func (r Remains) String() string {
	if len(r.Usable) == 0 {
		return fmt.Sprintf("%s %s has nothing usable, %s would answer", r.Of, r.Type, r.Instead)
	}
	return fmt.Sprintf("%s %s has %s", r.Of, r.Type, strings.Join(r.Usable, ", "))
}

// NothingLeft is the error of an override that would leave something without anything usable, unless it is forced.
type NothingLeft struct {
	Said    string    // what was asked for: "disabled www/192.0.2.1"
	Remains []Remains // of all that it concerns
}

func (e *NothingLeft) Error() string {
	lines := make([]string, len(e.Remains))
	for i, r := range e.Remains {
		lines[i] = r.String()
	}
	return fmt.Sprintf("%s would leave nothing usable: %s; expected force if that is meant", e.Said, strings.Join(lines, "; "))
}
