package corefile

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const presetUsage = "none|route53|nlb|traffic_manager"

// presetOf looks ahead for the `preset` of a block: it sets the defaults of all that stands in the block, wherever it stands
// itself. Without one, outer holds. What is wrong with the line is found when it is read.
func presetOf(block []*line, outer config.Preset) config.Preset {
	for _, l := range block {
		if strings.EqualFold(l.words[0], "preset") && len(l.args()) == 1 {
			if preset := config.Preset(strings.ToLower(l.args()[0])); slices.Contains(config.Presets(), preset) {
				return plain(preset)
			}
		}
	}
	return outer
}

// preset reads `preset WORD`.
func (p *parser) preset(l *line, to *config.Preset) {
	if choice(p, l, l.args()[0], config.Presets(), to) {
		*to = plain(*to)
	}
}

// plain writes no preset in one way only.
func plain(p config.Preset) config.Preset {
	if p == config.PresetNone {
		return ""
	}
	return p
}

// preset writes a preset that is not the one of the object around it.
func (w *printer) preset(own, outer config.Preset) {
	switch {
	case plain(own) == plain(outer) && !w.whole:
	case plain(own) == "":
		w.line("preset", string(config.PresetNone))
	default:
		w.line("preset", string(own))
	}
}
