package scenario

import (
	"errors"
	"strings"
)

// line is one line of a script.
type line struct {
	number   int
	indented bool
	words    []string
	text     string // what stands behind the first word, as written, without a comment
}

var errUnclosed = errors.New(`a quote is not closed: expected " at the end of the text`)

// splitLine cuts a line into words at blanks. A quoted word keeps its blanks (\" and \\ stand for themselves); a # that begins a word begins
// a comment.
func splitLine(number int, text string) (line, error) {
	l := line{number: number, indented: strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")}
	rest := strings.TrimLeft(text, blanks)
	behind := ""
	for rest != "" && rest[0] != '#' {
		word, after, err := cutWord(rest)
		if err != nil {
			return l, err
		}
		l.words = append(l.words, word)
		rest = strings.TrimLeft(after, blanks)
		if len(l.words) == 1 {
			behind = rest
		}
	}
	l.text = strings.TrimRight(strings.TrimSuffix(behind, rest), blanks)
	return l, nil
}

const blanks = " \t\r"

// cutWord takes the first word off.
func cutWord(text string) (word, rest string, err error) {
	if text[0] != '"' {
		if end := strings.IndexAny(text, blanks); end >= 0 {
			return text[:end], text[end:], nil
		}
		return text, "", nil
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case text[i] == '"':
			return b.String(), text[i+1:], nil
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", errUnclosed
}
