package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// probe checks one probe; earlier are the probes that stand before it.
func (v *validator) probe(p *Probe, earlier []*Probe) {
	v.probeName(p, earlier)
	if p.Type == "" && p.Places.Faulty {
		return // what follows depends on the type
	}
	v.oneOf(p.Places.Own, "probe", string(p.Type), probeTypeWords()...)
	v.preset(p.Places, p.Preset)
	if p.Assume != "" {
		v.oneOf(p.Places.Of("assume"), "assume", string(p.Assume), string(AssumeHealthy), string(AssumeUnhealthy))
	}
	switch p.Type {
	case ProbeCalculated:
		v.calculated(p)
		return
	case ProbePush:
		v.push(p)
		return
	}
	if p.Target != "" {
		v.hostOrAddress(p.Places.Of("target"), "target", p.Target)
	}
	v.timing(p)
	within(v, p.Places.Of("fall"), "fall", p.Fall, 1, 10)
	within(v, p.Places.Of("rise"), "rise", p.Rise, 1, 10)
	v.oneOf(p.Places.Of("initial"), "initial", string(p.Initial), string(InitialFirst), string(InitialIncluded), string(InitialExcluded))
	v.quorum(p)
	if p.Type.IsHTTP() {
		v.http(p)
	}
	if p.Type.MayUseTLS() {
		v.tls(p)
	}
	v.network(p)
	v.regexp(p.Places.Of("expect_reply"), "expect_reply", p.Exchange.ExpectReply)
	if check := typeRules[p.Type]; check != nil {
		check(v, p)
	}
	v.probePreset(p)
}

// typeRules are the rules of one type alone; each is in the file named after it.
var typeRules = map[ProbeType]func(*validator, *Probe){
	ProbeUDP:        (*validator).udp,
	ProbeDNS:        (*validator).dns,
	ProbeExec:       (*validator).exec,
	ProbeGRPC:       (*validator).grpc,
	ProbePrometheus: (*validator).prometheus,
}

func probeTypeWords() []string {
	var words []string
	for _, t := range ProbeTypes() {
		words = append(words, string(t))
	}
	return words
}

// quorum checks that the quorum can be reached, and missed (spec 2.6).
func (v *validator) quorum(p *Probe) {
	low, high := 1, 100
	if p.Quorum.More {
		low, high = 0, 99
	}
	if share := p.Quorum.Share(); share < low || share > high {
		v.fault(p.Places.Of("quorum"), fmt.Sprintf("quorum %q is out of range", p.Quorum), "`1%` to `100%`, or `more than 1%` to `more than 99%`")
	}
}

func (v *validator) probeName(p *Probe, earlier []*Probe) {
	if !isWord(p.Name) {
		v.fault(p.Places.Own, fmt.Sprintf("probe name %q cannot be used", p.Name), "at most 63 letters, digits, hyphens, underscores and dots")
	}
	if strings.EqualFold(p.Name, "none") {
		v.fault(p.Places.Own, fmt.Sprintf("%q is no name for a probe: `probe none` means no probe", p.Name), "another name")
	}
	for _, other := range earlier {
		if strings.EqualFold(p.Name, other.Name) {
			v.fault(p.Places.Own, fmt.Sprintf("probe %q is there twice", p.Name),
				fmt.Sprintf("another name than that of the probe on line %d", other.Places.Own.Line))
			return
		}
	}
}

// Bounds of `timeout` (spec 2.3).
const (
	minTimeout = 100 * time.Millisecond
	maxTimeout = 120 * time.Second
)

// timing checks interval and timeout (spec 2.3).
func (v *validator) timing(p *Probe) {
	within(v, p.Places.Of("interval"), "interval", p.Interval, time.Second, time.Hour)
	at := p.Places.Of("timeout")
	if p.ConnectTimeout != 0 || p.ResponseTimeout != 0 {
		if p.ConnectTimeout <= 0 || p.ResponseTimeout <= 0 {
			if !p.Places.Faulty {
				v.fault(at, "`timeout connect` and `timeout response` go together, and both are above zero", "`timeout connect DURATION response DURATION`")
			}
			return
		}
	}
	if p.Timeout == p.fitted().Timeout && p.Timeout < minTimeout {
		return // the interval is the fault
	}
	within(v, at, "timeout", p.Timeout, minTimeout, maxTimeout)
	if !p.FromEnd && p.Timeout >= p.Interval && !p.Places.Faulty && p.Preset != PresetTrafficManager { // that has its own ranges
		expected := "a shorter timeout, or `interval " + FormatDuration(p.Interval) + " from end`"
		if p.Preset == PresetRoute53 {
			expected = "`interval " + FormatDuration(p.Interval) + " from end`, as the timeout is fixed with preset route53"
		}
		v.fault(at, fmt.Sprintf("timeout %s is not shorter than the interval %s", FormatDuration(p.Timeout), FormatDuration(p.Interval)), expected)
	}
}

// hostOrAddress checks an option that names a host, or gives its address.
func (v *validator) hostOrAddress(at Position, option, text string) {
	if _, err := netip.ParseAddr(text); err == nil {
		if _, err := ParseAddress(text); err != nil {
			v.fault(at, fmt.Sprintf("%s: %s", option, err), "a unicast address or a host name")
		}
		return
	}
	if isHostName(text) {
		return
	}
	expected := "a host name or an address"
	if host, port, ok := strings.Cut(text, ":"); ok && isHostName(host) && strings.Trim(port, "0123456789") == "" {
		expected = fmt.Sprintf("%q alone; the port has its own option, `port %s`", host, port)
	}
	v.fault(at, fmt.Sprintf("%s %q is neither a host name nor an address", option, text), expected)
}

// regexp checks an option that is a regular expression.
func (v *validator) regexp(at Position, option, expression string) {
	if _, err := regexp.Compile(expression); err != nil {
		v.fault(at, fmt.Sprintf("%s %q is no regular expression (%s)", option, expression,
			strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "Go's RE2 syntax")
	}
}
