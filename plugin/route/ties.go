package route

// ties picks among records that are equally near: evenly, or by sticky always the same for a client (spec 4.8).
func ties(s *Set, among []*Candidate, reason string) chooser {
	switch {
	case len(among) == 1:
		return fixed{Choice{One: among[0], Reason: reason}}
	case s.Group.sticky != nil:
		return &rendezvous{sticky: *s.Group.sticky, among: among}
	}
	return newDraw(among, equally, reason)
}

// nearest is a choice of two steps: where the client is decides among which records, and ties picks one of them.
type nearest struct {
	set *Set
	// near returns the records that are nearest to the client, all equally, why, and how much of the client's address decided.
	near func(q *Query) (among []*Candidate, reason string, bits int)
}

func (n *nearest) choose(q *Query) Choice {
	among, reason, bits := n.near(q)
	c := ties(n.set, among, reason).choose(q)
	c.Scope = max(c.Scope, bits)
	return c
}

func (n *nearest) outcomes(q *Query, limit int) ([]Outcome, bool) {
	among, reason, bits := n.near(q)
	outcomes, ok := ties(n.set, among, reason).outcomes(q, limit)
	for i := range outcomes {
		outcomes[i].Choice.Scope = max(outcomes[i].Choice.Scope, bits)
	}
	return outcomes, ok
}
