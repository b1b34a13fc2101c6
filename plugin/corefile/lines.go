package corefile

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// Line is one line of a declaration as words, with what stands in its own block behind it. Options that have their default value are written too, so
// that two declarations have equal lines only if they mean the same. Behind the first word of a record, an alias or a target stand `id` and its id.
type Line []string

// note keeps a line; what stands in a block within the declaration goes with the line that opened it.
func (w *printer) note(words []string) {
	if last := len(w.lines) - 1; w.depth > 1 && last >= 0 {
		w.lines[last] = append(w.lines[last], words...)
		return
	}
	w.lines = append(w.lines, slices.Clone(words))
}

// linesOf are the lines of a declaration without the one that opens it.
func linesOf(write func(*printer)) []Line {
	w := &printer{whole: true}
	write(w)
	return w.lines[1:]
}

// StanzaLines are the options of a stanza, without what it declares.
func StanzaLines(s *config.Stanza) []Line {
	return linesOf(func(w *printer) {
		w.open(Directive)
		w.stanza(s)
	})
}

// ProbeLines are the options of a probe of the stanza.
func ProbeLines(s *config.Stanza, p *config.Probe) []Line {
	lines := linesOf(func(w *printer) { w.probe(s, p) })
	return slices.Insert(lines, 0, Line{"type", string(p.Type)})
}

// GroupLines are the policy, the options and the records of a group of the stanza.
func GroupLines(s *config.Stanza, g *config.Group) []Line {
	lines := linesOf(func(w *printer) { w.group(s, g) })
	return slices.Insert(lines, 0, Line{"policy", string(g.Policy)})
}

// PoolLines are the options and the targets of a pool of the stanza.
func PoolLines(s *config.Stanza, p *config.Pool) []Line {
	return linesOf(func(w *printer) { w.pool(s, p) })
}

// BalancerLines are the options and the sites of a balancer of the stanza.
func BalancerLines(s *config.Stanza, b *config.Balancer) []Line {
	return linesOf(func(w *printer) { w.balancer(s, b) })
}

// FilterLines are the options of a filter of the stanza.
func FilterLines(s *config.Stanza, f *config.Filter) []Line {
	return linesOf(func(w *printer) { w.filter(s, f) })
}
