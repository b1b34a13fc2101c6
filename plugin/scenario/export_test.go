package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// Drawn is a random tree for tests outside the package: a Corefile, states for the objects in it, and a client.
type Drawn struct{ tree *tree }

// Draw draws a tree of groups or, once in three, one of pools.
func Draw(t *rapid.T) Drawn {
	preset := rapid.SampledFrom([]config.Preset{"", "", config.PresetRoute53, config.PresetNLB, config.PresetTrafficManager}).Draw(t, "preset")
	outer := rapid.SampledFrom(config.Policies()).Draw(t, "outer")
	if rapid.IntRange(1, 3).Draw(t, "pools") == 1 {
		return Drawn{drawPoolTree(t, preset, outer, rapid.SampledFrom(aliasKinds()).Draw(t, "kind"))}
	}
	return Drawn{drawTree(t, preset, outer, rapid.SampledFrom(config.Policies()).Draw(t, "inner"))}
}

// Source is the tree as a Corefile of that text, its own if it is empty.
func (d Drawn) Source(text string) Source {
	if text == "" {
		text = d.tree.corefile()
	}
	files := map[string][]byte{"Corefile": []byte(text)}
	if places := d.tree.locations(); places != "" {
		files["locations.txt"] = []byte(places)
	}
	return Source{Name: "Corefile", Files: files}
}

// Questions are those of the client: each group for both families.
func (d Drawn) Questions() []Question {
	var out []Question
	for _, g := range d.tree.groups {
		for _, t := range []uint16{dns.TypeA, dns.TypeAAAA} {
			q := d.tree.question(t)
			q.Name, q.Everybody = short(g.Names[0]), true
			out = append(out, q)
		}
	}
	return out
}

// NeedsClient reports whether the Corefile tells clients apart.
func (d Drawn) NeedsClient() bool {
	text := d.tree.corefile()
	for _, word := range []string{" geo {", " latency {", " proximity {", " subnet {", "override ", "affinity full", "affinity partial"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// Play puts the world into the tree's states, as far as it has the objects.
func (d Drawn) Play(w *World) {
	for _, key := range keysOf(d.tree.health) {
		word := d.tree.health[key]
		if !strings.ContainsAny(key, "/@") {
			key = "web@" + key
		}
		_ = w.SetHealth(key, word)
	}
	for _, object := range keysOf(d.tree.admin) {
		switch word := d.tree.admin[object]; word {
		case "deregistered":
			_ = w.Deregister(object)
		case "stopped":
			_ = w.SetHealth(object, word)
		default:
			_ = w.Admin(object, word, 0)
		}
	}
	for _, shift := range d.tree.shifts {
		balancer, site, _ := strings.Cut(shift, "/")
		_ = w.Shift(balancer, site, time.Hour)
	}
}

func keysOf(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
