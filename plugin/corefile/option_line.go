package corefile

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// fillLine gives an object the options that stand behind its data on the object's own line, and those of its block.
func fillLine[T any](p *parser, kind string, places *config.Places, options []option[T], object T, words []string, l *line) {
	lines := splitOptions(p, kind, options, object, &line{words: words, at: l.at}, true)
	for _, inner := range l.block {
		lines = append(lines, splitOptions(p, kind, options, object, inner, false)...)
	}
	fill(p, kind, places, options, object, lines)
}

// splitOptions cuts a line of several options into lines of one. ownLine is the object's own line, not one of its
// block. Behind a word that is no option it goes on at the next word that is one, so that one slip is one problem.
func splitOptions[T any](p *parser, kind string, options []option[T], object T, l *line, ownLine bool) []*line {
	var out []*line
	for words := l.words; len(words) > 0; {
		i := find(options, words[0])
		if i >= 0 && options[i].suits(object) && (!ownLine || !options[i].inBlock) {
			end := min(1+options[i].length(words[1:]), len(words))
			out = append(out, &line{words: words[:end], at: l.at})
			words = words[end:]
			continue
		}
		p.unknown(&line{words: words, at: l.at}, kind, validWords(options, object))
		next := 1
		for next < len(words) && find(options, words[next]) < 0 {
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

// find returns the index of the first option that the word is, or -1.
func find[T any](options []option[T], word string) int {
	word = strings.ToLower(word)
	return slices.IndexFunc(options, func(o option[T]) bool { return o.word == word })
}
