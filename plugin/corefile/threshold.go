package corefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const thresholdUsage = "[count N|off] [percent N|off]"

// thresholdOptions are the words behind `dns_failover` and `fail_open`.
func thresholdOptions() []option[*config.Threshold] {
	return belongs("`dns_failover` or `fail_open`", []option[*config.Threshold]{
		{word: "count", usage: "N|off", min: 1, max: 1, set: func(p *parser, t *config.Threshold, l *line) { p.numberOrOff(l, &t.Count) }},
		{word: "percent", usage: "N|off", min: 1, max: 1, set: func(p *parser, t *config.Threshold, l *line) { p.numberOrOff(l, &t.Percent) }},
	})
}

// threshold reads the numbers of a threshold; what is not written keeps its default.
func (p *parser) threshold(l *line, pool *config.Pool, to *config.Threshold) {
	fillLine(p, fmt.Sprintf("%q of the pool %s", strings.ToLower(l.words[0]), pool.Name), &config.Places{}, thresholdOptions(), to, l.args(), l)
}

// numberOrOff reads a number above 0, or `off`, which is held as 0.
func (p *parser) numberOrOff(l *line, to *int) {
	word := l.args()[0]
	if strings.EqualFold(word, off) {
		*to = 0
		return
	}
	n, err := strconv.Atoi(word)
	switch {
	case err != nil:
		nearest := config.Nearest(word, []string{off})
		if number, percent := strings.CutSuffix(word, "%"); percent {
			nearest = number
		}
		p.report(l.at, fmt.Sprintf("%q of %q is not a number", word, l.words[0]), "a whole number, or off", nearest)
	case n < 1:
		p.report(l.at, fmt.Sprintf("%s %d is out of range", l.words[0], n), "1 or more, or off", "")
	default:
		*to = n
	}
}

// off is the word for no number.
const off = "off"

// threshold writes the numbers that are not the default.
func (w *printer) threshold(word string, t, standard config.Threshold) {
	words := []string{word}
	for _, part := range []struct {
		word          string
		number, usual int
	}{{"count", t.Count, standard.Count}, {"percent", t.Percent, standard.Percent}} {
		switch {
		case part.number == part.usual && !w.whole:
		case part.number == 0:
			words = append(words, part.word, off)
		default:
			words = append(words, part.word, strconv.Itoa(part.number))
		}
	}
	if len(words) > 1 {
		w.line(words...)
	}
}
