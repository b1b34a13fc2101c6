package corefile

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// probe reads `probe NAME TYPE` and its block.
func (p *parser) probe(s *config.Stanza, l *line) {
	faulty := p.faulty()
	var kind config.ProbeType
	choice(p, l, l.args()[1], config.ProbeTypes(), &kind)
	probe := config.DefaultProbe(strings.ToLower(l.args()[0]), kind, presetOf(l.block, s.Preset))
	probe.Places.Own = l.at
	what := fmt.Sprintf("the %s probe %s", kind, probe.Name)
	if kind == "" {
		what = "the probe " + probe.Name
	}
	p.stanzaOf = s
	fill(p, what, &probe.Places, probeOptions(), probe, l.block)
	if !probe.Places.Has("timeout") && kind.MakesAttempts() {
		probe.FitTimeout()
	}
	if probe.Preset == config.PresetRoute53 && !probe.Places.Has("rise") {
		probe.Rise = probe.Fall // it has one number for both (spec 2.3)
	}
	if probe.Places.Has("fall") && probe.Places.Has("tolerate") {
		p.report(probe.Places.Of("tolerate"), fmt.Sprintf("%q and %q both say how many failures count", "tolerate", "fall"), "one of them", "")
	}
	probe.Places.Faulty = l.faulty || faulty()
	s.Probes = append(s.Probes, probe)
}

// probeOptions are the options of every type that makes attempts, of all, and then those of some types.
func probeOptions() []option[*config.Probe] {
	preset := only("a probe that makes attempts", []option[*config.Probe]{
		{word: "preset", usage: presetUsage, min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.preset(l, &o.Preset) }},
	}, except()...)
	place := only("a probe that tests targets", []option[*config.Probe]{
		{word: "target", usage: "HOST", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Target = hostOrAddress(l.args()[0]) }},
	}, except(config.ProbePrometheus)...)
	port := only("a probe that tests a port", []option[*config.Probe]{
		{word: "port", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.port(l, &o.Port) }},
	}, except(config.ProbePrometheus, config.ProbePing)...)
	schedule := only("a probe that makes attempts", []option[*config.Probe]{
		{word: "interval", usage: "DURATION [from start|end]", min: 1, max: 3, set: (*parser).interval},
		{word: "timeout", usage: "DURATION", min: 1, max: 4, set: (*parser).timeout},
		{word: "fall", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.integer(l, l.args()[0], &o.Fall) }},
		{word: "tolerate", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			tolerated := o.Fall - 1
			p.integerFrom(l, l.args()[0], 0, 9, &tolerated)
			o.Fall = tolerated + 1
		}},
		{word: "rise", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.integer(l, l.args()[0], &o.Rise) }},
		{word: "initial", usage: "first|included|excluded", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			choice(p, l, l.args()[0], []config.Initial{config.InitialFirst, config.InitialIncluded, config.InitialExcluded}, &o.Initial)
		}},
		{word: "quorum", usage: "N%|more than N%", min: 1, max: 3, set: (*parser).quorum},
	}, except()...)
	return slices.Concat(preset, place, port, schedule, verdictOptions(), networkOptions(), typeOptions())
}

// verdictOptions are about what a verdict means: calculated probes have them too.
func verdictOptions() []option[*config.Probe] {
	options := []option[*config.Probe]{
		{word: "invert", set: func(p *parser, o *config.Probe, l *line) { o.Invert = true }},
		{word: "assume", usage: "healthy|unhealthy", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			choice(p, l, l.args()[0], []config.Assume{config.AssumeHealthy, config.AssumeUnhealthy}, &o.Assume)
		}},
	}
	for i := range options {
		options[i].home = "a probe"
	}
	return options
}

// only limits options to probe types. A probe of unknown type may have them all: its type is the fault.
func only(home string, options []option[*config.Probe], types ...config.ProbeType) []option[*config.Probe] {
	for i := range options {
		options[i].home = home
		options[i].fits = func(o *config.Probe) bool { return o.Type == "" || slices.Contains(types, o.Type) }
	}
	return options
}

// interval reads `interval 30s`, `interval 30s from start` or `interval 30s from end`.
func (p *parser) interval(o *config.Probe, l *line) {
	args := l.args()
	p.duration(l, args[0], &o.Interval)
	if len(args) == 1 {
		return
	}
	if !strings.EqualFold(args[1], "from") || len(args) != 3 {
		p.report(l.at, fmt.Sprintf("unexpected %q after the duration of %q", args[1], "interval"), "`from start` or `from end`", "")
		return
	}
	from := "start"
	choice(p, l, args[2], []string{"start", "end"}, &from)
	o.FromEnd = from == "end"
}

// timeout reads `timeout 5s` or `timeout connect 4s response 2s`.
func (p *parser) timeout(o *config.Probe, l *line) {
	args := l.args()
	if len(args) == 1 {
		p.duration(l, args[0], &o.Timeout)
		return
	}
	parts := map[string]*time.Duration{"connect": &o.ConnectTimeout, "response": &o.ResponseTimeout}
	for i := 0; i < len(args); i += 2 {
		word := strings.ToLower(args[i])
		if len(args) != 4 || parts[word] == nil {
			nearest := config.Nearest(word, []string{"connect", "response"})
			if nearest == word {
				nearest = ""
			}
			p.report(l.at, fmt.Sprintf("%q of %q cannot be read", strings.Join(args, " "), "timeout"),
				"`DURATION` or `connect DURATION response DURATION`", nearest)
			return
		}
		p.duration(l, args[i+1], parts[word])
		delete(parts, word)
	}
	if o.Type != "" && !o.Type.IsHTTP() {
		p.report(l.at, fmt.Sprintf("%q and %q of %q belong in an http or https probe", "connect", "response", "timeout"), "`timeout DURATION`", "")
	}
	o.Timeout = o.ConnectTimeout + o.ResponseTimeout
}

// hostOrAddress normalizes an address, and the letter case of a name.
func hostOrAddress(text string) string {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.String()
	}
	return strings.ToLower(text)
}
