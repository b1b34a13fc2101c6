package scenario

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// usualLength is how long an attempt takes that is told nothing else.
const usualLength = 50 * time.Millisecond

// Behaviour is how attempts on a target end that start from now on.
type Behaviour struct {
	Kind    BehaviourKind
	Status  int           // of Status
	Connect time.Duration // how long the connection takes; 0 for at once
	// After is how long the rest takes, or the whole if Connect is 0; 0 for 50 ms, or for nothing more if a tcp connection takes its time.
	After time.Duration
}

// BehaviourKind is the word of a `target` line.
type BehaviourKind string

// The behaviours of a target.
const (
	Up         BehaviourKind = "up"          // passes, whatever the probe expects
	Refuse     BehaviourKind = "refuse"      // connection refused
	Hang       BehaviourKind = "hang"        // no connection is made
	Status     BehaviourKind = "status"      // answers with a status code; to a tcp probe it is a connection
	CannotTell BehaviourKind = "cannot_tell" // we cannot test
)

// attempt is the pretended attempt: outcome and length are fixed when it starts (spec 4.15).
func (b Behaviour) attempt(p *config.Probe) probe.Result {
	if late := b.late(p); late != nil {
		return *late
	}
	result := probe.Result{Outcome: probe.Fail, Duration: b.Connect + b.rest(p)}
	switch b.Kind {
	case Up:
		result.Outcome = probe.Pass
	case Refuse:
		result.Reason = "connection refused"
	case CannotTell:
		result.Outcome, result.Reason = probe.CannotTell, "network is unreachable"
	case Status:
		if !p.Type.IsHTTP() || accepted(b.Status, p.HTTP.Expect) {
			result.Outcome = probe.Pass
		} else {
			result.Reason = fmt.Sprintf("status %d, expected %s", b.Status, expected(p.HTTP.Expect))
		}
	}
	return result
}

// rest is how long an attempt takes from the connection on.
func (b Behaviour) rest(p *config.Probe) time.Duration {
	if b.After == 0 && (b.Connect == 0 || p.Type.IsHTTP()) {
		return usualLength
	}
	return b.After
}

// late is how an attempt ends that meets a limit: that of the connection, that of the reply (counted from the connection), or that
// of the whole; nil if it meets none.
func (b Behaviour) late(p *config.Probe) *probe.Result {
	connect, rest, limit := b.Connect, b.rest(p), p.Timeout
	if p.ConnectTimeout > 0 {
		limit = p.ConnectTimeout
	}
	ended := func(at time.Duration, reason string) *probe.Result {
		return &probe.Result{Outcome: probe.Fail, Duration: at, Reason: reason}
	}
	switch {
	case b.Kind == Hang || connect > limit:
		return ended(limit, "timed out while connecting")
	case p.ResponseTimeout > 0 && connect > 0 && rest > p.ResponseTimeout:
		return ended(connect+p.ResponseTimeout, fmt.Sprintf("no reply within %s of connecting", p.ResponseTimeout))
	case connect+rest > p.Timeout:
		return ended(p.Timeout, fmt.Sprintf("timed out after %s", p.Timeout))
	}
	return nil
}

func accepted(code int, ranges []config.CodeRange) bool {
	for _, r := range ranges {
		if r.From <= code && code <= r.To {
			return true
		}
	}
	return false
}

func expected(ranges []config.CodeRange) string {
	words := make([]string, len(ranges))
	for i, r := range ranges {
		words[i] = r.String()
	}
	return strings.Join(words, ",")
}

// targets is how the pretended network behaves, and what has been seen of attempts there.
type targets struct {
	behaviours map[string]Behaviour // by canonical ADDRESS[:PORT] or NAME[:PORT]
	attempts   map[string]int       // by the same keys, both with and without the port
}

func newTargets() *targets {
	return &targets{behaviours: map[string]Behaviour{}, attempts: map[string]int{}}
}

// run is the world's Runner: it pretends an attempt and ends it on the clock.
func (w *World) run(ctx context.Context, c *health.Check, done func(probe.Result)) {
	host, withPort := targetKeys(c.Target())
	w.targets.attempts[host]++
	if withPort != host {
		w.targets.attempts[withPort]++
	}
	b, ok := w.targets.behaviours[withPort]
	if !ok {
		b, ok = w.targets.behaviours[host]
	}
	if !ok {
		b = Behaviour{Kind: Up}
	}
	result := b.attempt(c.Probe())
	unset := w.clock.after(result.Duration, ends, func() { done(result) })
	context.AfterFunc(ctx, func() {
		if unset() {
			done(probe.Result{Outcome: probe.CannotTell, Reason: "attempt abandoned"})
		}
	})
}

// targetKeys are the two ways to name a target.
func targetKeys(t probe.Target) (host, withPort string) {
	host = strings.ToLower(t.Name)
	switch {
	case host != "":
	case !t.Address.IsValid():
		return health.CalculatedTarget, health.CalculatedTarget
	default:
		host = t.Address.String()
	}
	if t.Port == 0 { // the type knows no port
		return host, host
	}
	return host, net.JoinHostPort(host, strconv.Itoa(int(t.Port)))
}

// targetKey reads the word of a scenario; a bare IPv6 address needs no brackets.
func targetKey(word string) (string, error) {
	if a, err := netip.ParseAddr(word); err == nil {
		return a.Unmap().String(), nil
	}
	host, port, err := net.SplitHostPort(word)
	if err != nil {
		return strings.ToLower(strings.TrimSuffix(word, ".")), nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("%q is no port", port)
	}
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.Unmap().String()
	}
	return net.JoinHostPort(strings.ToLower(strings.TrimSuffix(host, ".")), port), nil
}

// hasTarget reports whether a check tests the name.
func (w *World) hasTarget(name string) bool {
	key, err := targetKey(name)
	if err != nil {
		return false
	}
	for _, c := range w.Checks() {
		if host, _ := targetKeys(c.Target()); host == key {
			return true
		}
	}
	return false
}
