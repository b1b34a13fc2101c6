package route

import "github.com/miekg/dns"

// heldOut leaves out, in a group with `failback manual`, the records of a higher rank that have failed since an operator last said failback
// (spec 4.13, 4.15): the latch is the rank down to which the group has been driven. It is decided by health alone, whoever asks. What an
// operator takes out is no failure and sets no latch; when nothing of the latch's rank or below is usable, it gives way.
func heldOut(s *Set, among []*Candidate, l latch) []*Candidate {
	if !s.Group.failbackManual || s.usable == 0 {
		return among
	}
	latched := l.Latch(s.latchKey())
	answering, found := 0, false
	for _, floor := range []int{latched, 0} { // below the latch first
		for _, c := range among {
			if c.Record.Rank >= floor && (!found || c.Record.Rank < answering) {
				answering, found = c.Record.Rank, true
			}
		}
		if found {
			break
		}
	}
	driven := latched > 0
	higher := false
	for _, c := range s.Candidates {
		if c.Record.Rank < answering {
			higher = true
			driven = driven || c.Standing == Unusable
		}
	}
	rank := 0
	if driven && higher {
		rank = answering
	}
	if rank != latched {
		l.SetLatch(s.latchKey(), rank)
	}
	s.latched = rank
	var out []*Candidate
	for _, c := range among {
		if c.Record.Rank >= answering {
			out = append(out, c)
		}
	}
	return out
}

// latch remembers ranks over reloads; a health.Lease does.
type latch interface {
	Latch(key string) int
	SetLatch(key string, rank int)
}

func (s *Set) latchKey() string { return s.Group.Name + " " + dns.Type(s.Type).String() }

// Failback lets the higher records of the group answer again that `failback manual` has kept out (spec 4.13).
func (t *Table) Failback(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range g.View().all() {
		t.checks.SetLatch(s.latchKey(), 0)
	}
	t.mark(g)
	t.work()
}

// all are all sets of the view.
func (v *View) all() []*Set {
	if v.whole != nil {
		return append(v.sets[:len(v.sets):len(v.sets)], v.whole)
	}
	return v.sets
}
