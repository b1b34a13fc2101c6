package route

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// priority answers with the records of the lowest rank among the usable ones, together if there are several (spec 4.5). In the last
// resort all ranks stand, so the first answers (FO-2). Policy failover has two ranks: primary and secondary.
func priority(s *Set, among []*Candidate) chooser {
	lowest := among[0].Record.Rank
	for _, c := range among {
		lowest = min(lowest, c.Record.Rank)
	}
	tier := make([]*Candidate, 0, 1)
	for _, c := range among {
		if c.Record.Rank == lowest {
			tier = append(tier, c)
		}
	}
	return fixed{together(tier, rankReason(s, lowest))}
}

func rankReason(s *Set, rank int) string {
	held := func(c *Candidate) bool { return c.Standing == Usable && c.Record.Rank < rank }
	switch {
	case slices.ContainsFunc(s.Candidates, held):
		return "failback manual holds the record before it out"
	case s.Group.Policy == config.PolicyPriority:
		return fmt.Sprintf("lowest priority number among the usable, %d", rank)
	case rank == 0:
		return "primary"
	}
	return "secondary, the primary is not usable"
}
