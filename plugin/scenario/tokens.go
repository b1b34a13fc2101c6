package scenario

import (
	"errors"
	"fmt"
	"strings"
)

// token is a word of a line: parts joined by `+`. Quotes keep blanks, `+` and `#`; in them \" is a quote, and every other
// backslash stays, for data in zone file form has its own.
type token []part

type part struct {
	text   string
	quoted bool
}

// text is the token as one word.
func (t token) text() string {
	texts := make([]string, len(t))
	for i, p := range t {
		texts[i] = p.text
	}
	return strings.Join(texts, "+")
}

// is reports whether the token is the word. What stands in quotes is never a word of the language.
func (t token) is(word string) bool { return !t[0].quoted && strings.EqualFold(t.text(), word) }

// String writes the token so that it is read as the same one.
func (t token) String() string {
	texts := make([]string, len(t))
	for i, p := range t {
		texts[i] = p.text
		if p.quoted {
			texts[i] = quote(p.text)
		}
	}
	return strings.Join(texts, "+")
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

const blanks = " \t\r\v\f"

// splitLine cuts a line into tokens; a # where a token could begin is a comment.
func splitLine(line string) ([]token, error) {
	var tokens []token
	for {
		line = strings.TrimLeft(line, blanks)
		if line == "" || line[0] == '#' {
			return tokens, nil
		}
		t, rest, err := splitToken(line)
		if err != nil {
			return nil, err
		}
		tokens, line = append(tokens, t), rest
	}
}

// splitToken takes the first token off a line that begins with one.
func splitToken(line string) (t token, rest string, err error) {
	for {
		var p part
		if p, line, err = splitPart(line); err != nil {
			return nil, "", err
		}
		t = append(t, p)
		if line == "" || strings.IndexByte(blanks, line[0]) >= 0 {
			return t, line, nil
		}
		line = line[1:] // the + between two parts
	}
}

// splitPart takes the first part of a token off a line. What is left is empty or begins with a blank or a plus.
func splitPart(line string) (p part, rest string, err error) {
	if !strings.HasPrefix(line, `"`) {
		end := strings.IndexAny(line, blanks+`+"`)
		switch {
		case end < 0:
			return part{text: line}, "", nil
		case line[end] == '"':
			return part{}, "", fmt.Errorf("a quote within the word %q: quote all of it", line[:end+1])
		}
		return part{text: line[:end]}, line[end:], nil
	}
	p.quoted = true
	var text strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			p.text, rest = text.String(), line[i+1:]
			if rest != "" && strings.IndexByte(blanks+"+", rest[0]) < 0 {
				return part{}, "", fmt.Errorf("no blank behind the quoted word %s", quote(p.text))
			}
			return p, rest, nil
		case c == '\\' && i+1 < len(line):
			i++
			if line[i] != '"' {
				text.WriteByte(c)
			}
			text.WriteByte(line[i])
		default:
			text.WriteByte(c)
		}
	}
	return part{}, "", errors.New("a quote that nothing closes")
}
