package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// option is one word that stands in the block of an object of type T, and what it does to the object.
type option[T any] struct {
	word     string
	usage    string                   // the arguments as the documentation writes them
	min, max int                      // number of arguments; max unlimited: many
	repeat   bool                     // may be written more than once
	block    bool                     // may have a block
	inBlock  bool                     // stands in the block of its object alone, where options may also stand on the object's line
	take     func(words []string) int // how many of the words behind it are its arguments, where other options follow; nil: max
	home     string                   // the objects that may have it, for the message when it stands elsewhere
	fits     func(T) bool             // whether this very object may have it; nil: all
	set      func(p *parser, object T, l *line)
}

// many is a number of arguments without limit.
const many = 1 << 30

// fill gives the lines of a block to the options of the object. kind names the object in messages: "the tcp probe web".
func fill[T any](p *parser, kind string, places *config.Places, options []option[T], object T, lines []*line) {
	for _, l := range lines {
		word := strings.ToLower(l.words[0])
		i := slices.IndexFunc(options, func(o option[T]) bool { return o.word == word && o.suits(object) })
		if i < 0 {
			p.unknown(l, kind, validWords(options, object))
			continue
		}
		o := options[i]
		switch {
		case places.Has(word) && !o.repeat:
			p.report(l.at, fmt.Sprintf("%q a second time in %s", word, kind),
				fmt.Sprintf("only one, and it stands on line %d", places.Of(word).Line), "")
		case len(l.args()) < o.min:
			p.report(l.at, fmt.Sprintf("%q lacks an argument", word), o.words(), "")
		case len(l.args()) > o.max && l.args()[o.max] == "{}":
			p.report(l.at, bracesWord, "", "")
		case len(l.args()) > o.max:
			p.report(l.at, fmt.Sprintf("unexpected %q after %q", l.args()[o.max], word), o.words(), "")
		case l.hasBlock && !o.block:
			p.report(l.at, fmt.Sprintf("%q takes no block", word), o.words(), "")
		default:
			places.Note(word, l.at)
			o.set(p, object, l)
			continue
		}
		if !places.Has(word) {
			places.Note(word, l.at)
		}
	}
}

// length is how many of the words behind the option are its arguments, in a line of several options.
func (o option[T]) length(words []string) int {
	if o.take != nil {
		return o.take(words)
	}
	return o.max
}

func (o option[T]) suits(object T) bool { return o.fits == nil || o.fits(object) }

// words is the option as the documentation writes it, within backquotes.
func (o option[T]) words() string { return "`" + strings.TrimSpace(o.word+" "+o.usage) + "`" }

func validWords[T any](options []option[T], object T) []string {
	var words []string
	for _, o := range options {
		if o.suits(object) {
			words = append(words, o.word)
		}
	}
	return words
}

// unknown reports a word that is no option where it stands: it belongs elsewhere, or it is none at all.
func (p *parser) unknown(l *line, kind string, valid []string) {
	word := strings.ToLower(l.words[0])
	if word == "{}" {
		p.report(l.at, bracesWord, "", "")
		return
	}
	if word == Directive {
		p.report(l.at, fmt.Sprintf("%q in %s: is a } missing above?", l.words[0], kind), "", "")
		return
	}
	if homes := homesOf(word); len(homes) > 0 {
		nearest := ""
		if plural := word + "s"; slices.Contains(valid, plural) { // `pool` for `pools`
			nearest = plural
		}
		p.report(l.at, fmt.Sprintf("%q cannot stand in %s: it belongs in %s", l.words[0], kind, config.OneOf(homes)), "", nearest)
		return
	}
	p.report(l.at, fmt.Sprintf("unknown word %q in %s", l.words[0], kind), config.OneOf(valid), config.Nearest(word, valid))
}

// homesOf lists where a word is an option.
func homesOf(word string) []string {
	return slices.Concat(homes(stanzaOptions(), word), homes(probeOptions(), word),
		homes(groupOptions(), word), homes(recordOptions(), word), homes(statusOptions(), word),
		homes(poolOptions(), word), homes(targetOptions(), word), homes(discoverOptions(), word), homes(thresholdOptions(), word),
		homes(balancerOptions(), word), homes(siteOptions(), word), homes(filterOptions(), word))
}

func homes[T any](options []option[T], word string) []string {
	var out []string
	for _, o := range options {
		if o.word == word && !slices.Contains(out, o.home) {
			out = append(out, o.home)
		}
	}
	return out
}

// unexpected reports a word where only one of the valid ones can stand.
func (p *parser) unexpected(l *line, valid ...string) {
	p.report(l.at, fmt.Sprintf("unexpected %q", l.words[0]), config.OneOf(valid), config.Nearest(l.words[0], valid))
}
