package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// door is where queries come in: a transport and a port and, where several server blocks share a key because each is for some clients only, the
// number of the block among them.
type door struct {
	listener string
	nth      int
}

// side is one of two Corefiles that are compared.
type side struct {
	world  *scenario.World
	blocks []scenario.Running
	doors  map[door]map[string]int // the blocks by zone
	units  map[any]*unit
	probes map[*config.Stanza]map[string]string // names of probes that go by another name in the comparison
}

func newSide(w *scenario.World) *side {
	s := &side{world: w, blocks: w.Running(), doors: map[door]map[string]int{}, units: map[any]*unit{}, probes: map[*config.Stanza]map[string]string{}}
	for i, b := range s.blocks {
		for _, key := range b.Keys {
			listener, zone := scenario.SplitKey(key)
			d := door{listener, 0}
			for ; s.doors[d] != nil; d.nth++ {
				if _, taken := s.doors[d][zone]; !taken {
					break
				}
			}
			if s.doors[d] == nil {
				s.doors[d] = map[string]int{}
			}
			s.doors[d][zone] = i
		}
	}
	return s
}

// block returns the server block that a query for the name gets to, or false.
func (s *side) block(d door, name string) (scenario.Running, bool) {
	zones := s.doors[d]
	for {
		if i, ok := zones[name]; ok {
			return s.blocks[i], true
		}
		if name == "." {
			return scenario.Running{}, false
		}
		name = parent(name)
	}
}

// parent cuts the first label off.
func parent(name string) string {
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '.':
			return cmp.Or(name[i+1:], ".")
		}
	}
	return "."
}

// found is what a side knows of a name.
type found struct {
	side  *side
	block scenario.Running
	there bool // there is a server block for it
	route.Match
}

func (s *side) find(d door, name string) found {
	f := found{side: s}
	if f.block, f.there = s.block(d, name); f.there {
		f.Match = f.block.Table.Find(name)
	}
	return f
}

// stanza is what is declared for the name; nil if healthroute has no zone for it.
func (f found) stanza() *config.Stanza {
	if f.Zone == nil {
		return nil
	}
	return f.Zone.Stanza
}

// members are the groups that answer for the name: its own, or those of the wildcard that covers it.
func (f found) members() []*route.Group {
	switch {
	case f.Entry != nil:
		return f.Entry.Members
	case f.Wildcard != nil:
		return f.Wildcard.Members
	}
	return nil
}

// member is the group that answers the type, or nil.
func (f found) member(qtype uint16) *route.Group {
	for _, g := range f.members() {
		if g.Owns(qtype) {
			return g
		}
	}
	return nil
}

// ours reports whether healthroute may have to do with the name.
func (f found) ours() bool {
	return f.Zone != nil && (f.Entry != nil || f.Wildcard != nil || f.Cut != nil || len(f.Zone.Stanza.Nameservers) > 0)
}

// shape is what decides about an answer beside the groups: equal shapes with equal groups answer alike.
func (f found) shape() string {
	if f.Zone == nil {
		return ""
	}
	words := []string{f.Zone.Name, strconv.Itoa(len(f.members())), strconv.FormatBool(f.ours())}
	switch {
	case f.Entry != nil:
		words = append(words, "entry", strconv.FormatBool(f.Entry.Below))
	case f.Wildcard != nil:
		words = append(words, f.Wildcard.Name, f.Ancestor)
	}
	if f.Cut != nil {
		words = append(words, "cut", f.Cut.Name)
	}
	return strings.Join(words, " ")
}

// leases are those of the side's server blocks, in their order.
func (s *side) leases() []*health.Lease {
	var out []*health.Lease
	for _, b := range s.blocks {
		out = append(out, b.Lease)
	}
	return out
}

// rename lets probes that have the same definition under other names go by the names that they have in the other stanza, so that a probe that
// was only renamed changes nothing.
func (s *side) rename(stanza *config.Stanza, before *config.Stanza) {
	if s.probes[stanza] != nil {
		return
	}
	known := map[string]string{}
	for _, p := range before.Probes {
		if stanza.Probe(p.Name) == nil {
			known[definition(before, p)] = p.Name
		}
	}
	names := map[string]string{}
	for _, p := range stanza.Probes {
		if name, same := known[definition(stanza, p)]; same && before.Probe(p.Name) == nil {
			names[p.Name] = name
		}
	}
	s.probes[stanza] = names
}

func definition(s *config.Stanza, p *config.Probe) string {
	var b strings.Builder
	for _, line := range corefile.ProbeLines(s, p) {
		b.WriteString(strconv.Quote(strings.Join(line, "\x00")))
	}
	return b.String()
}

// doorsOf are all doors of both sides, in a stable order.
func doorsOf(a, b *side) []door {
	var out []door
	for _, s := range []*side{a, b} {
		for d := range s.doors {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	slices.SortFunc(out, func(a, b door) int { return cmp.Or(cmp.Compare(a.listener, b.listener), a.nth-b.nth) })
	return out
}

// label is a name for people. The usual door needs no word; of server blocks that share a key the number is told.
func (c *comparison) label(d door, name string) string {
	shown := name
	if d.listener != "dns://:53" {
		shown += " at " + strings.TrimPrefix(d.listener, "dns://")
	}
	second := door{d.listener, 1}
	for _, s := range []*side{c.before, c.after} {
		if d.nth > 0 || s.shares(second, name) {
			return shown + " (view " + strconv.Itoa(d.nth+1) + ")"
		}
	}
	return shown
}

// shares reports whether there is a server block behind the door for the very zone that the name is in.
func (s *side) shares(d door, name string) bool {
	_, there := s.block(d, name)
	return there
}
