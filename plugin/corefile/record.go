package corefile

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// recordDraft is a record while it is read.
type recordDraft struct {
	*config.Record
	group *groupDraft
	typed bool   // written as `record TYPE DATA`
	kind  uint16 // its TYPE
}

// recordOptions are the options of records and aliases. On a record's line each takes its number of arguments.
func recordOptions() []option[*recordDraft] {
	return slices.Concat([]option[*recordDraft]{
		{word: "id", usage: "ID", min: 1, max: 1, home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { r.ID = l.args()[0] }},
		{word: "ttl", usage: "DURATION[-DURATION]", min: 1, max: 1, home: "a record", set: (*parser).recordTTL},
		{word: "weight", usage: "N", min: 1, max: 1, home: "a record of a weighted group", fits: inGroup(config.PolicyWeighted),
			set: func(p *parser, r *recordDraft, l *line) { p.integer(l, l.args()[0], &r.Weight) }},
		{word: "primary", home: "a record of a failover group", fits: inGroup(config.PolicyFailover),
			set: func(p *parser, r *recordDraft, l *line) { p.role(r, l, config.RolePrimary) }},
		{word: "secondary", home: "a record of a failover group", fits: inGroup(config.PolicyFailover),
			set: func(p *parser, r *recordDraft, l *line) { p.role(r, l, config.RoleSecondary) }},
		{word: "priority", usage: "N", min: 1, max: 1, home: "a record of a priority group", fits: inGroup(config.PolicyPriority),
			set: func(p *parser, r *recordDraft, l *line) { p.integer(l, l.args()[0], &r.Priority) }},
	}, placeOptions(), aliasOptions(), []option[*recordDraft]{
		{word: "site", usage: "NAME", min: 1, max: 1, home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { r.Site = strings.ToLower(l.args()[0]) }},
		{word: "probe", usage: "NAME|none", min: 1, max: 1, home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { r.Probe = probeName(l.args()[0]) }},
		{word: "header", usage: "NAME VALUE", min: 2, max: 2, repeat: true, home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { r.Headers = append(r.Headers, header(&r.Places, l)) }},
		{word: "disabled", home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { p.admin(&r.Admin, "a record", l, config.Disabled) }},
		{word: "draining", home: "a record",
			set: func(p *parser, r *recordDraft, l *line) { p.admin(&r.Admin, "a record", l, config.Draining) }},
		{word: "always", home: "a record that is no alias", fits: func(r *recordDraft) bool { return r.Alias == nil },
			set: func(p *parser, r *recordDraft, l *line) { p.admin(&r.Admin, "a record", l, config.Always) }},
		{word: "value", usage: "DATA", min: 1, max: 1, repeat: true, inBlock: true, home: "the block of a `record TYPE DATA`",
			fits: func(r *recordDraft) bool { return r.typed },
			set: func(p *parser, r *recordDraft, l *line) {
				r.value(r.kind, l.args()[0], l.at)
			}},
	})
}

func inGroup(policies ...config.Policy) func(*recordDraft) bool {
	return func(r *recordDraft) bool { return r.group.isPolicy(policies...) }
}

// record reads `record ADDRESS,... OPTION...` or `record TYPE DATA OPTION...` and its block.
func (p *parser) record(g *groupDraft, l *line) {
	faulty := p.faulty()
	r := &recordDraft{Record: &config.Record{}, group: g}
	p.recordOptions(r, "a record", p.values(r, l), l)
	if !r.Places.Has("id") {
		r.ID = config.DefaultID(r.Values)
	}
	r.Places.Faulty = l.faulty || faulty()
	g.Records = append(g.Records, r.Record)
}

// recordOptions reads the options of a record or an alias, what says which: the words behind its data, and its block.
func (p *parser) recordOptions(r *recordDraft, what string, words []string, l *line) {
	r.Places.Own = l.at
	if r.group.Policy == config.PolicyWeighted {
		r.Weight = config.DefaultWeight
	}
	kind := what + " of the group"
	if r.group.Policy != "" {
		kind = fmt.Sprintf("%s of the %s group", what, r.group.Policy)
	}
	if r.typed && len(words) > 0 && find(p.ofRecords, words[0]) < 0 {
		p.strayData(r, l.at, words[0])
		words = nil
	}
	fillLine(p, kind, &r.Places, p.ofRecords, r, words, l)
}

// strayData reports a word behind the data of a `record TYPE DATA`: a slip, or data of several words. The data is
// dropped, as nobody can tell where it ends.
func (p *parser) strayData(r *recordDraft, at config.Position, word string) {
	valid := validWords(p.ofRecords, r)
	p.report(at, fmt.Sprintf("unknown word %q behind the data of type %s", word, config.TypeWord(r.kind)),
		config.OneOf(append(valid, "data of several words in quotes")), config.Nearest(word, valid))
	r.Values = nil
}

// recordTTL reads the `ttl` of a record; an alias has none of its own (spec 4.1).
func (p *parser) recordTTL(r *recordDraft, l *line) {
	switch {
	case r.Alias != nil && r.Alias.Pool != "":
		p.report(l.at, `"ttl" in an alias of a pool: its answers have the TTL of the pool`, "`ttl` there", "")
		return
	case r.Alias != nil && r.Alias.Balancer != "":
		p.report(l.at, `"ttl" in an alias of a balancer: its answers have the TTL of the pool or, of a site's address, of the balancer`, "`ttl` there", "")
		return
	case r.Alias != nil:
		p.report(l.at, `"ttl" in an alias: its answers have the TTL of the record that they end at`, "`ttl` there", "")
		return
	}
	p.ttl(l, &r.TTL, &r.MinTTL)
}

// values reads what the record answers and returns the words behind it.
func (p *parser) values(r *recordDraft, l *line) []string {
	first, rest := l.args()[0], l.args()[1:]
	t, isType := config.ParseType(first)
	if isType && len(rest) == 0 {
		p.report(l.at, fmt.Sprintf("record of type %q lacks its data", first), "`record TYPE DATA`", "")
		return nil
	}
	if isType {
		r.typed, r.kind = true, t
		r.value(t, rest[0], l.at)
		return rest[1:]
	}
	for text := range strings.SplitSeq(first, ",") {
		a, err := netip.ParseAddr(text)
		switch {
		case text == "":
			p.report(l.at, fmt.Sprintf("comma without an address behind or before it in %q", first), "`record ADDRESS,...` without blanks", "")
			return nil
		case err != nil:
			p.report(l.at, fmt.Sprintf("%q is neither an IP address nor a DNS type", text),
				"`record ADDRESS,...` or `record TYPE DATA`", config.Nearest(text, valueWords))
			if !strings.ContainsAny(text, ".:") {
				return nil // no address was meant, and what follows may be anything
			}
		case a.Is4():
			r.value(dns.TypeA, text, l.at)
		default:
			r.value(dns.TypeAAAA, text, l.at)
		}
	}
	return rest
}

// valueWords are the types that a misspelt first word of a record is compared with.
var valueWords = []string{"A", "AAAA", "CNAME", "TXT", "MX", "SRV", "NS", "PTR", "CAA", "HTTPS", "SVCB", "NAPTR", "TLSA", "SSHFP", "URI", "DS", "LOC"}

// value adds a value; addresses are written in one form only.
func (r *recordDraft) value(t uint16, data string, at config.Position) {
	v := config.Value{Type: t, Data: data}
	if a, err := netip.ParseAddr(data); err == nil && v.IsAddress() {
		v.Data = a.String()
	}
	r.Values = append(r.Values, v)
	r.Places.Note("value "+v.Data, at)
}

// role makes the record primary or secondary; it cannot be both.
func (p *parser) role(r *recordDraft, l *line, role config.Role) {
	if r.Role != "" {
		p.report(l.at, fmt.Sprintf("%q in a record that is %s", role, r.Role), "one of them", "")
		return
	}
	r.Role = role
}

// admin notes what the operator says of a record or a target: one thing only (T-231).
func (p *parser) admin(to *config.AdminState, what string, l *line, state config.AdminState) {
	if *to != "" {
		p.report(l.at, fmt.Sprintf("%q in %s that is %s", state, what, *to), "one of them", "")
		return
	}
	*to = state
}
