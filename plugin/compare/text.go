package compare

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// How much of a report stands in its text; JSON has all of it.
const (
	someEntries = 40 // of a section
	someReasons = 5  // of an entry
	someAnswers = 12 // of a distribution
)

// Text is the report for people.
func (r Report) Text() string {
	w := &writer{}
	if r.Empty() {
		w.line("nothing changes: the same answers, and the same %s", scenario.Count(r.Checks.Kept, "check"))
	}
	w.parts("server blocks", r.ServerBlocks)
	w.parts("zones", r.Zones)
	w.answers(r.Answers)
	w.parts("declared otherwise, but the same answers while every check is healthy", r.Declared)
	w.parts("filters", r.Filters)
	w.unusable(r.Unusable)
	if !r.Empty() {
		w.checks(r.Checks)
	}
	for i, note := range r.Notes {
		if i == 0 {
			w.line("")
		}
		w.line("note: %s", note)
	}
	return w.String()
}

// writer writes lines.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// title begins a section, with a blank line before all but the first.
func (w *writer) title(format string, args ...any) {
	if w.Len() > 0 {
		w.line("")
	}
	w.line(format, args...)
}

// rest says how many entries are not shown.
func (w *writer) rest(all int) {
	if all > someEntries {
		w.line("  and %d more; -o json has all", all-someEntries)
	}
}

// signs stand before what was added, dropped and changed.
var signs = map[Change]string{Added: "+", Dropped: "-", Changed: "~"}

func (w *writer) parts(title string, parts []Part) {
	if len(parts) == 0 {
		return
	}
	w.title("%s", title)
	for i, p := range parts {
		if i == someEntries {
			break
		}
		w.line("  %s %s", signs[p.Change], strings.TrimSpace(listed(p.Names, someNames)+" "+strings.Join(p.Types, ", ")))
		w.reasons("", p.Why)
	}
	w.rest(len(parts))
}

func (w *writer) reasons(word string, why []string) {
	for i, reason := range why {
		if i == someReasons {
			w.line("      and %d more", len(why)-i)
			return
		}
		w.line("      %s%s", word, reason)
	}
}
