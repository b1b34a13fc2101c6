package route

// failover answers with the record of the lowest rank among the usable ones (spec 4.5). In the last resort all ranks
// stand, so the primary answers (FO-2).
func failover(_ *Group, among []*Candidate) chooser {
	best := among[0]
	for _, c := range among {
		if c.Record.Rank < best.Record.Rank {
			best = c
		}
	}
	reason := "primary"
	if best.Record.Rank > 0 {
		reason = "secondary, the primary is not usable"
	}
	return fixed{Choice{One: best, Reason: reason}}
}
