package corefile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// The functions here read one argument of an option. They report what cannot be read and return false then, so that
// the default stays.

// duration reads a length of time in Go's form.
func (p *parser) duration(l *line, text string, to *time.Duration) bool {
	d, err := time.ParseDuration(text)
	if err != nil {
		nearest := ""
		if _, err := strconv.Atoi(text); err == nil {
			nearest = text + "s"
		}
		p.report(l.at, fmt.Sprintf("%q of %q is not a duration", text, l.words[0]), "a number with its unit, as in 500ms, 30s or 1h30m", nearest)
		return false
	}
	*to = d
	return true
}

// days reads a length of time in Go's form, or in whole days: 14d.
func (p *parser) days(l *line, text string, to *time.Duration) bool {
	if number, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(number, 10, 16); err == nil {
			*to = time.Duration(n) * day
			return true
		}
	}
	return p.duration(l, text, to)
}

const day = 24 * time.Hour

// daysWord writes it.
func daysWord(d time.Duration) string {
	if d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return config.FormatDuration(d)
}

// ttl reads a length of time, or `A-B`; low is 0 for a fixed one.
func (p *parser) ttl(l *line, to, low *time.Duration) {
	text := l.args()[0]
	cut := strings.LastIndex(text, "-")
	if cut <= 0 {
		p.duration(l, text, to)
		return
	}
	var from, upTo time.Duration
	switch {
	case !p.duration(l, text[:cut], &from) || !p.duration(l, text[cut+1:], &upTo):
	case from == 0: // which would be no range to the rest of us
		p.report(l.at, "ttl "+text+" is no range", "`ttl A-B` with A from 1s and B above it", "")
	default:
		*low, *to = from, upTo
	}
}

// integer reads a whole number. Its range is judged later unless it is given here.
func (p *parser) integer(l *line, text string, to *int) bool {
	n, err := strconv.Atoi(text)
	if err != nil {
		p.report(l.at, fmt.Sprintf("%q of %q is not a number", text, l.words[0]), "a whole number", "")
		return false
	}
	*to = n
	return true
}

// integerFrom reads a whole number from low to high.
func (p *parser) integerFrom(l *line, text string, low, high int, to *int) bool {
	var n int
	if !p.integer(l, text, &n) {
		return false
	}
	if n < low || n > high {
		p.report(l.at, fmt.Sprintf("%s %d is out of range", l.words[0], n), fmt.Sprintf("%d to %d", low, high), "")
		return false
	}
	*to = n
	return true
}

// choice reads one of the words.
func choice[T ~string](p *parser, l *line, text string, words []T, to *T) bool {
	word := T(strings.ToLower(text))
	if !slices.Contains(words, word) {
		valid := make([]string, len(words))
		for i, w := range words {
			valid[i] = string(w)
		}
		p.report(l.at, fmt.Sprintf("%q of %q is unknown", text, l.words[0]), config.OneOf(valid), config.Nearest(text, valid))
		return false
	}
	*to = word
	return true
}

// file reads a file name; relative ones are below the root.
func (p *parser) file(name string) string {
	if p.env.Root == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.env.Root, name)
}
