// Package probe tests targets: one file a type, one function a test, (context, target) to a result.
//
// It knows nothing of intervals, counters or verdicts; package health decides when to test and what the
// results mean. A Prober may be used by any number of goroutines at once and keeps nothing between attempts:
// no connection, no goroutine.
package probe

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Outcome is what an attempt showed.
type Outcome uint8

// The outcomes.
const (
	Pass       Outcome = iota // the target works
	Fail                      // it does not
	CannotTell                // we could not test: no route, no descriptors, no local port, our resolver failing (spec 2.4)
)

func (o Outcome) String() string { return [...]string{"pass", "fail", "cannot_tell"}[o] }

// Result is how an attempt ended.
type Result struct {
	Outcome  Outcome
	Reason   string // one line that a person can act on: "connection refused", "status 503, expected 200-399"
	Duration time.Duration
	Cause    Cause // of CannotTell; NoCause otherwise
}

// Target is what a check tests, all names settled.
type Target struct {
	Address netip.Addr // literal address to dial; invalid when Name must be resolved at each attempt
	Name    string     // host name to resolve; "" when Address is valid
	Port    uint16
	Host    string          // http, https: name for the Host header, without port; "" means the address
	SNI     string          // https: server name to send and to verify; "" sends none
	Headers []config.Header // these win over the probe's
}

// Prober makes attempts as one probe definition says.
type Prober struct {
	attempt     func(context.Context, Target) Result
	fingerprint string
	dialer      *dialer // what attempt dials with; tests put their own resolver and network into it
}

// New prepares a prober: it reads the files that the probe names and compiles its regular expressions.
// It opens no socket and starts no goroutine, so that a configuration check may call it.
func New(p *config.Probe) (*Prober, error) {
	files, err := readFiles(p)
	if err != nil {
		return nil, err
	}
	dialer := newDialer(p.ConnectTimeout)
	var kind interface {
		test(context.Context, Target) *finding
	}
	switch {
	case p.Type.IsHTTP():
		kind, err = newHTTP(p, files, dialer)
	case p.Type == config.ProbeTCP:
		kind, err = newTCP(p, dialer)
	case p.Type == config.ProbeCalculated:
		kind = calculated{}
	default:
		err = fmt.Errorf("probe type %q: expected http, https, tcp or calculated", p.Type)
	}
	if err != nil {
		return nil, err
	}
	return &Prober{attempt: timed(kind.test), fingerprint: fingerprint(p, files), dialer: dialer}, nil
}

// Attempt tests the target once. It returns as soon as the context ends, with a reason that tells how far it came.
// The deadline of the context bounds the attempt as a whole. A cancelled context is no fault of the target: the
// outcome is CannotTell.
func (p *Prober) Attempt(ctx context.Context, t Target) Result { return p.attempt(ctx, t) }

// Fingerprint identifies everything that the definition sends and compares, and how often: equal for probes
// that differ at most in their name and place, with the contents of the files that they name.
func (p *Prober) Fingerprint() string { return p.fingerprint }

// timed turns a test into an attempt: what it found, and how long that took on the monotonic clock.
func timed(test func(context.Context, Target) *finding) func(context.Context, Target) Result {
	return func(ctx context.Context, t Target) Result {
		start := time.Now()
		found := test(ctx, t)
		r := Result{Duration: time.Since(start)}
		if found != nil {
			r.Outcome, r.Reason, r.Cause = found.outcome, found.reason, found.cause
		}
		if r.Outcome == CannotTell && r.Cause == NoCause {
			r.Cause = OtherCause
		}
		return r
	}
}
