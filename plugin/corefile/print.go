package corefile

import (
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
	w.stanza(s)
	for _, p := range s.Probes {
		w.probe(s, p)
	}
	for _, g := range s.Groups {
		w.group(s, g)
	}
	for _, p := range s.Pools {
		w.pool(s, p)
	}
	for _, b := range s.Balancers {
		w.balancer(s, b)
	}
	for _, f := range s.Filters {
		w.filter(s, f)
	}
	w.close()
	return w.String()
}

// stanza writes what a stanza says for all that it declares.
func (w *printer) stanza(s *config.Stanza) {
	w.preset(s.Preset, "")
	w.differs("ttl", ttlWord(s.TTL, s.MinTTL), ttlWord(config.DefaultTTL, 0))
	w.differs("other_types", string(s.OtherTypes), string(config.OtherTypesNext))
	w.clients(s)
	w.process(s)
	for _, ns := range s.Nameservers {
		w.line(append([]string{"nameserver", nameWord(ns.Name)}, ns.Addresses...)...)
	}
}

// printer writes lines of words, indented by block.
type printer struct {
	strings.Builder
	depth int
	whole bool // options that have their default value are written too; lines has what was written
	lines []Line
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
	if !w.whole {
		w.line("}")
	}
}

func (w *printer) words(words []string) {
	if w.whole {
		w.note(words)
		return
	}
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
