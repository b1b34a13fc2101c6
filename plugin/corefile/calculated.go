package corefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// calculatedOptions are the options of calculated probes alone.
func calculatedOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "of", usage: "PROBE|GROUP/RECORD,...", min: 1, max: 1, set: (*parser).children},
		{word: "healthy", usage: "N|N%|all|any", min: 1, max: 1, set: (*parser).healthy},
	}
}

// children reads probes and GROUP/RECORDs. A group name may hold slashes, a record's id none that was given by hand, so the last
// slash counts.
func (p *parser) children(o *config.Probe, l *line) {
	for word := range strings.SplitSeq(l.args()[0], ",") {
		slash := strings.LastIndexByte(word, '/')
		switch {
		case word == "" || slash == 0 || slash == len(word)-1:
			p.report(l.at, fmt.Sprintf("%q of %q lacks a name", l.args()[0], "of"), "`PROBE|GROUP/RECORD,...` without blanks", "")
			return
		case slash < 0:
			o.Children.Probes = append(o.Children.Probes, strings.ToLower(word))
		default:
			o.Children.Records = append(o.Children.Records, config.RecordRef{Group: p.names(l, p.stanzaOf, word[:slash]), Record: word[slash+1:]})
		}
	}
}

// healthy reads how many children are needed.
func (p *parser) healthy(o *config.Probe, l *line) {
	word := strings.ToLower(l.args()[0])
	number, percent := strings.CutSuffix(word, "%")
	n, err := strconv.Atoi(number)
	switch {
	case word == "all":
		o.Children.Healthy, o.Children.Percent = config.AllChildren, true
	case word == "any":
		o.Children.Healthy, o.Children.Percent = config.AnyChild, false
	case err == nil:
		o.Children.Healthy, o.Children.Percent = n, percent
	default:
		p.report(l.at, fmt.Sprintf("%q of %q is not a number of children", word, "healthy"), "`N`, `N%`, `all` or `any`", config.Nearest(word, []string{"all", "any"}))
	}
}

// quorum reads `quorum 50%` or `quorum more than 18%`.
func (p *parser) quorum(o *config.Probe, l *line) {
	args := l.args()
	number, isPercent := strings.CutSuffix(args[len(args)-1], "%")
	n, err := strconv.Atoi(number)
	more := len(args) == 3 && strings.EqualFold(args[0], "more") && strings.EqualFold(args[1], "than")
	if err != nil || !isPercent || len(args) != 1 && !more {
		p.report(l.at, fmt.Sprintf("%q of %q cannot be read", strings.Join(args, " "), "quorum"), "a percentage, as in `50%` or `more than 18%`", "")
		return
	}
	if n < 1 {
		p.report(l.at, fmt.Sprintf("quorum %q is out of range", strings.Join(args, " ")), "`1%` to `100%`, or `more than 1%` to `more than 99%`", "")
		return
	}
	o.Quorum = config.Quorum{Percent: n, More: more}
	if o.Quorum == (config.Quorum{Percent: 50}) {
		o.Quorum = config.Quorum{} // written in one way only
	}
}

// calculated writes what a calculated probe counts.
func (w *printer) calculated(s *config.Stanza, c, d config.Children) {
	words := append([]string(nil), c.Probes...)
	for _, ref := range c.Records {
		words = append(words, groupWord(s, ref.Group)+"/"+ref.Record)
	}
	w.differs("of", strings.Join(words, ","), "")
	w.differs("healthy", c.HealthyWord(), d.HealthyWord())
}

// groupWord writes the name of a group that is meant by one name for each zone: relative if there are several zones.
func groupWord(s *config.Stanza, names []string) string {
	if len(names) < 2 {
		return nameWord(strings.Join(names, ""))
	}
	if names[0] == s.Zones[0] {
		return "@"
	}
	return nameWord(strings.TrimSuffix(names[0], "."+strings.TrimPrefix(s.Zones[0], ".")))
}
