package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Problem is one fault of a declaration, worded so that the reader can mend it.
type Problem struct {
	Position Position
	Message  string // what is wrong, with the offending token quoted; lower case, no full stop
	Expected string // what may stand there; may be empty
	Nearest  string // the nearest valid word; may be empty
	Warning  bool   // the stanza works all the same
}

// Error is one line: position, message, what was expected and the nearest valid word.
func (p Problem) Error() string {
	var b strings.Builder
	if at := p.Position.String(); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(p.Message)
	if p.Expected != "" {
		b.WriteString(": expected " + p.Expected)
	}
	if p.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Nearest)
	}
	return b.String()
}

// Problems is all that is wrong with a stanza, in the order in which it was found.
type Problems []Problem

// Error is one line a problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the problems that refuse the stanza, or nil.
func (ps Problems) Errors() Problems { return ps.only(false) }

// Warnings returns the problems that do not.
func (ps Problems) Warnings() Problems { return ps.only(true) }

func (ps Problems) only(warning bool) Problems {
	var out Problems
	for _, p := range ps {
		if p.Warning == warning {
			out = append(out, p)
		}
	}
	return out
}

// Nearest returns the word nearest to token by edit distance, or "" when none is near: more than a third of
// the letters, or all of them, would have to change. Letter case does not count, and letters in the wrong order
// are one slip ("wieght").
func Nearest(token string, words []string) string {
	if len(token) > longestWord {
		return ""
	}
	token = strings.ToLower(token)
	best, distance := "", min(len(token), 1+max(1, len(token)/3))
	for _, word := range words {
		d := levenshtein.ComputeDistance(token, strings.ToLower(word))
		if sortLetters(token) == sortLetters(strings.ToLower(word)) {
			d = min(d, 1)
		}
		if d < distance {
			best, distance = word, d
		}
	}
	return best
}

func sortLetters(word string) string {
	letters := []byte(word)
	slices.Sort(letters)
	return string(letters)
}

// longestWord is far above every word of the language; longer tokens are data, and comparing them takes long.
const longestWord = 300

// OneOf writes a choice: "a, b or c".
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
