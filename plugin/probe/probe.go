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

// Result is how an attempt ended. It holds little, for many are kept: a Trace tells more.
type Result struct {
	Outcome  Outcome
	Cause    Cause    // of CannotTell; NoCause otherwise
	Protocol Protocol // of the reply that was judged
	Status   uint16   // of that reply, an HTTP status code; 0 if none came
	Times    Times    // of the steps that were finished
	Reason   string   // one line that a person can act on: "connection refused", "status 503, expected 200-399"
	Duration time.Duration
	// Expires is until when the target's certificate is valid, in Unix seconds; 0 if none was seen.
	Expires int64
}

// Protocol is how a reply came.
type Protocol uint8

// The protocols.
const (
	NoProtocol Protocol = iota // no reply, or none whose protocol has versions
	HTTP10
	HTTP11
	HTTP2
)

func (p Protocol) String() string { return [...]string{"", "HTTP/1.0", "HTTP/1.1", "HTTP/2"}[p] }

// Target is what a check tests, all names settled.
type Target struct {
	Address netip.Addr // literal address to dial; invalid when Name must be resolved at each attempt
	Name    string     // host name to resolve; "" when Address is valid
	Port    uint16
	Host    string          // http, https, grpc: name for the Host header or authority, without port; "" means the address
	SNI     string          // https, tls, grpc: server name to send and to verify; "" sends none
	Headers []config.Header // these win over the probe's
}

// Prober makes attempts as one probe definition says.
type Prober struct {
	attempt     func(context.Context, Target) Result
	kind        kind
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
	dialer, err := newDialer(p)
	if err != nil {
		return nil, err
	}
	make := kinds[p.Type]
	if make == nil {
		return nil, fmt.Errorf("probe type %q is unknown", p.Type)
	}
	kind, err := make(p, files, dialer)
	if err != nil {
		return nil, err
	}
	return &Prober{attempt: timed(kind.test), kind: kind, fingerprint: fingerprint(p, files), dialer: dialer}, nil
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
		r := &recorder{Context: ctx, start: time.Now()}
		r.trace, _ = ctx.Value(traceKey{}).(*Trace)
		found := test(r, t)
		r.result.Duration = time.Since(r.start)
		if found != nil {
			r.result.Outcome, r.result.Reason, r.result.Cause = found.outcome, found.reason, found.cause
		}
		if r.result.Outcome == CannotTell && r.result.Cause == NoCause {
			r.result.Cause = OtherCause
		}
		return r.result
	}
}
