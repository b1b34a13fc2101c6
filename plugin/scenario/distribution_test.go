package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// compare holds the product against the model.
func (t *tree) compare(w *World, qtype uint16) error {
	got, err := t.ask(w, qtype)
	if err != nil {
		return err
	}
	want := t.answer(qtype)
	sorry := slices.ContainsFunc(t.groups, func(g *config.Group) bool { return g.LastResort == config.LastResortAlias })
	if t.preset == tm && sorry { // nobody says what a profile without endpoints is whose last resort has one of another type
		got, want = got.withoutNXDomain(), want.withoutNXDomain()
	}
	if got.String() != want.String() {
		return fmt.Errorf("Expected of %s: %s\ngot: %s\n%s", dns.Type(qtype), want, got, t.describe())
	}
	return nil
}

// describe is all that a failure needs to be understood.
func (t *tree) describe() string {
	return fmt.Sprintf("%s\nhealth %v\nadmin %v\nclient %v\n%s", t.corefile(), t.health, t.admin, t.client.network, t.locations())
}

// withAddresses replaces the values of a case, which are words, by addresses.
func (t *tree) withAddresses() {
	n := 0
	health := map[string]string{}
	for key, word := range t.health {
		if strings.Contains(key, "/") {
			health[key] = word
		}
	}
	for _, g := range t.groups {
		for _, r := range g.Records {
			for i, v := range r.Values {
				n++
				address := fmt.Sprintf("192.0.2.%d", n)
				switch v.Type {
				case dns.TypeAAAA:
					address = fmt.Sprintf("2001:db8::%d", n)
				case dns.TypeCNAME:
					address = fmt.Sprintf("n%d.example.net.", n)
				}
				if word := t.health[v.Data]; word != "" && v.IsAddress() {
					health[address] = word
				}
				r.Values[i].Data = address
			}
		}
	}
	t.health = health
}

// TestProductFollowsTheSpecification holds the product against the same numbered cases as the model.
func TestProductFollowsTheSpecification(t *testing.T) {
	for _, c := range specCases() {
		t.Run(c.id, func(t *testing.T) {
			tree := c.tree()
			tree.withAddresses()
			w, err := tree.world()
			if err != nil {
				t.Fatalf("%v\n%s", err, tree.describe())
			}
			defer w.Close()
			if err := tree.compare(w, c.query()); err != nil {
				t.Error(err)
			}
		})
	}
}

// presets are those whose groups choose in ways of their own.
func presets() []config.Preset { return []config.Preset{"", route53, tm, config.PresetNLB} }

// agrees holds the product against the model for both families.
func (t *tree) agrees() error {
	w, err := t.world()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, t.describe())
	}
	defer w.Close()
	return errors.Join(t.compare(w, dns.TypeA), t.compare(w, dns.TypeAAAA))
}

// TestEveryPairOfPolicies holds the product against the model with every policy around every other one.
func TestEveryPairOfPolicies(t *testing.T) {
	for _, preset := range presets() {
		for _, outer := range config.Policies() {
			for _, inner := range config.Policies() {
				trees := rapid.Custom(func(t *rapid.T) *tree { return drawTree(t, preset, outer, inner) })
				t.Run(fmt.Sprintf("%s %s %s", preset, outer, inner), func(t *testing.T) {
					for seed := range 4 {
						if err := trees.Example(seed).agrees(); err != nil {
							t.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// TestTreesFollowTheModel holds the product against the model in all kinds of trees.
func TestTreesFollowTheModel(t *testing.T) {
	for _, preset := range presets() {
		t.Run(string(preset), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				policies := rapid.SampledFrom(config.Policies())
				if err := drawTree(t, preset, policies.Draw(t, "outer"), policies.Draw(t, "inner")).agrees(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
