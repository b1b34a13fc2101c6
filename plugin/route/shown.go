package route

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// What is here is for people who look at a table; no query needs it.

// Values returns what the record answers with, of all types and whatever their health, for the first zone of its group. They must not be changed, and
// have no owner.
func (r *Record) Values() []dns.RR {
	var out []dns.RR
	for _, v := range r.current() {
		out = append(out, v.rrs[0])
	}
	return out
}

// Counts returns how many candidates are usable and how many eligible.
func (s *Set) Counts() (usable, eligible int) { return s.usable, s.eligible }

// HeldOut reports whether `failback manual` keeps records out that would answer otherwise.
func (s *Set) HeldOut() bool { return s.latched > 0 }

// Rest are the candidates that answer if the policy has nothing usable to choose from: the eligible ones, what `last_resort alias` stands for, or none
// where the word says a code. Of a pool or a balancer it is what answers now.
func (s *Set) Rest() []*Candidate {
	switch {
	case s.Balance != nil:
		return slices.DeleteFunc(slices.Clone(s.Candidates), func(c *Candidate) bool {
			return !c.taken && (s.Group.balancer.fronts == nil || !s.Balance.site(c.Record.Site).Answers)
		})
	case s.sorry != nil:
		return []*Candidate{s.sorry}
	case s.Group.LastResort != config.LastResortAll:
		return nil
	}
	return upTo(s.Candidates, Unusable)
}
