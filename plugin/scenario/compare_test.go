package scenario_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/compare"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// others are words that may stand in the place of another one.
var others = [][]string{
	{"0", "1", "2", "3", "4"}, {"all", "none", "servfail", "nxdomain"}, {"primary", "secondary"}, {"weighted", "multivalue", "simple", "roundrobin"},
	{"US", "DE", "CH"}, {"NA", "EU"}, {"site", "id"}, {"a", "b", "c"}, {"disabled", "draining"}, {"count", "percent"}, {"web", "none"},
	{"192.0.2.1", "192.0.2.77"}, {"http", "tcp"}, {"off", "on"},
}

var probeHead = regexp.MustCompile(`^probe \S+ http`)

// mutate changes a Corefile in one place, or in none.
func mutate(t *rapid.T, text string) string {
	lines := strings.Split(text, "\n")
	i := rapid.IntRange(2, len(lines)-1).Draw(t, "line")
	switch rapid.SampledFrom([]string{"word", "word", "word", "drop", "swap", "probe", "nothing"}).Draw(t, "mutation") {
	case "drop":
		if !strings.ContainsAny(lines[i], "{}") {
			lines = slices.Delete(lines, i, i+1)
		}
	case "swap":
		if j := i - 1; !strings.ContainsAny(lines[i]+lines[j], "{}") {
			lines[i], lines[j] = lines[j], lines[i]
		}
	case "probe":
		for i, line := range lines {
			switch {
			case !probeHead.MatchString(line):
			case strings.HasSuffix(line, "{"):
				lines[i] = line + "\nfall 5"
			default:
				lines[i] = line + " {\nfall 5\n}"
			}
		}
	case "word":
		words := strings.Fields(lines[i])
		var places []int
		for j, word := range words {
			if j > 0 && slices.ContainsFunc(others, func(o []string) bool { return slices.Contains(o, word) }) {
				places = append(places, j)
			}
		}
		if len(places) > 0 {
			j := rapid.SampledFrom(places).Draw(t, "word")
			o := others[slices.IndexFunc(others, func(o []string) bool { return slices.Contains(o, words[j]) })]
			words[j] = rapid.SampledFrom(o).Draw(t, "other")
			lines[i] = strings.Join(words, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// pair draws a Corefile and a like one that is good too.
func pair(t *rapid.T) (d scenario.Drawn, before, after scenario.Source) {
	d = scenario.Draw(t)
	before = d.Source("")
	after = before
	for range rapid.IntRange(1, 3).Draw(t, "mutations") {
		mutated := d.Source(mutate(t, string(after.Files["Corefile"])))
		if w, _ := scenario.NewWorld(mutated); w != nil {
			w.Close()
			after = mutated
		}
	}
	return d, before, after
}

func worlds(t *rapid.T, before, after scenario.Source) (*scenario.World, *scenario.World) {
	var out [2]*scenario.World
	for i, s := range []scenario.Source{before, after} {
		w, problems := scenario.NewWorld(s)
		if w == nil {
			t.Fatalf("Expected a good Corefile, got: %v\n%s", problems.Errors(), s.Files["Corefile"])
		}
		out[i] = w
	}
	return out[0], out[1]
}

// said tells whether the report has the question, and among the answers that change.
func said(r compare.Report, q scenario.Question) (answers, declared bool) {
	name, qtype := q.Name+".example.org.", dns.Type(q.Type).String()
	for _, a := range r.Answers {
		answers = answers || slices.Contains(a.Names, name) && slices.Contains(a.Types, qtype)
	}
	for _, p := range r.Declared {
		declared = declared || slices.Contains(p.Names, name) && slices.Contains(p.Types, qtype)
	}
	return answers, declared
}

func ask(t *rapid.T, w *scenario.World, q scenario.Question) string {
	d, err := w.Distribution(q)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprint(d.Together)}
	for _, p := range d.Possible {
		if len(p.Answer) == 0 {
			p.TTL = 0 // of what nobody has, it is not told
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %v %d", p.Share, p.Rcode, p.Answer, p.Refers, p.TTL))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestComparisonIsTrue compares what a comparison says with what both worlds answer: who is answered otherwise while all checks are healthy is listed, and
// of whom nothing is said is answered alike whatever the health.
func TestComparisonIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, before, after := pair(t)
		old, now := worlds(t, before, after)
		report := compare.Worlds(old, now)
		what := func() string {
			return fmt.Sprintf("%s\n%s\n%s", before.Files["Corefile"], after.Files["Corefile"], report.Text())
		}
		for _, q := range d.Questions() {
			answers, declared := said(report, q)
			was, is := ask(t, old, q), ask(t, now, q)
			switch {
			case was != is && !answers && (!declared || !d.NeedsClient()):
				t.Fatalf("Expected %s %s among the answers that change, got\n%s\n->\n%s\n%s", q.Name, dns.Type(q.Type), was, is, what())
			case was == is && answers && !d.NeedsClient():
				t.Fatalf("Expected %s %s not to change, got\n%s\n%s", q.Name, dns.Type(q.Type), was, what())
			}
		}
		old.Close()
		now.Close()
		old, now = worlds(t, before, after)
		defer old.Close()
		defer now.Close()
		d.Play(old)
		d.Play(now)
		for _, q := range d.Questions() {
			if answers, declared := said(report, q); answers || declared || len(report.Zones) > 0 {
				continue
			}
			if was, is := ask(t, old, q), ask(t, now, q); was != is {
				t.Fatalf("Expected the same answers to %s %s, of which nothing is said, got\n%s\n->\n%s\n%s", q.Name, dns.Type(q.Type), was, is, what())
			}
		}
	})
}

func counted(c *health.Check) int {
	counter := c.State().Counter
	return counter.Passes + counter.Fails
}

// TestComparisonOfChecksIsTheReload compares the lists of checks with what a reload does to them.
func TestComparisonOfChecksIsTheReload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, before, after := pair(t)
		old, now := worlds(t, before, after)
		want := compare.Worlds(old, now).Checks
		old.Close()
		now.Close()
		w, _ := scenario.NewWorld(before)
		defer w.Close()
		w.Settle()
		w.AdvanceTo(w.Now() + 3*time.Minute)
		had := map[*health.Check]int{} // and how often it has counted
		for _, c := range w.Checks() {
			if c.State().Status == health.Checking { // nobody wants attempts on it
				w.Force(c, health.Healthy)
			}
			had[c] = counted(c)
		}
		if problems := w.Reload(after); problems.Errors() != nil {
			t.Fatal(problems)
		}
		var kept int
		var added, changed, dropped []string
		for _, c := range w.Checks() {
			n, known := had[c]
			switch {
			case known:
				kept++
				if counted(c) != n {
					t.Fatalf("Expected %s to go on counting from %d, got %d", c, n, counted(c))
				}
			case counted(c) != 0:
				t.Fatalf("Expected a check that begins to have counted nothing, got %s with %d", c, counted(c))
			case c.State().Status == health.Checking:
				added = append(added, c.String())
			default:
				changed = append(changed, c.String())
			}
			delete(had, c)
		}
		for c := range had {
			if !slices.Contains(changed, c.String()) {
				dropped = append(dropped, c.String())
			}
		}
		var changes []string
		for _, c := range want.Changed {
			changes = append(changes, c.Check)
			if len(c.Why) == 0 {
				t.Fatalf("Expected a reason of %s", c.Check)
			}
		}
		for what, lists := range map[string][2][]string{"added": {want.Added, added}, "changed": {changes, changed}, "dropped": {want.Dropped, dropped}} {
			for i, list := range lists {
				for j, name := range list {
					list[j], _, _ = strings.Cut(name, " (")
				}
				slices.Sort(lists[i])
			}
			if !slices.Equal(lists[0], lists[1]) {
				t.Fatalf("Expected the reload to have %s %v, as the comparison says, got %v\n%s\n%s", what, lists[0], lists[1], before.Files["Corefile"], after.Files["Corefile"])
			}
		}
		if kept != want.Kept {
			t.Fatalf("Expected %d checks that stay, got %d", want.Kept, kept)
		}
	})
}
