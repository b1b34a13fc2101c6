package main

import (
	"fmt"

	"github.com/healthroute/healthroute/plugin/compare"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// against is what changes from another Corefile. Field names are stable.
type against struct {
	Corefile string `json:"corefile"`
	Nothing  bool   `json:"nothing_changes"`
	compare.Report
}

// compare holds the new Corefile, which is good, against the old one. An old one that is not is an error of the call.
func (c *checking) compare(now *scenario.World) (*against, error) {
	old, problems, err := c.against.world()
	if err != nil {
		return nil, usageError(fmt.Sprintf("nothing to compare with: %v", err))
	}
	if old == nil {
		return nil, usageError(fmt.Sprintf("nothing to compare with, %s is refused:\n%s", c.against, problems.Errors().Error()))
	}
	defer old.Close()
	report := compare.Worlds(old, now)
	return &against{string(c.against), report.Empty(), report}, nil
}

// Text is the comparison for people.
func (a *against) Text() string { return "against " + a.Corefile + "\n\n" + a.Report.Text() }
