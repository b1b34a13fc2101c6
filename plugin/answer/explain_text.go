package answer

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// Text writes the explanation as a tree for people. Instants are told as seconds before now, or, before a server that lives in virtual
// time, since its start; at does that.
func (x Explanation) Text(at func(time.Time) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", x.Name, x.Type, x.conclusion())
	fmt.Fprintf(&b, "  name: %s", x.Found)
	if x.Zone != "" {
		fmt.Fprintf(&b, ", zone %s", x.Zone)
	}
	b.WriteString("\n")
	for _, g := range x.Groups {
		g.text(&b, at, "  ")
	}
	if x.Filter != nil {
		x.Filter.text(&b, at)
	}
	fmt.Fprintf(&b, "  decided by: %s\n", x.Reason)
	if x.Scope != nil {
		fmt.Fprintf(&b, "  client subnet scope: /%d\n", *x.Scope)
	}
	return b.String()
}

// conclusion is the answer in one line.
func (x Explanation) conclusion() string {
	switch {
	case len(x.Answer) > 0:
		return fmt.Sprintf("%s (TTL %d)", strings.Join(x.Answer, " "), x.TTL)
	case len(x.Refers) > 0:
		return fmt.Sprintf("referral to %s (TTL %d)", strings.Join(x.Refers, " "), x.TTL)
	case x.Rcode == "NOERROR":
		return fmt.Sprintf("no data (TTL %d)", x.TTL)
	}
	return x.Rcode
}

// text writes a group, its records, and for each that is out because of what stands behind it that, further in.
func (r Reason) text(b *strings.Builder, at func(time.Time) string, margin string) {
	fmt.Fprintf(b, "%s%s", margin, r.what())
	if r.LastResort != "" {
		fmt.Fprintf(b, ", no usable record: last_resort %s", r.LastResort)
	}
	if r.ShowsAll {
		b.WriteString(", fewer usable records than min_healthy asks for: show_all")
	}
	if r.Step != "" {
		fmt.Fprintf(b, ", %s", r.Step)
	}
	b.WriteString("\n")
	for _, s := range r.Sites {
		s.text(b, margin)
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range r.Records {
		record := c.Record
		if c.Alias != "" && c.Alias != c.Record {
			record += " -> " + c.Alias
		}
		fmt.Fprintf(table, "%s  %s\t%s\t%s\t%s\n", margin, record, share(c.Share), c.Health, c.Why)
	}
	_ = table.Flush() // into memory
	for _, c := range r.Records {
		for _, check := range c.Checks {
			check.text(b, at, margin+"    ")
		}
		if c.Behind != nil {
			c.Behind.text(b, at, margin+"    ")
		}
	}
}

// text writes a line of a check.
func (c CheckReason) text(b *strings.Builder, at func(time.Time) string, margin string) {
	fmt.Fprintf(b, "%s%s: %s since %s; last attempt", margin, c.Check, c.Health, at(c.Since))
	if c.At.IsZero() {
		b.WriteString(": none has ended yet\n")
		return
	}
	fmt.Fprintf(b, " %s, %s\n", at(c.At), c.LastAttempt)
}

// what is the group and its policy; a pool or a balancer says itself what it is.
func (r Reason) what() string {
	if r.Sites != nil {
		return r.Group
	}
	return fmt.Sprintf("group %s, %s", r.Group, r.Policy)
}

// share writes how much of the answers a record has.
func share(part string) string {
	switch part {
	case "0":
		return "out"
	case "1":
		return "in"
	}
	return "in " + part
}
