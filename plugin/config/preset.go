package config

// Preset names the system whose switches, numbers and validation an object follows (spec, section 0).
type Preset string

// The presets.
const (
	PresetNone           Preset = "none"            // healthroute's own
	PresetRoute53        Preset = "route53"         // Amazon Route 53
	PresetNLB            Preset = "nlb"             // AWS Network Load Balancer
	PresetTrafficManager Preset = "traffic_manager" // Azure Traffic Manager
)

// Presets are all of them.
func Presets() []Preset {
	return []Preset{PresetNone, PresetRoute53, PresetNLB, PresetTrafficManager}
}
