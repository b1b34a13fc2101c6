// Package corefile turns the text of healthroute stanzas into package config's values, and back.
//
// tree.go reads tokens into lines with blocks; option.go holds what all objects have in common: tables of options,
// each allowed once, with so many arguments, and option_line.go several on one line; stanza.go, probe.go, probe_http.go, group.go,
// record.go, alias.go, pool.go, target.go, balancer.go and filter.go hold one object each, client.go, group_option.go, place.go,
// process.go, status.go, threshold.go and discover.go families of their options, name.go, argument.go, source.go and text.go what stands behind options; inherit.go says what objects take from those around them; print.go is the way back. Nothing here
// judges a value that could be read: that is config.Stanza.Validate. Everything works on its arguments alone, and any
// number of goroutines may call it.
package corefile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coredns/caddy/caddyfile"

	"github.com/healthroute/healthroute/plugin/config"
)

// Directive is the word that begins a stanza.
const Directive = "healthroute"

// Env is what a stanza does not say itself.
type Env struct {
	// ServerZones are the normalized zones of the server block: the zones of a stanza that names none.
	ServerZones []string
	// Root is the directory of relative file names; "" leaves them as they are.
	Root string
	// NormalizeZone turns one zone argument into absolute, lower-case zones; several come out of a prefix whose
	// length is no octet border. Nil takes a plain name.
	NormalizeZone func(string) ([]string, error)
}

// Parse reads all occurrences of the directive that the dispenser holds; its cursor stands before the first. The
// problems of all stanzas come at once, in the order of their lines; the stanzas may be used if none of them is an error.
func Parse(d *caddyfile.Dispenser, env Env) ([]*config.Stanza, config.Problems) {
	p := &parser{env: env, ofRecords: recordOptions(), ofGroups: groupOptions(), ofTargets: targetOptions()}
	var stanzas []*config.Stanza
	for _, l := range readTree(p, d) {
		if !strings.EqualFold(l.words[0], Directive) {
			p.unexpected(l, Directive)
			continue
		}
		faulty := p.faulty()
		s := p.stanza(l)
		s.Places.Faulty = faulty() || l.faulty
		p.problems = append(p.problems, s.Validate()...)
		stanzas = append(stanzas, s)
	}
	p.problems = append(p.problems, config.ValidateTogether(stanzas)...)
	slices.SortStableFunc(p.problems, func(a, b config.Problem) int {
		return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line))
	})
	return stanzas, p.problems
}

// ParseText reads a text that holds stanzas alone; name is the file name in positions.
func ParseText(name, text string, env Env) ([]*config.Stanza, config.Problems) {
	d := caddyfile.NewDispenser(name, strings.NewReader(text))
	return Parse(&d, env)
}

// parser collects the problems of one call of Parse.
type parser struct {
	env      Env
	problems config.Problems
	errors   int           // reported so far, warnings aside
	drafts   []*groupDraft // of the stanza that is read

	// The tables of what there are many of, made once.
	ofRecords []option[*recordDraft]
	ofGroups  []option[*groupDraft]
	ofTargets []option[*config.Target]
	stanzaOf  *config.Stanza // whose probe is read
}

// report notes a problem. The message is a whole one, without its position.
func (p *parser) report(at config.Position, message, expected, nearest string) {
	p.problems = append(p.problems, config.Problem{Position: at, Message: message, Expected: expected, Nearest: nearest})
	p.errors++
}

// warn notes a problem that leaves the stanza usable.
func (p *parser) warn(at config.Position, message string) {
	p.problems = append(p.problems, config.Problem{Position: at, Message: message, Warning: true})
}

// faulty returns a function that tells whether an error was reported since.
func (p *parser) faulty() func() bool {
	before := p.errors
	return func() bool { return p.errors > before }
}
