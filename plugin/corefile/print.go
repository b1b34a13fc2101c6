package corefile

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/healthroute/healthroute/plugin/config"
)

// Print writes a stanza so that parsing the text gives the same stanza, positions aside. Names are absolute, file names
// as they are held (with Env.Root joined), and options that have their default value are left out.
//
// Every stanza that was parsed from a file can be written. What can only come from elsewhere cannot always: a Corefile
// has no way to write a text that is a lone brace, or one with blanks in which a backslash stands before a quote.
func Print(s *config.Stanza) string {
	w := &printer{}
	w.open(append([]string{Directive}, nameWords(s.Zones)...)...)
	w.preset(s.Preset, "")
	if s.TTL != config.DefaultTTL {
		w.line("ttl", config.FormatDuration(s.TTL))
	}
	if s.OtherTypes != config.OtherTypesNext {
		w.line("other_types", string(s.OtherTypes))
	}
	for _, ns := range s.Nameservers {
		w.line(append([]string{"nameserver", nameWord(ns.Name)}, ns.Addresses...)...)
	}
	for _, p := range s.Probes {
		w.probe(s, p)
	}
	for _, g := range s.Groups {
		w.group(s, g)
	}
	w.close()
	return w.String()
}

// printer writes lines of words, indented by block.
type printer struct {
	strings.Builder
	depth int
}

func (w *printer) line(words ...string) {
	w.words(words)
	w.WriteByte('\n')
}

// open begins a line with a block, close ends the block.
func (w *printer) open(words ...string) {
	w.words(words)
	w.WriteString(" {\n")
	w.depth++
}

func (w *printer) close() {
	w.depth--
	w.line("}")
}

func (w *printer) words(words []string) {
	w.WriteString(strings.Repeat("    ", w.depth))
	for i, word := range words {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(quote(word))
	}
}

// quote writes a word so that the Corefile's lexer gives it back. Quotes are the exception: inside them a backslash
// before a quote vanishes, and one at the end swallows the closing one.
func quote(word string) string {
	if word != "" && !strings.HasPrefix(word, `"`) && !strings.ContainsFunc(word, splitsWords) {
		return word
	}
	return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
}

// nameWord writes a domain name without the one escape that quotes would spoil.
func nameWord(name string) string { return strings.ReplaceAll(name, `\"`, `\034`) }

func nameWords(names []string) []string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = nameWord(name)
	}
	return words
}

// splitsWords reports whether the lexer would end, drop or cut an unquoted word at the character.
func splitsWords(r rune) bool { return unicode.IsSpace(r) || r == '#' }

func (w *printer) group(s *config.Stanza, g *config.Group) {
	w.open(append(append([]string{"group"}, nameWords(g.Names)...), string(g.Policy))...)
	if g.TTL != s.TTL {
		w.line("ttl", config.FormatDuration(g.TTL))
	}
	if g.Policy == config.PolicyMultivalue && g.Max != config.DefaultMax {
		w.line("max", fmt.Sprint(g.Max))
	}
	if g.LastResort != config.LastResortAll {
		w.line("last_resort", string(g.LastResort))
	}
	if g.FamiliesTogether {
		w.line("families", "together")
	}
	for _, r := range g.Records {
		w.record(g, r)
	}
	w.close()
}

// record writes a record on one line, and a block only where one is needed.
func (w *printer) record(g *config.Group, r *config.Record) {
	words, more := recordData(r.Values)
	if r.ID != config.DefaultID(r.Values) {
		words = append(words, "id", r.ID)
	}
	if r.TTL != g.TTL {
		words = append(words, "ttl", config.FormatDuration(r.TTL))
	}
	if g.Policy == config.PolicyWeighted && r.Weight != config.DefaultWeight {
		words = append(words, "weight", fmt.Sprint(r.Weight))
	}
	if r.Role != "" {
		words = append(words, string(r.Role))
	}
	if r.Site != "" {
		words = append(words, "site", r.Site)
	}
	if r.Probe != "" {
		words = append(words, "probe", r.Probe)
	}
	if len(more) == 0 && len(r.Headers) == 0 {
		w.line(words...)
		return
	}
	w.open(words...)
	for _, v := range more {
		w.line("value", v.Data)
	}
	for _, h := range r.Headers {
		w.line("header", h.Name, h.Value)
	}
	w.close()
}

// recordData writes values: all on the record's line if they are addresses, otherwise the first one there and more
// below.
func recordData(values []config.Value) (words []string, more []config.Value) {
	addresses := make([]string, 0, len(values))
	for _, v := range values {
		if v.IsAddress() {
			addresses = append(addresses, v.Data)
		}
	}
	switch {
	case len(values) == 0:
		return []string{"record"}, nil
	case len(addresses) == len(values):
		return []string{"record", strings.Join(addresses, ",")}, nil
	}
	return []string{"record", config.TypeWord(values[0].Type), values[0].Data}, values[1:]
}
