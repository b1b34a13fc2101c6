package route

import (
	"fmt"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// Set is the records of a group that could answer one type, and the choice among them.
type Set struct {
	Group      *Group
	Type       uint16       // ANY: whatever the query's type is, which is compared afterwards (spec 4.11)
	Candidates []*Candidate // every record that has something of the type, in the order of declaration
	LastResort bool         // some are eligible, none is usable
	ShowsAll   bool         // fewer are usable than `min_healthy ... show_all` asks for, so all eligible ones answer
	Balance    *Balance     // of a pool or a balancer: how its sites stand; nil for other groups

	usable   int // candidates of that standing
	eligible int
	policy   *policy
	chooser  chooser // nil: there is nothing to choose
	client   bool    // the choice depends on who asks, here or behind an alias
	override *override
	latched  int        // records of a rank above it, a lower number, are held out by `failback manual`
	sorry    *Candidate // what `last_resort alias` answers with; nil for another word
	judge    *judge     // while the set is built
}

// buildSet follows spec 4.1 and 4.12: candidates by type, the usable among them, else the last resort.
func (j *judge) buildSet(qtype uint16, l latch) *Set {
	g := j.group
	s := &Set{Group: g, Type: qtype, policy: policies[g.Policy], judge: j}
	candidates := make([]Candidate, 0, len(g.Records)) // one block of memory; s points into it
	s.Candidates = make([]*Candidate, 0, len(g.Records))
	for _, r := range g.Records {
		if c, ok := j.candidate(r, qtype); ok {
			candidates = append(candidates, c)
			s.add(&candidates[len(candidates)-1])
		}
	}
	s.LastResort = s.usable == 0 && s.eligible > 0
	s.ShowsAll = s.usable > 0 && g.minHealthy.ShowAll && s.usable < needed(g.minHealthy, s.eligible)
	s.sorry = g.sorryFor(qtype)
	s.client = s.policy.client || g.sticky != nil || g.overrides != nil || s.targetsNeedClient()
	if among := heldOut(s, s.among(), l); len(among) > 0 {
		s.chooser = s.policy.prepare(s, among)
		s.override = prepareOverride(g, s.Candidates)
	}
	s.judge = nil
	return s
}

func (s *Set) add(c *Candidate) {
	s.Candidates = append(s.Candidates, c)
	if c.Standing == Usable {
		s.usable++
	}
	if c.eligible() {
		s.eligible++
	}
}

// among are the candidates that the policy chooses among: the usable ones, else in a last resort the eligible ones. Policies of
// places find their own way among all that are not removed.
func (s *Set) among() []*Candidate {
	switch {
	case s.policy.places && s.eligible > 0:
		return upTo(s.Candidates, Stopped)
	case s.usable > 0 && !s.ShowsAll:
		return upTo(s.Candidates, Usable)
	}
	return upTo(s.Candidates, Unusable)
}

func (s *Set) unlessEmpty() *Set {
	if s == nil || len(s.Candidates) == 0 {
		return nil
	}
	return s
}

// Usable reports whether any record of the set is.
func (s *Set) Usable() bool { return s.usable > 0 }

// Eligible reports whether any record of the set is, were it only for a last resort.
func (s *Set) Eligible() bool { return s.eligible > 0 }

// CanAnswer reports whether the query could get a record from the set, here or behind an alias, by any choice, and how much of the client's
// address that depends on (Choice.Scope).
func (s *Set) CanAnswer(q *Query) (can bool, scope int) {
	outcomes, ok := s.Outcomes(q, maxShares)
	if !ok {
		return true, 0 // so many choices are of records, whoever asks
	}
	for _, o := range outcomes {
		scope = max(scope, o.Choice.Scope)
		for i := range o.Choice.Len() {
			c := o.Choice.At(i)
			if c.Target == nil {
				return true, scope
			}
			if behind := c.Target.setOf(s.Type); behind != nil {
				can, further := behind.CanAnswer(q)
				if scope = max(scope, further); can {
					return true, scope
				}
			}
		}
	}
	return false, scope
}

// NeedsClient reports whether Choose looks at the query's client, in this set or in one behind it.
func (s *Set) NeedsClient() bool { return s.client }

// HeldBack says why a usable candidate without a share in what the choice was made of does not answer.
func (s *Set) HeldBack(choice Choice, c *Candidate) string {
	switch {
	case s.Balance != nil:
		return s.Balance.heldBack(c)
	case choice.By == ByOverride:
		return "an override has another record for this client"
	case s.latched > c.Record.Rank:
		return "failback manual: it has failed, and stays out until an operator says failback"
	case choice.By == BySticky:
		return "sticky has another record for this client's network"
	}
	return s.policy.heldBack
}

func (s *Set) targetsNeedClient() bool {
	for _, c := range s.Candidates {
		if c.Target != nil && c.Target.needsClient() {
			return true
		}
	}
	return s.sorry != nil && s.sorry.Target.needsClient()
}

func (v *View) needsClient() bool {
	for _, s := range v.sets {
		if s.client {
			return true
		}
	}
	return v.whole != nil && v.whole.client
}

// Choose picks the records that answer a query, or none when nothing is left, nothing is for this client, or the last resort says so.
func (s *Set) Choose(q *Query) Choice {
	if choice, done := s.before(q); done {
		return choice
	}
	return s.settle(s.chooser.choose(q), q)
}

// before is what comes before the policy: nothing to choose, an override, or a last resort that lets nobody choose.
func (s *Set) before(q *Query) (Choice, bool) {
	if s.chooser == nil {
		if s.sorry != nil {
			return Choice{One: s.sorry, Reason: "nothing eligible", LastResort: true}, true
		}
		return Choice{Reason: "nothing eligible"}, true
	}
	if s.override != nil {
		if c := s.override.choose(q); c.One != nil {
			return c, true
		}
	}
	if s.LastResort && !s.policy.places && s.Group.LastResort != config.LastResortAll {
		return s.settle(Choice{}, q), true
	}
	return Choice{}, false
}

// settle lets the group's last resort speak where nothing usable could be picked, and adds the part of the client that an override looked at.
func (s *Set) settle(c Choice, q *Query) Choice {
	if s.override != nil {
		c.Scope = max(c.Scope, s.override.scope(q))
	}
	if s.LastResort && !s.policy.places {
		c.LastResort = true
	}
	if !c.LastResort || s.Group.LastResort == config.LastResortAll {
		return c
	}
	c.One, c.Many, c.Reason = s.sorry, nil, ""
	return c
}

// Outcomes returns every choice that Choose can make for the query, or false if there are more than limit. A set with nothing to choose
// makes the empty choice.
func (s *Set) Outcomes(q *Query, limit int) ([]Outcome, bool) {
	if choice, done := s.before(q); done {
		return certain(choice), true
	}
	outcomes, ok := s.chooser.outcomes(q, limit)
	if !ok {
		return nil, false
	}
	for i := range outcomes {
		outcomes[i].Choice = s.settle(outcomes[i].Choice, q)
	}
	return outcomes, true
}

// Shares returns the exact share of every record that the query can get, in the order of declaration; nil if that is none or cannot be told.
func (s *Set) Shares(q *Query) []Share {
	if _, done := s.before(q); !done {
		switch known := s.chooser.(type) {
		case sharer:
			return known.shares()
		case *rendezvous:
			if q.Everybody {
				return known.spread().shares()
			}
		}
	}
	outcomes, ok := s.Outcomes(q, maxShares)
	if !ok {
		return nil
	}
	return sharesOf(outcomes, s.Candidates)
}

// maxShares bounds the work of Shares.
const maxShares = 100_000

func (s *Set) String() string { return fmt.Sprintf("%s %s", s.Group.Name, dns.Type(s.Type)) }
