package route

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// compileAlias makes an alias's own part: its check, and the name that it stands for. A group that it stands for is tied to it by link.
func (r *Record) compileAlias(g *config.Group, p *config.Probe, prober *probe.Prober, zone string, checks Checker) error {
	declared := r.Config.Alias
	var check *health.Check
	if p != nil && p.Type != config.ProbeCalculated { // those come in calculate
		check = checks.Check(specFor(userOf(g), r.Config, p, prober, zone, nil))
	}
	if declared.Name != "" {
		r.named = &namedValue{name: declared.Name, check: check, ttl: uint32(r.Config.TTL.Seconds())}
		return nil
	}
	r.alias = &alias{evaluate: declared.Evaluate, min: declared.MinHealthy, check: check}
	return nil
}

// link ties the aliases of the groups to their targets, and settles every group after those that it points to.
func link(groups []*Group) error {
	byName := map[string][]*Group{}
	for _, g := range groups {
		for _, name := range g.Names {
			byName[name] = append(byName[name], g)
		}
	}
	for _, g := range groups {
		for _, r := range append(slices.Clone(g.Records), g.sorry) {
			if r == nil || r.alias == nil || len(r.alias.groups) > 0 {
				continue // no alias, or one of a pool or a balancer
			}
			r.alias.groups = targetsOf(r.Config.Alias.Group, byName)
			if len(r.alias.groups) == 0 {
				return fmt.Errorf("%s: alias %q of group %s stands for no group", r.Config.Places.Own, r.ID, g.Name)
			}
		}
	}
	s := &settler{state: map[*Group]int{}}
	for _, g := range groups {
		if err := s.settle(g); err != nil {
			return err
		}
	}
	for _, g := range groups {
		if g.preset == config.PresetTrafficManager {
			g.needWholes()
		}
		if g.ramp > 0 {
			g.trackRecovery()
		}
		for _, target := range g.targets() {
			if !slices.Contains(target.parents, g) {
				target.parents = append(target.parents, g)
			}
		}
	}
	return nil
}

// targetsOf returns the groups of the names, each once.
func targetsOf(names []string, byName map[string][]*Group) []*Group {
	var out []*Group
	for _, name := range names {
		for _, g := range byName[name] {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// settler settles groups from the inside out.
type settler struct{ state map[*Group]int }

const (
	underWay = 1
	settled  = 2
)

func (s *settler) settle(g *Group) error {
	switch s.state[g] {
	case settled:
		return nil
	case underWay:
		return fmt.Errorf("group %s: its aliases lead back to it", g.Name)
	}
	s.state[g] = underWay
	for _, target := range g.targets() {
		if err := s.settle(target); err != nil {
			return err
		}
	}
	g.settle()
	if g.level >= maxLevels {
		return fmt.Errorf("group %s: aliases go more than %d deep", g.Name, maxLevels-1)
	}
	s.state[g] = settled
	return nil
}

// trackRecovery makes the group, and all behind it, remember when records came back.
func (g *Group) trackRecovery() {
	if g.tracksRecovery {
		return
	}
	g.tracksRecovery = true
	for _, target := range g.targets() {
		target.trackRecovery()
	}
}

// needWholes makes the group, and all behind it, be judged as wholes too.
func (g *Group) needWholes() {
	if g.wholes {
		return
	}
	g.wholes = true
	for _, target := range g.targets() {
		target.needWholes()
	}
}
