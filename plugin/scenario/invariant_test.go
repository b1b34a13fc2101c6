package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// checkTrees checks a property of random trees under every preset.
func checkTrees(t *testing.T, property func(*rapid.T, *tree) error) {
	for _, preset := range presets() {
		t.Run(string(preset), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				policies := rapid.SampledFrom(config.Policies())
				if err := property(t, drawTree(t, preset, policies.Draw(t, "outer"), policies.Draw(t, "inner"))); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// askBoth returns the product's distributions for A and AAAA.
func (t *tree) askBoth() (a, aaaa dist, err error) {
	w, err := t.world()
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, t.describe())
	}
	defer w.Close()
	if a, err = t.ask(w, dns.TypeA); err == nil {
		aaaa, err = t.ask(w, dns.TypeAAAA)
	}
	return a, aaaa, err
}

// TestRemovedRecordsAreNeverAnswered looks for addresses of records that an operator or the configuration has taken out (spec I-3), through all
// aliases and last resorts.
func TestRemovedRecordsAreNeverAnswered(t *testing.T) {
	checkTrees(t, func(_ *rapid.T, tree *tree) error {
		a, aaaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		m := tree.model()
		for _, g := range tree.groups {
			for _, r := range g.Records {
				if word := m.adminOf(g, r); !m.groupOff(g) && word != "disabled" && word != "draining" && word != "stopped" {
					continue
				}
				for _, v := range r.Values {
					for _, answer := range append(a.support(), aaaa.support()...) {
						if slices.Contains(strings.Split(answer, "+"), v.Data) {
							return fmt.Errorf("Expected %s of %s never to be answered, got %s\n%s", v.Data, objectOf(g, r), answer, tree.describe())
						}
					}
				}
			}
		}
		return nil
	})
}

// ordered reports whether the order of the records is the rule for this client: sites and places without data.
func (t *tree) ordered(g *config.Group) bool {
	return g.Policy == config.PolicyLatency || g.Policy == config.PolicyProximity && t.client.coordinates == nil
}

// TestOrderOfRecordsIsNothing permutes the records of each group.
func TestOrderOfRecordsIsNothing(t *testing.T) {
	checkTrees(t, func(t *rapid.T, tree *tree) error {
		a, aaaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		before := tree.describe()
		for _, g := range tree.groups {
			if !tree.ordered(g) {
				g.Records = rapid.Permutation(g.Records).Draw(t, "order")
			}
		}
		b, baaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		if a.String() != b.String() || aaaa.String() != baaa.String() {
			return fmt.Errorf("Expected %s and %s in every order, got %s and %s\n%s%s", a, aaaa, b, baaa, before, tree.describe())
		}
		return nil
	})
}

// TestRemovingWhatIsNotUsable takes a record out of the configuration that is not usable, where something usable for the query is left beside
// it. That changes nothing, except where the rules look at what is not usable: places and ranges (the most specific match may be the record),
// shares of min_healthy, show_all, and `families together` around an alias, which looks at families of which nothing is usable.
func TestRemovingWhatIsNotUsable(t *testing.T) {
	checkTrees(t, func(t *rapid.T, tree *tree) error {
		g := rapid.SampledFrom(tree.groups).Draw(t, "group")
		m := tree.model()
		var out []*config.Record
		for _, r := range g.Records {
			if !m.usable(g, r, dns.TypeA) && !m.usable(g, r, dns.TypeAAAA) && removable(tree, g, r) {
				out = append(out, r)
			}
		}
		if len(out) == 0 {
			return nil
		}
		left := map[uint16]bool{dns.TypeA: m.count(g, typeFor(g, dns.TypeA)) > 0, dns.TypeAAAA: m.count(g, typeFor(g, dns.TypeAAAA)) > 0}
		a, aaaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		before := tree.describe()
		tree.remove(g, rapid.SampledFrom(out).Draw(t, "removed"))
		b, baaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		if left[dns.TypeA] && a.String() != b.String() || left[dns.TypeAAAA] && aaaa.String() != baaa.String() {
			return fmt.Errorf("Expected %s and %s, got %s and %s without the record\n%s%s", a, aaaa, b, baaa, before, tree.describe())
		}
		return nil
	})
}

// removable reports whether the configuration is good without the record, and no rule looks at it while it is not usable.
func removable(t *tree, g *config.Group, r *config.Record) bool {
	uses := slices.ContainsFunc(g.Overrides, func(o config.Override) bool { return o.Use == r.ID })
	percent, together := g.MinHealthy.Percent, false
	for _, other := range t.groups {
		together = together || other != g && other.FamiliesTogether
		for _, alias := range other.Records {
			percent = percent || alias.Alias != nil && alias.Alias.MinHealthy.Percent
		}
	}
	places := g.Policy == config.PolicyGeo || g.Policy == config.PolicySubnet
	return len(g.Records) > 1 && !uses && !percent && !together && !places && r.Alias == nil && r.Role != config.RolePrimary && !g.MinHealthy.ShowAll &&
		!t.ordered(g)
}

// remove takes a record out of the tree, with what is known of it.
func (t *tree) remove(g *config.Group, r *config.Record) {
	for _, v := range r.Values {
		delete(t.health, v.Data)
	}
	delete(t.admin, objectOf(g, r))
	g.Records = slices.DeleteFunc(slices.Clone(g.Records), func(other *config.Record) bool { return other == r })
}
