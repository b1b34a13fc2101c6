package healthroute

import (
	"sync"

	"github.com/healthroute/healthroute/plugin/health"
)

// Counters have labels that name probes, targets, groups and records. Those of what a reload removed are deleted, so that a server whose
// Corefile changes daily does not show the names of years.

// served are the label values of what an instance counts.
type served struct {
	probes  map[string]bool
	checks  map[[2]string]bool // probe and target
	groups  map[string]bool
	records map[[2]string]bool // group and record
	filters map[string]bool
}

func newServed() served {
	return served{map[string]bool{}, map[[2]string]bool{}, map[string]bool{}, map[[2]string]bool{}, map[string]bool{}}
}

// servedBy are those of one instance, which still has its checks.
func servedBy(i *instance) served {
	s := newServed()
	s.add(i)
	return s
}

// answeringServers are the servers on which any group or filter has ever had a say.
var answeringServers sync.Map // string -> true

// add takes in what the instance counts.
func (s served) add(i *instance) {
	for _, b := range i.blocks {
		if b.lease == nil || b.table == nil {
			continue
		}
		for _, c := range b.lease.Checks() {
			p := b.lease.Probe(c) // the check may have another name in another instance
			if p == nil {
				continue
			}
			s.probes[p.Name] = true
			s.checks[[2]string{p.Name, c.TargetString()}] = true
		}
		for _, f := range b.table.Filters() {
			s.filters[f.Name] = true
		}
		for _, g := range b.table.Choosers() {
			s.groups[g.Name] = true
			s.records[[2]string{g.Name, ""}] = true
			for _, r := range g.Records {
				s.records[[2]string{g.Name, r.ID}] = true
			}
		}
	}
}

// forget deletes the series of what an instance, which has stopped, counted and none that runs does. Whole labels are deleted where they are known: a
// search for each of ten thousand records through the series of all would take minutes.
func (is *instances) forget(old served) {
	kept := newServed()
	for _, i := range is.all() {
		kept.add(i)
	}
	for name := range old.probes {
		if !kept.probes[name] {
			label := map[string]string{"probe": name}
			attemptsTotal.DeletePartialMatch(label)
			untestableTotal.DeletePartialMatch(label)
			attemptDuration.DeletePartialMatch(label)
			for _, histogram := range stepDurations {
				histogram.DeletePartialMatch(label)
			}
		}
	}
	for check := range old.checks {
		if !kept.checks[check] {
			forgetCheck(check)
		}
	}
	for server := range answeringServers.Range {
		server := server.(string)
		for record := range old.records {
			if !kept.records[record] {
				answersTotal.DeleteLabelValues(server, record[0], record[1])
			}
		}
		for filter := range old.filters {
			if !kept.filters[filter] {
				forgetFilter(server, filter)
			}
		}
		for group := range old.groups {
			if !kept.groups[group] {
				lastResortAnswersTotal.DeleteLabelValues(server, group)
			}
		}
	}
}

// forgetCheck deletes what was counted of a probe and target.
func forgetCheck(check [2]string) {
	for _, to := range []health.Status{health.Checking, health.Healthy, health.Unhealthy, health.Stopped} {
		transitionsTotal.DeleteLabelValues(check[0], check[1], to.String())
	}
}

// forgetChecks deletes the series of checks that were given back, but for those that somebody still holds.
func (is *instances) forgetChecks(checks []*health.Check) {
	kept := newServed()
	for _, i := range is.all() {
		kept.add(i)
	}
	for _, c := range checks {
		if check := [2]string{c.Probe().Name, c.TargetString()}; !kept.checks[check] {
			forgetCheck(check)
		}
	}
}
