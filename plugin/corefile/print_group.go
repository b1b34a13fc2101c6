package corefile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// ttlWord writes a TTL, or the range `A-B`.
func ttlWord(ttl, low time.Duration) string {
	if low == 0 {
		return config.FormatDuration(ttl)
	}
	return config.FormatDuration(low) + "-" + config.FormatDuration(ttl)
}

func (w *printer) group(s *config.Stanza, g *config.Group) {
	w.open(append(append([]string{"group"}, nameWords(g.Names)...), string(g.Policy))...)
	w.preset(g.Preset, s.Preset)
	w.differs("ttl", ttlWord(g.TTL, g.MinTTL), ttlWord(s.TTL, s.MinTTL))
	usual := 0
	if g.Policy == config.PolicyMultivalue {
		usual = g.Preset.DefaultMax()
	}
	w.differs("max", fmt.Sprint(g.Max), fmt.Sprint(usual))
	switch {
	case g.LastResort == config.LastResortAlias:
		w.line("last_resort", "alias", aliasTarget(s, g.Sorry))
	default:
		w.differs("last_resort", string(g.LastResort), string(config.LastResortAll))
	}
	w.groupOptions(g)
	for _, r := range g.Records {
		w.record(s, g, r)
	}
	w.close()
}

// groupOptions writes what stands in a group besides its records and the answers of the last resort.
func (w *printer) groupOptions(g *config.Group) {
	w.flag("families", g.FamiliesTogether, "together")
	if g.Sticky != nil {
		w.line("sticky", "ipv4", fmt.Sprint(g.Sticky.IPv4), "ipv6", fmt.Sprint(g.Sticky.IPv6))
	}
	if g.MinHealthy != (config.MinHealthy{}) {
		w.line(printMinHealthy(g.MinHealthy)...)
	}
	w.differs("hold", config.FormatDuration(g.Hold), "0s")
	w.flag("failback", g.FailbackManual, "manual")
	w.differs("ramp", config.FormatDuration(g.Ramp), "0s")
	w.flag("strict", g.Strict)
	for _, o := range g.Overrides {
		w.line("override", "from", printSources(o.From), "use", o.Use)
	}
	w.flag("hidden", g.Hidden)
	w.flag("disabled", g.Disabled)
}

// flag writes an option that is there or not.
func (w *printer) flag(word string, on bool, args ...string) {
	if on {
		w.line(append([]string{word}, args...)...)
	}
}

// record writes a record or an alias on one line, and a block only where one is needed.
func (w *printer) record(s *config.Stanza, g *config.Group, r *config.Record) {
	words, more := recordData(r.Values)
	id := config.DefaultID(r.Values)
	if r.Alias != nil {
		words, id = aliasWords(s, r.Alias)
	}
	if r.ID != id && !w.whole {
		words = append(words, "id", r.ID)
	}
	if r.TTL != g.TTL || r.MinTTL != g.MinTTL {
		words = append(words, "ttl", ttlWord(r.TTL, r.MinTTL))
	}
	if g.Policy == config.PolicyWeighted && (r.Weight != config.DefaultWeight || g.Preset.WeightRequired() || w.whole) {
		words = append(words, "weight", fmt.Sprint(r.Weight))
	}
	if g.Policy == config.PolicyPriority {
		words = append(words, "priority", fmt.Sprint(r.Priority))
	}
	if r.Role != "" {
		words = append(words, string(r.Role))
	}
	words = append(words, place(r)...)
	if r.Site != "" {
		words = append(words, "site", r.Site)
	}
	if r.Probe != "" {
		words = append(words, "probe", r.Probe)
	}
	if r.Admin != "" && r.Admin != config.Enabled {
		words = append(words, string(r.Admin))
	}
	if w.whole {
		words = slices.Insert(words, 1, "id", r.ID)
	}
	if len(more) == 0 && len(r.Headers) == 0 {
		w.line(words...)
		return
	}
	w.open(words...)
	for _, v := range more {
		w.line("value", v.Data)
	}
	for _, h := range r.Headers {
		w.line("header", h.Name, h.Value)
	}
	w.close()
}

// recordData writes values: all on the record's line if they are addresses, otherwise the first one there and more
// below.
func recordData(values []config.Value) (words []string, more []config.Value) {
	addresses := make([]string, 0, len(values))
	for _, v := range values {
		if v.IsAddress() {
			addresses = append(addresses, v.Data)
		}
	}
	switch {
	case len(values) == 0:
		return []string{"record"}, nil
	case len(addresses) == len(values):
		return []string{"record", strings.Join(addresses, ",")}, nil
	}
	return []string{"record", config.TypeWord(values[0].Type), values[0].Data}, values[1:]
}
