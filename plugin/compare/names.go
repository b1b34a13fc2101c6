package compare

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// sample is the first label of a name that stands for all that nobody has.
const sample = "healthroute-asks"

// asked is a question that both sides are asked.
type asked struct {
	shown string // what it stands for: "*.example.org."
	name  string
}

// names compares the answers to all names that either side has.
func (c *comparison) names() {
	for _, d := range doorsOf(c.before, c.after) {
		for _, a := range c.askedAt(d) {
			c.name(d, a)
		}
	}
	c.report.Answers = joinTypes(c.report.Answers)
}

// joinTypes makes one of neighbours that say the same of two types.
func joinTypes(all []Answer) []Answer {
	out := all[:0]
	for _, a := range all {
		if last := len(out) - 1; last >= 0 {
			b := out[last]
			types := slices.Concat(b.Types, a.Types)
			if b.Types = a.Types; reflect.DeepEqual(a, b) {
				out[last].Types = types
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// askedAt are the questions at a door: for each name that exists because of healthroute, for a name that each wildcard covers, and for one below each
// name where the sides have different wildcards.
func (c *comparison) askedAt(d door) []asked {
	known := map[string]bool{}
	for _, s := range []*side{c.before, c.after} {
		for _, b := range s.blocks {
			for e := range b.Table.Entries() {
				if at, there := s.block(d, e.Name); there && at.Table == b.Table {
					known[e.Name] = true
				}
			}
		}
	}
	var out []asked
	for name := range known {
		if above, wild := config.WildcardParent(name); wild {
			out = append(out, asked{name, sample + "." + strings.TrimPrefix(above, ".")})
			continue
		}
		out = append(out, asked{name, name})
		below := "." + strings.TrimPrefix(name, ".")
		if known["*"+below] {
			continue
		}
		if old, now := c.before.find(d, sample+below), c.after.find(d, sample+below); wildcardOf(old) != wildcardOf(now) {
			out = append(out, asked{"names below " + name, sample + below})
		}
	}
	slices.SortFunc(out, func(a, b asked) int { return cmp.Compare(a.shown, b.shown) })
	return out
}

func wildcardOf(f found) string {
	if f.Wildcard == nil {
		return ""
	}
	return f.Wildcard.Name
}

// name compares the answers to a name.
func (c *comparison) name(d door, a asked) {
	old, now := c.before.find(d, a.name), c.after.find(d, a.name)
	if !old.ours() && !now.ours() {
		return
	}
	var ofZone []string
	if old.stanza() != nil && now.stanza() != nil {
		ofZone = c.stanzas(old.stanza(), now.stanza())
	}
	doubt := old.shape() != now.shape() || len(ofZone) > 0
	declared := map[string][]string{} // types by reasons
	var order []string
	types, lacking := typesOf(old, now)
	for _, t := range append(types, lacking...) {
		r := c.reasons(old, now, t)
		r.whereClientsAre(ofZone)
		if len(r.why) == 0 && !doubt {
			continue
		}
		denied := slices.Contains(lacking, t)
		if c.answers(c.label(d, a.shown), a.name, t, denied, old, now, r) || len(r.why) == 0 || denied && !old.choosesFirst(t) && !now.choosesFirst(t) {
			continue
		}
		key := strings.Join(r.why, "\n")
		if declared[key] == nil {
			order = append(order, key)
		}
		declared[key] = append(declared[key], dns.Type(t).String())
	}
	for _, key := range order {
		c.declared(Part{Names: []string{c.label(d, a.shown)}, Types: declared[key], Change: Changed, Why: strings.Split(key, "\n")})
	}
}

// typesOf are the types that either side has at the name and, of a name that both have with addresses, the family that neither has: a
// group denies that one by itself.
func typesOf(old, now found) (types, lacking []uint16) {
	for _, g := range append(slices.Clone(old.members()), now.members()...) {
		types = append(types, g.Types()...)
	}
	slices.Sort(types)
	types = slices.Compact(types)
	if !old.has() || !now.has() {
		return types, nil
	}
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if !slices.Contains(types, family) && old.member(family) != nil && now.member(family) != nil {
			lacking = append(lacking, family)
		}
	}
	return types, lacking
}

// choosesFirst reports whether the group for the type picks a record before it looks at the type, so that what happens to records of another
// type matters for this one.
func (f found) choosesFirst(qtype uint16) bool {
	g := f.member(qtype)
	return g != nil && g.Preset() == config.PresetTrafficManager
}

// reasons are what is declared otherwise of what answers the type at the name.
func (c *comparison) reasons(old, now found, qtype uint16) *reasons {
	r := &reasons{before: c.before, after: c.after, seen: map[any]bool{}}
	was, is := old.member(qtype), now.member(qtype)
	before, after := wildcardOf(old), wildcardOf(now)
	if was != nil && is != nil && before == after {
		r.groups(old, now, was.Config, is.Config, "")
		return r
	}
	if was != nil {
		r.only(old, was)
	}
	if is != nil {
		r.only(now, is)
	}
	if before != after {
		if before != "" {
			r.why = append(r.why, "no longer covered by "+before)
		}
		if after != "" {
			r.why = append(r.why, "now covered by "+after)
		}
	}
	return r
}

// whereClientsAre adds what a zone says otherwise of clients, if they matter.
func (r *reasons) whereClientsAre(ofZone []string) {
	if r.clients.nobody() {
		return
	}
	for _, why := range ofZone {
		if word, _, _ := strings.Cut(why, " "); slices.Contains([]string{"locations", "geoip", "ecs", "file"}, word) {
			r.why = append(r.why, "where clients are: "+why)
		}
	}
}

// only notes for whom a group matters that one side has.
func (r *reasons) only(f found, g *route.Group) {
	u := f.side.groupUnit(f.stanza(), g.Config)
	r.clients.add(u.clients)
	for _, n := range u.needs {
		r.alone(f, n)
	}
}

// answers asks both sides, and reports whether any client is answered otherwise. Of a type that neither has, denied, how long its absence may
// be remembered does not count.
func (c *comparison) answers(shown, name string, qtype uint16, denied bool, old, now found, r *reasons) bool {
	what := Answer{Names: []string{shown}, Types: []string{dns.Type(qtype).String()}, Clients: []string{}, Why: r.why}
	if old.isGlue() && now.isGlue() {
		if len(r.why) > 0 && !denied {
			what.Change, what.Before, what.After = Changed, []Possible{}, []Possible{}
			c.answer(what, "glue")
		}
		return true
	}
	everybody, complete := r.clients.each()
	if !complete {
		c.note(fmt.Sprintf("%s: not for every range of client addresses, there are too many", shown))
	}
	type difference struct {
		before, after answers
		clients       []string
	}
	var all []*difference
	by := map[string]*difference{}
	asked := 0
	for _, who := range everybody {
		asked++
		before, after := c.ask(old, name, qtype, who), c.ask(now, name, qtype, who)
		if before.key == after.key || denied && before.timeless() == after.timeless() {
			continue
		}
		key := before.key + "\x00" + after.key
		if by[key] == nil {
			by[key] = &difference{before: before, after: after}
			all = append(all, by[key])
		}
		by[key].clients = append(by[key].clients, cmp.Or(who.label, "everybody else"))
	}
	if r.why == nil {
		what.Why = []string{}
	}
	for _, d := range all {
		what.Before, what.After, what.Change = d.before.possible, d.after.possible, Changed
		what.Together = d.before.together || d.after.together || d.before.hasSets() && len(what.Before) > mostSets || d.after.hasSets() && len(what.After) > mostSets
		if what.Together {
			what.Before, what.After = d.before.byRecord(), d.after.byRecord()
		}
		switch {
		case d.before.isNone() && d.after.isNone():
			continue
		case d.before.isNone() || !old.has():
			what.Change = Added
		case d.after.isNone() || !now.has():
			what.Change = Dropped
		}
		if what.Clients = unique(d.clients); len(d.clients) == asked {
			what.Clients = []string{}
		}
		c.answer(what, d.before.key+"\x00"+d.after.key)
	}
	return len(all) > 0
}

// has reports whether healthroute has something at the name, or hands it on to other name servers.
func (f found) has() bool { return len(f.members()) > 0 || f.Cut != nil }

// isGlue reports whether the name is nothing but the address of a name server of a zone that is delegated: only referrals show it.
func (f found) isGlue() bool { return f.Cut != nil && f.Entry != nil && f.Entry != f.Cut }

// answer adds a change, or its names to one that is the same.
func (c *comparison) answer(a Answer, key string) {
	key = fmt.Sprintf("%q", []any{"answer", a.Types, a.Change, a.Clients, a.Why, key})
	if i, known := c.index[key]; known {
		c.report.Answers[i].Names = append(c.report.Answers[i].Names, a.Names...)
		return
	}
	c.index[key] = len(c.report.Answers)
	c.report.Answers = append(c.report.Answers, a)
}

// declared adds names that are answered alike while every check is healthy.
func (c *comparison) declared(p Part) {
	key := fmt.Sprintf("%q", []any{"declared", p.Types, p.Why})
	if i, known := c.index[key]; known {
		c.report.Declared[i].Names = append(c.report.Declared[i].Names, p.Names...)
		return
	}
	c.index[key] = len(c.report.Declared)
	c.report.Declared = append(c.report.Declared, p)
}
