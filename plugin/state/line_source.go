package state

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/discover"
)

// maxWeight is the most that a source may say.
const maxWeight = 65535

type sourceLine struct {
	Block  string     `json:"block"`
	Zone   string     `json:"zone"`
	Pool   string     `json:"pool"`
	Source string     `json:"source"`
	Good   stamp      `json:"good,omitzero"`
	Parts  []partLine `json:"parts"`
}

type partLine struct {
	From    string       `json:"from"`
	Targets []targetLine `json:"targets"`
}

type targetLine struct {
	Address netip.Addr `json:"address"`
	Port    uint16     `json:"port,omitempty"`
	Site    string     `json:"site,omitempty"`
	Weight  int        `json:"weight"`
}

func sourceLineOf(s discover.Standing) sourceLine {
	l := sourceLine{Block: s.Key.Scope, Zone: s.Key.Zone, Pool: s.Key.Pool, Source: s.Key.Source, Good: stampOf(s.Known.Good), Parts: []partLine{}}
	for _, p := range s.Known.Parts {
		part := partLine{From: p.From, Targets: []targetLine{}}
		for _, f := range p.Found {
			part.Targets = append(part.Targets, targetLine(f))
		}
		l.Parts = append(l.Parts, part)
	}
	return l
}

func (l sourceLine) standing() (discover.Standing, error) {
	s := discover.Standing{Key: discover.Key{Scope: l.Block, Zone: l.Zone, Pool: l.Pool, Source: l.Source}, Known: discover.Known{Good: l.Good.Time}}
	if len(l.Parts) == 0 {
		return s, errors.New("a source without targets")
	}
	for _, p := range l.Parts {
		part := discover.Part{From: p.From}
		if len(p.Targets) == 0 {
			return s, errors.New("a source without targets")
		}
		for _, t := range p.Targets {
			if !config.IsUnicast(t.Address) || t.Address.Zone() != "" {
				return s, fmt.Errorf("%q is no address of a target", t.Address)
			}
			if t.Weight < 0 || t.Weight > maxWeight {
				return s, fmt.Errorf("weight %d", t.Weight)
			}
			part.Found = append(part.Found, config.Found(t))
		}
		s.Known.Parts = append(s.Known.Parts, part)
	}
	return s, nil
}
