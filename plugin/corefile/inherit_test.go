package corefile

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestInheritPreset asserts that a group has its own preset, else the stanza's, and the numbers of the one that it has.
func TestInheritPreset(t *testing.T) {
	tests := []struct {
		stanza  config.Preset
		written config.Preset // "" if the group names none
		want    config.Preset
		max     int
	}{
		{"", "", "", 8},
		{config.PresetNone, "", "", 8},
		{config.PresetTrafficManager, "", config.PresetTrafficManager, 2},
		{config.PresetTrafficManager, config.PresetNone, "", 8},
		{config.PresetTrafficManager, config.PresetRoute53, config.PresetRoute53, 8},
		{"", config.PresetTrafficManager, config.PresetTrafficManager, 2},
		{"", config.PresetNLB, config.PresetNLB, 8},
	}
	for _, tt := range tests {
		g := &groupDraft{Group: &config.Group{Policy: config.PolicyMultivalue, Preset: tt.written}}
		if tt.written != "" {
			g.Places.Note("preset", config.Position{})
		}
		p := &parser{drafts: []*groupDraft{g}}
		p.inherit(&config.Stanza{Preset: tt.stanza})
		if g.Preset != tt.want || g.Max != tt.max {
			t.Errorf("Expected preset %q and max %d from %q in %q, got %q and %d", tt.want, tt.max, tt.written, tt.stanza, g.Preset, g.Max)
		}
	}
}
