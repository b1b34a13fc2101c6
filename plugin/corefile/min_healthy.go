package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const minHealthyUsage = "N|N% [show_all] [ipv4 N] [ipv6 N]"

// minHealthyWords are the words of `min_healthy` besides numbers.
var minHealthyWords = []string{"show_all", "ipv4", "ipv6"}

// takeMinHealthy counts the arguments of `min_healthy` in a line of several options: it may begin with a number, and ends
// at a word that is another option's.
func takeMinHealthy(words []string) int {
	n := 0
	if len(words) > 0 && !slices.Contains(minHealthyWords, strings.ToLower(words[0])) {
		n = 1
	}
	for n < len(words) {
		switch strings.ToLower(words[n]) {
		case "show_all":
			n++
		case "ipv4", "ipv6":
			n += 2
		default:
			return n
		}
	}
	return n
}

// minHealthy reads `min_healthy` of a group or an alias.
func (p *parser) minHealthy(l *line, to *config.MinHealthy) {
	var m config.MinHealthy
	args := l.args()
	faulty := p.faulty()
	if !slices.Contains(minHealthyWords, strings.ToLower(args[0])) {
		number, percent := strings.CutSuffix(args[0], "%")
		if m.Percent = percent; percent {
			p.integer(l, number, &m.Count)
		} else {
			p.integerFrom(l, number, 1, 65535, &m.Count)
		}
		args = args[1:]
	}
	for len(args) > 0 {
		word := strings.ToLower(args[0])
		to := map[string]*int{"ipv4": &m.IPv4, "ipv6": &m.IPv6}[word]
		switch {
		case word == "show_all" && !m.ShowAll:
			m.ShowAll = true
			args = args[1:]
			continue
		case to == nil || *to != 0 || len(args) == 1:
			nearest := config.Nearest(word, minHealthyWords)
			if nearest == word {
				nearest = ""
			}
			p.report(l.at, fmt.Sprintf("%q of %q cannot be read", strings.Join(args, " "), "min_healthy"), "`"+minHealthyUsage+"`", nearest)
			return
		}
		p.integerFrom(l, args[1], 1, 65535, to)
		args = args[2:]
	}
	if !faulty() {
		*to = m
	}
}

// printMinHealthy writes the words that minHealthy reads.
func printMinHealthy(m config.MinHealthy) []string {
	words := []string{"min_healthy"}
	switch {
	case m.Percent:
		words = append(words, fmt.Sprintf("%d%%", m.Count))
	case m.Count != 0:
		words = append(words, fmt.Sprint(m.Count))
	}
	if m.ShowAll {
		words = append(words, "show_all")
	}
	if m.IPv4 != 0 {
		words = append(words, "ipv4", fmt.Sprint(m.IPv4))
	}
	if m.IPv6 != 0 {
		words = append(words, "ipv6", fmt.Sprint(m.IPv6))
	}
	return words
}
