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
	Kind   BehaviourKind
	Status int           // of Status
	After  time.Duration // how long they take; 50 ms if 0
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
	length := b.After
	if length == 0 {
		length = usualLength
	}
	result := probe.Result{Outcome: probe.Fail, Duration: length}
	switch b.Kind {
	case Up:
		result.Outcome = probe.Pass
	case Refuse:
		result.Reason = "connection refused"
	case CannotTell:
		result.Outcome, result.Reason = probe.CannotTell, "network is unreachable"
	case Hang:
		result.Duration, result.Reason = p.Timeout, "timed out while connecting"
		if p.ConnectTimeout > 0 {
			result.Duration = p.ConnectTimeout
		}
		return result
	case Status:
		if !p.Type.IsHTTP() || accepted(b.Status, p.HTTP.Expect) {
			result.Outcome = probe.Pass
		} else {
			result.Reason = fmt.Sprintf("status %d, expected %s", b.Status, expected(p.HTTP.Expect))
		}
	}
	if length > p.Timeout {
		return probe.Result{Outcome: probe.Fail, Duration: p.Timeout, Reason: fmt.Sprintf("timed out after %s", p.Timeout)}
	}
	return result
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
	w.targets.attempts[withPort]++
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
	if host == "" {
		host = t.Address.String()
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
