package config

import (
	"fmt"
	"time"
)

// preset checks the word of a `preset`.
func (v *validator) preset(places Places, p Preset) {
	words := make([]string, 0, len(Presets()))
	for _, word := range Presets() {
		words = append(words, string(word))
	}
	if p != "" {
		v.oneOf(places.Of("preset"), "preset", string(p), words...)
	}
}

// asked reports a value that the general rules allow and the preset does not.
func (v *validator) asked(at Position, preset Preset, message, expected string) {
	v.fault(at, fmt.Sprintf("%s, with preset %s", message, preset), expected)
}

// probePreset checks what only the probe's preset asks for (spec 2.3).
func (v *validator) probePreset(p *Probe) {
	if p.Places.Faulty {
		return // what is written may not be what was meant
	}
	switch p.Preset {
	case PresetRoute53:
		v.route53Probe(p)
	case PresetNLB:
		v.nlbProbe(p)
	case PresetTrafficManager:
		v.trafficManagerProbe(p)
	}
}

func (v *validator) route53Probe(p *Probe) {
	if p.Interval != 10*time.Second && p.Interval != 30*time.Second {
		v.asked(p.Places.Of("interval"), p.Preset, "interval "+FormatDuration(p.Interval), "10s or 30s")
	}
	if fixed := p.fitted(); p.Places.Has("timeout") || p.Timeout != fixed.Timeout || p.ConnectTimeout != fixed.ConnectTimeout || p.ResponseTimeout != fixed.ResponseTimeout {
		v.asked(p.Places.Of("timeout"), p.Preset, `a "timeout" of its own`, "none: connect 4s and response 2s are fixed for http and https, 10s for tcp")
	}
	if p.Rise != p.Fall {
		v.asked(p.Places.Of("rise"), p.Preset, fmt.Sprintf("rise %d is not fall %d", p.Rise, p.Fall), "one number for both: leave `rise` out")
	}
}

func (v *validator) nlbProbe(p *Probe) {
	between(v, p, "interval", p.Interval, 5*time.Second, 300*time.Second)
	v.oneTimeout(p)
	between(v, p, "timeout", p.Timeout, 2*time.Second, maxTimeout)
	between(v, p, "fall", p.Fall, 2, 10)
	between(v, p, "rise", p.Rise, 2, 10)
}

// trafficManagerProbe leaves the rest to the general rules: 8 codes and 8 headers, no wildcard as a host (H-06, H-07, spec 2.2).
func (v *validator) trafficManagerProbe(p *Probe) {
	v.oneTimeout(p)
	switch p.Interval {
	case 30 * time.Second:
		between(v, p, "timeout", p.Timeout, 5*time.Second, 10*time.Second)
	case 10 * time.Second:
		between(v, p, "timeout", p.Timeout, 5*time.Second, 9*time.Second)
	default:
		v.asked(p.Places.Of("interval"), p.Preset, "interval "+FormatDuration(p.Interval), "10s or 30s")
	}
}

// oneTimeout refuses limits for connection and response.
func (v *validator) oneTimeout(p *Probe) {
	if p.ConnectTimeout != 0 || p.ResponseTimeout != 0 {
		v.asked(p.Places.Of("timeout"), p.Preset, "`connect` and `response` of \"timeout\"", "`timeout DURATION` for the attempt as a whole")
	}
}

// between reports a value outside of the range that the preset allows, both ends included.
func between[T int | time.Duration](v *validator, p *Probe, option string, value, low, high T) {
	if value < low || value > high {
		v.asked(p.Places.Of(option), p.Preset, fmt.Sprintf("%s %s is out of range", option, format(value)), format(low)+" to "+format(high))
	}
}
