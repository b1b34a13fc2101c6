package config

import (
	"fmt"
	"slices"
	"strings"
)

// Children are what a calculated probe counts (spec 2.7).
type Children struct {
	Probes  []string    // names of probes of the stanza that have a target of their own
	Records []RecordRef // records of groups of the stanza
	// Healthy of them are needed: a number, or percent of them, rounded up. 0 is always healthy, more than there are never.
	Healthy int
	Percent bool
}

// RecordRef names a record of a group.
type RecordRef struct {
	Group  []string // the group's names, one for each zone of the stanza
	Record string   // id
}

// AllChildren is the `healthy all` of a calculated probe, which is also the default; AnyChild is `healthy any`.
const (
	AllChildren = 100 // percent
	AnyChild    = 1   // of them
)

// Count is the number of children.
func (c Children) Count() int { return len(c.Probes) + len(c.Records) }

// Needed is how many of so many children must be healthy.
func (c Children) Needed(of int) int {
	if !c.Percent {
		return c.Healthy
	}
	return (c.Healthy*of + 99) / 100
}

// HealthyWord is the argument of `healthy` as the Corefile writes it.
func (c Children) HealthyWord() string {
	switch {
	case c.Percent && c.Healthy == AllChildren:
		return "all"
	case c.Percent:
		return fmt.Sprintf("%d%%", c.Healthy)
	case c.Healthy == AnyChild:
		return "any"
	}
	return fmt.Sprint(c.Healthy)
}

// Child finds the record that the reference names and its group, or nil. Several groups may have the name.
func (s *Stanza) Child(ref RecordRef) (*Group, *Record) {
	for _, g := range s.Groups {
		if !g.hasNames(ref.Group) {
			continue
		}
		for _, r := range g.Records {
			if strings.EqualFold(r.ID, ref.Record) {
				return g, r
			}
		}
	}
	return nil, nil
}

// hasNames reports whether all of the names, and at least one, are the group's.
func (g *Group) hasNames(names []string) bool {
	for _, name := range names {
		if !slices.Contains(g.Names, name) {
			return false
		}
	}
	return len(names) > 0
}
