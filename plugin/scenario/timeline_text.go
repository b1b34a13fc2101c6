package scenario

import (
	"fmt"
	"math/big"
	"strings"
	"text/tabwriter"
)

// Text writes the timeline for people.
func (t Timeline) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s until %s\n\n", t.Name, t.Type, t.Until)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := 0; i < len(t.Changes); i++ {
		c := t.Changes[i]
		if n := alike(t.Changes[i:]); n > 4 {
			fmt.Fprintf(table, "%s\t  %d checks are %s\n", c.At, n, c.Check.became())
			i += n - 1
			continue
		}
		fmt.Fprintf(table, "%s\t  %s\n", c.At, c.text(i == 0))
	}
	_ = table.Flush() // into memory
	for _, o := range t.Outages {
		b.WriteString("\n" + o.text())
	}
	return b.String()
}

func (c Change) text(first bool) string {
	switch {
	case c.Answers != nil && first:
		return c.Answers.String()
	case c.Answers != nil:
		return "from here on: " + c.Answers.String()
	case c.Fault != nil:
		return fmt.Sprintf("%s: %s (%s)", c.Fault.word(), c.Fault.Object, strings.Join(c.Fault.Targets, ", "))
	}
	return c.Check.Check + " is " + c.Check.became()
}

// became says what the check became, and why.
func (c CheckChange) became() string {
	text := c.To
	if c.Attempts > 0 { // otherwise others' health made the change
		text += " after " + Count(c.Attempts, "attempt")
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}

// alike is how many changes of checks stand at the beginning that differ in nothing but the check.
func alike(changes []Change) (n int) {
	for n < len(changes) && changes[n].Check != nil && changes[n].At == changes[0].At && changes[n].Check.became() == changes[0].Check.became() {
		n++
	}
	return n
}

// word is the command's flag.
func (f FaultChange) word() string {
	if f.Behaviour == Refuse {
		return "down"
	}
	return string(f.Behaviour)
}

// listed is how many answers a line shows.
const listed = 12

// String is the distribution in one line: ANSWER SHARE, ...
func (d Distribution) String() string {
	var words []string
	for i, p := range d.Possible {
		if i == listed && len(d.Possible) > listed+1 {
			words = append(words, fmt.Sprintf("and %d more", len(d.Possible)-listed))
			break
		}
		words = append(words, p.Set()+" "+Percent(p.part))
	}
	text := strings.Join(words, ", ")
	if d.Together {
		text += " (records that are answered several together)"
	}
	return text
}

// Set is the answer in one word: its values joined by +, nodata, the name servers of a referral, or the code.
func (p Possible) Set() string {
	switch {
	case len(p.Answer) > 0:
		return strings.Join(p.Answer, "+")
	case len(p.Refers) > 0:
		return "referral to " + strings.Join(p.Refers, "+")
	case p.Rcode == "NOERROR":
		return "nodata"
	}
	return p.Rcode
}

// Percent writes an exact share: whole per cent, or else as a fraction.
func Percent(part *big.Rat) string {
	percent := new(big.Rat).Mul(part, big.NewRat(100, 1))
	if percent.IsInt() {
		return percent.RatString() + " %"
	}
	return part.RatString()
}

// Count writes a number of things: 1 check, 2 checks.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func (o Outage) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "outage of %s at %s\n", o.Object, o.At)
	if len(o.Checks) == 0 {
		b.WriteString("  no record of this name is watched there\n")
		return b.String()
	}
	if o.Detection != nil {
		fmt.Fprintf(&b, "  noticed after %s\n", o.Detection)
	} else {
		b.WriteString("  not noticed\n")
	}
	if o.Back != nil {
		fmt.Fprintf(&b, "  over after %s\n", o.Back)
	}
	switch {
	case o.Held == nil:
		b.WriteString("  a dead answer is still given at the end\n")
	case o.TTL == 0 && *o.Answered == 0:
		b.WriteString("  no dead answer was given\n")
	default:
		fmt.Fprintf(&b, "  a dead answer was given for %s; clients could hold one for %s (TTL %d)\n", o.Answered, o.Held, o.TTL)
	}
	return b.String()
}
