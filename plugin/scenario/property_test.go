package scenario

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/route"
)

// drawnRecord is one record of a random group, with the state that it is put into.
type drawnRecord struct {
	v4, v6 string // "" if it has no address of the family
	weight int
	role   string
	health string // healthy, unhealthy, checking
	admin  string
}

// drawnGroup is a random group.
type drawnGroup struct {
	policy, lastResort string
	max                int
	records            []drawnRecord
}

func drawGroup(t *rapid.T) drawnGroup {
	g := drawnGroup{
		policy:     rapid.SampledFrom([]string{"weighted", "failover", "multivalue"}).Draw(t, "policy"),
		lastResort: rapid.SampledFrom([]string{"all", "all", "none", "servfail", "refused"}).Draw(t, "last resort"),
		max:        rapid.IntRange(1, 4).Draw(t, "max"),
	}
	n := rapid.IntRange(1, 6).Draw(t, "records")
	if g.policy == "failover" {
		n = min(n, 2)
	}
	for i := range n {
		r := drawnRecord{
			weight: rapid.IntRange(0, 3).Draw(t, "weight"),
			role:   []string{"primary", "secondary"}[i%2],
			health: rapid.SampledFrom([]string{"healthy", "unhealthy", "checking"}).Draw(t, "health"),
			admin:  rapid.SampledFrom([]string{"enabled", "enabled", "enabled", "disabled", "draining", "always"}).Draw(t, "admin"),
		}
		families := rapid.IntRange(1, 3).Draw(t, "families")
		if families&1 != 0 {
			r.v4 = fmt.Sprintf("192.0.2.%d", i+1)
		}
		if families&2 != 0 {
			r.v6 = fmt.Sprintf("2001:db8::%d", i+1)
		}
		g.records = append(g.records, r)
	}
	return g
}

// id is a record's id in the Corefile.
func id(i int) string { return fmt.Sprintf("r%d", i) }

func (g drawnGroup) corefile() string {
	var b strings.Builder
	fmt.Fprintf(&b, "example.org {\nhealthroute {\nprobe web http\ngroup www %s {\nprobe web\nlast_resort %s\n", g.policy, g.lastResort)
	if g.policy == "multivalue" {
		fmt.Fprintf(&b, "max %d\n", g.max)
	}
	for i, r := range g.records {
		addresses := strings.Trim(r.v4+","+r.v6, ",")
		fmt.Fprintf(&b, "record %s id %s", addresses, id(i))
		switch g.policy {
		case "weighted":
			fmt.Fprintf(&b, " weight %d", r.weight)
		case "failover":
			fmt.Fprintf(&b, " %s", r.role)
		}
		b.WriteString("\n")
	}
	return b.String() + "}\n}\n}\n"
}

// world plays the group into its state.
func (g drawnGroup) world(t *rapid.T) *World {
	w, problems := NewWorld(Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(g.corefile())}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a good Corefile, got: %v\n%s", errs, g.corefile())
	}
	for i, r := range g.records {
		object := "www/" + id(i)
		if err := w.SetHealth(object, r.health); err != nil {
			t.Fatal(err)
		}
		if err := w.Admin(object, r.admin, 0); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// address is the record's address for the type.
func (r drawnRecord) address(qtype uint16) string {
	if qtype == dns.TypeA {
		return r.v4
	}
	return r.v6
}

// model is spec 4.1 to 4.7 once more, slow and plain: which sets of addresses answer, each with its exact part.
func (g drawnGroup) model(qtype uint16) map[string]*big.Rat {
	var usable, unusable []drawnRecord
	for _, r := range g.records {
		switch {
		case r.address(qtype) == "" || r.admin == "disabled" || r.admin == "draining":
		case r.admin == "always" || r.health != "unhealthy":
			usable = append(usable, r)
		default:
			unusable = append(unusable, r)
		}
	}
	from := usable
	if len(usable) == 0 && g.lastResort == "all" {
		from = unusable
	}
	if len(from) == 0 {
		return map[string]*big.Rat{"": big.NewRat(1, 1)}
	}
	switch g.policy {
	case "failover":
		from = slices.Clone(from)
		slices.SortStableFunc(from, func(a, b drawnRecord) int { return strings.Compare(a.role, b.role) })
		return map[string]*big.Rat{from[0].address(qtype): big.NewRat(1, 1)}
	case "weighted":
		return weightedModel(from, qtype)
	}
	return multivalueModel(from, g.max, qtype)
}

func weightedModel(from []drawnRecord, qtype uint16) map[string]*big.Rat {
	sum := 0
	for _, r := range from {
		sum += r.weight
	}
	out := map[string]*big.Rat{}
	for _, r := range from {
		switch {
		case sum == 0:
			out[r.address(qtype)] = big.NewRat(1, int64(len(from)))
		case r.weight > 0:
			out[r.address(qtype)] = big.NewRat(int64(r.weight), int64(sum))
		}
	}
	return out
}

// multivalueModel goes through all subsets.
func multivalueModel(from []drawnRecord, limit int, qtype uint16) map[string]*big.Rat {
	var sets []string
	for subset := range 1 << len(from) {
		var members []string
		for i, r := range from {
			if subset>>i&1 == 1 {
				members = append(members, r.address(qtype))
			}
		}
		if len(members) == min(limit, len(from)) {
			slices.Sort(members)
			sets = append(sets, strings.Join(members, "+"))
		}
	}
	out := map[string]*big.Rat{}
	for _, s := range sets {
		out[s] = big.NewRat(1, int64(len(sets)))
	}
	return out
}

// TestAnswersFollowTheModel compares exact distributions, and what explain says, with the plain model.
func TestAnswersFollowTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t)
		w := g.world(t)
		defer w.Close()
		for _, qtype := range []uint16{dns.TypeA, dns.TypeAAAA} {
			want := g.model(qtype)
			question := Question{Name: "www", Type: qtype}
			outcomes, err := w.Ask(question)
			if err != nil {
				t.Fatal(err)
			}
			sum := new(big.Rat)
			for _, o := range outcomes {
				sum.Add(sum, o.Part)
				set := strings.Join(Values(o.Result.Msg), "+")
				if part := want[set]; part == nil || part.Cmp(o.Part) != 0 {
					t.Fatalf("Expected %s of %q, got %s\n%s", part, set, o.Part.RatString(), g.corefile())
				}
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 || len(outcomes) != len(want) {
				t.Fatalf("Expected %d answers whose parts sum to 1, got %d and %s", len(want), len(outcomes), sum.RatString())
			}
			expectExplained(t, w, question, outcomes)
			expectDraws(t, outcomes)
		}
	})
}

// expectExplained holds explain's conclusion against the possible answers: its answer is one of them, and each record's share is the sum of
// the parts of the answers that it stands in.
func expectExplained(t *rapid.T, w *World, q Question, outcomes []Outcome) {
	x, err := w.Explain(q)
	if err != nil {
		t.Fatal(err)
	}
	answered := slices.Clone(x.Answer)
	slices.Sort(answered)
	if !slices.ContainsFunc(outcomes, func(o Outcome) bool { return slices.Equal(Values(o.Result.Msg), answered) }) {
		t.Fatalf("Expected explain's answer to be one of the possible ones, got %v", answered)
	}
	if len(x.Groups) != 1 {
		t.Fatalf("Expected one group in the explanation, got %d", len(x.Groups))
	}
	for _, r := range x.Groups[0].Records {
		share, _ := new(big.Rat).SetString(r.Share)
		stands := new(big.Rat)
		for _, o := range outcomes {
			for i := range o.Result.Choice.Len() {
				if o.Result.Choice.At(i).Record.ID == r.Record {
					stands.Add(stands, o.Part)
				}
			}
		}
		if share.Cmp(stands) != 0 {
			t.Fatalf("Expected share %s of %s, got %s", stands.RatString(), r.Record, r.Share)
		}
		if r.Why == "" {
			t.Fatalf("Expected a reason for %s, got none", r.Record)
		}
	}
}

// expectDraws holds 20,000 seeded draws against the exact parts.
func expectDraws(t *rapid.T, outcomes []Outcome) {
	set := outcomes[0].Result.Set
	if set == nil || len(outcomes) == 1 {
		return
	}
	const draws = 20_000
	rnd := rand.New(rand.NewPCG(7, 7))
	counts := map[string]int{}
	for range draws {
		counts[ids(set.Choose(&route.Query{Rand: rnd}))]++
	}
	for _, o := range outcomes {
		want, _ := o.Part.Float64()
		if got := float64(counts[ids(o.Result.Choice)]) / draws; math.Abs(got-want) > 0.02 {
			t.Fatalf("Expected %s of %s in 20,000 draws, got %.4f", o.Part.RatString(), ids(o.Result.Choice), got)
		}
	}
}

func ids(c route.Choice) string {
	var out []string
	for i := range c.Len() {
		out = append(out, c.At(i).Record.ID)
	}
	slices.Sort(out)
	return strings.Join(out, "+")
}
