package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// splitOptions cuts a line of several record options into lines of one. ownLine is the record's line, not one of its
// block. Behind a word that is no option it goes on at the next word that is one, so that one slip is one problem.
func (p *parser) splitOptions(r *recordDraft, kind string, l *line, ownLine bool) []*line {
	var out []*line
	options := p.ofRecords
	find := func(word string) int {
		return slices.IndexFunc(options, func(o option[*recordDraft]) bool { return o.word == strings.ToLower(word) })
	}
	for words := l.words; len(words) > 0; {
		i := find(words[0])
		if i >= 0 && options[i].suits(r) && (!ownLine || options[i].word != "value") {
			end := min(1+options[i].length(words[1:]), len(words))
			out = append(out, &line{words: words[:end], at: l.at})
			words = words[end:]
			continue
		}
		if i < 0 && ownLine && r.typed && len(out) == 0 {
			p.strayData(r, l.at, words[0], validWords(options, r))
			return nil
		}
		p.unknown(&line{words: words, at: l.at}, kind, validWords(options, r))
		next := 1
		for next < len(words) && find(words[next]) < 0 {
			next++
		}
		words = words[next:]
	}
	if !ownLine && l.hasBlock && len(out) > 0 {
		last := out[len(out)-1]
		last.hasBlock, last.block = true, l.block
	}
	return out
}

// strayData reports a word behind the data of a `record TYPE DATA`: a slip, or data of several words. The data is
// dropped, as nobody can tell where it ends.
func (p *parser) strayData(r *recordDraft, at config.Position, word string, valid []string) {
	p.report(at, fmt.Sprintf("unknown word %q behind the data of type %s", word, config.TypeWord(r.kind)),
		config.OneOf(append(valid, "data of several words in quotes")), config.Nearest(word, valid))
	r.Values = nil
}
