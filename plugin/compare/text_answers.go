package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// answers writes what changes: names that only keep their answers for another time together, everything else by name.
func (w *writer) answers(all []Answer) {
	if len(all) == 0 {
		return
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Names...)
	}
	w.title("answers that change, while every check is healthy: %s", scenario.Count(len(unique(names)), "name"))
	var ttls, others []Answer
	for _, a := range all {
		if a.onlyTTL() {
			ttls = append(ttls, a)
		} else {
			others = append(others, a)
		}
	}
	for i, a := range others {
		if i == someEntries {
			break
		}
		w.answer(a, i > 0 && slices.Equal(others[i-1].Names, a.Names) && slices.Equal(others[i-1].Types, a.Types))
		if last := i+1 == len(others) || !slices.Equal(others[i+1].Names, a.Names) || !slices.Equal(others[i+1].Types, a.Types); last && a.Change == Changed {
			w.reasons("because ", a.Why)
		}
	}
	w.rest(len(others))
	w.ttls(ttls)
}

// answer writes one change; again says that the line before is about the same question.
func (w *writer) answer(a Answer, again bool) {
	who := ""
	if len(a.Clients) > 0 {
		who = "for " + listed(a.Clients, someNames) + ": "
	}
	head := fmt.Sprintf("  %s %s %s", signs[a.Change], listed(a.Names, someNames), strings.Join(a.Types, ", "))
	switch {
	case len(a.Before)+len(a.After) == 0:
		w.line("%s, in referrals", head)
	case a.Change == Added:
		w.line("%s: %s%s", head, who, inLine(a.After, a.Together))
	case a.Change == Dropped:
		w.line("%s: %s%s, from now on %s", head, who, inLine(a.Before, a.Together), inLine(a.After, a.Together))
	case len(a.Before) == 1 && len(a.After) == 1:
		if !again {
			w.line("%s", head)
		}
		w.line("      %s%s -> %s%s", who, a.Before[0].text(), a.After[0].text(), ttlChange(a.Before, a.After))
	default:
		if !again {
			w.line("%s", head)
		}
		if who != "" {
			w.line("      %s", strings.TrimSuffix(who, " "))
		}
		w.shares(a)
	}
}

// shares writes the share that each answer had and has.
func (w *writer) shares(a Answer) {
	type row struct{ text, before, after string }
	var rows []*row
	at := map[string]*row{}
	find := func(p Possible) *row {
		text := p.text()
		if at[text] == nil {
			at[text] = &row{text, "-", "-"}
			rows = append(rows, at[text])
		}
		return at[text]
	}
	for _, p := range a.Before {
		find(p).before = p.Share
	}
	for _, p := range a.After {
		find(p).after = p.Share
	}
	if a.Together {
		w.line("      records, and the part of answers that each stands in:")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		if i == someAnswers {
			fmt.Fprintf(table, "      and %d more\n", len(rows)-i)
			break
		}
		if r.before != r.after {
			r.before += " -> " + r.after
		}
		fmt.Fprintf(table, "      %s\t%s\n", r.text, r.before)
	}
	_ = table.Flush() // into memory
	if text := ttlChange(a.Before, a.After); text != "" {
		w.line("      %s", strings.Trim(text, " ()"))
	}
}

// ttls writes which names are only kept for another time.
func (w *writer) ttls(all []Answer) {
	by := map[string][]string{}
	var order []string
	for _, a := range all {
		key := strings.Trim(ttlChange(a.Before, a.After), " ()")
		if by[key] == nil {
			order = append(order, key)
		}
		for _, name := range a.Names {
			by[key] = append(by[key], name+" "+strings.Join(a.Types, ", "))
		}
	}
	for _, key := range order {
		w.line("  ~ %s: %s", key, listed(unique(by[key]), someNames)) // for whichever clients
	}
}

// onlyTTL reports whether the answers are the same but for how long they may be kept.
func (a Answer) onlyTTL() bool {
	if len(a.Before) != len(a.After) || len(a.Before) == 0 || ttlChange(a.Before, a.After) == "" {
		return false
	}
	had := map[string]string{}
	for _, p := range a.Before {
		had[p.text()] = p.Share
	}
	return !slices.ContainsFunc(a.After, func(p Possible) bool { return had[p.text()] != p.Share })
}

// ttlChange says how the TTL changes, if it is one for all answers.
func ttlChange(before, after []Possible) string {
	old, one := ttlOf(before)
	now, same := ttlOf(after)
	switch {
	case !one && !same, one && same && old == now:
		return ""
	case !one:
		return fmt.Sprintf(" (ttl several -> %d)", now)
	case !same:
		return fmt.Sprintf(" (ttl %d -> several)", old)
	}
	return fmt.Sprintf(" (ttl %d -> %d)", old, now)
}

func ttlOf(possible []Possible) (ttl uint32, one bool) {
	for i, p := range possible {
		if i > 0 && p.TTL != possible[0].TTL {
			return 0, false
		}
	}
	return possible[0].TTL, true
}

// text is the answer without how often it comes.
func (p Possible) text() string {
	switch {
	case p.From == nextPlugin:
		return "the next plugin's answer"
	case p.From != "":
		return p.From
	case len(p.Answer) > 0:
		return strings.Join(p.Answer, " + ")
	case len(p.Refers) > 0:
		return "referral to " + strings.Join(p.Refers, " + ")
	case p.Rcode != "NOERROR":
		return p.Rcode
	}
	return "no data"
}

// inLine writes answers in one line.
func inLine(possible []Possible, together bool) string {
	var texts []string
	for _, p := range possible {
		text := p.text()
		if len(possible) > 1 {
			text = p.Share + " " + text
		}
		texts = append(texts, text)
	}
	text := listed(texts, someNames)
	if together {
		text = "in parts of answers " + text
	}
	if ttl, one := ttlOf(possible); one && possible[0].From == "" {
		text += " (ttl " + strconv.FormatUint(uint64(ttl), 10) + ")"
	}
	return text
}
