package probe

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Step is a part of an attempt whose time is told apart.
type Step uint8

// The steps, in the order in which an attempt takes them. One that an attempt takes several times, because it follows
// redirects, has the sum.
const (
	StepResolve   Step = iota // from asking for the target's address to having it; of names only
	StepConnect               // the TCP connection, with the PROXY header
	StepTLS                   // the handshake, with what is required of the certificate
	StepFirstByte             // sending, and waiting for the first byte of the reply; over HTTP/2 of the first headers
	StepBody                  // what was read of the reply after its headers; of probes that look at it
	steps
)

var stepWords = [steps]string{"resolve", "connect", "tls", "first_byte", "body"}

func (s Step) String() string { return stepWords[s] }

// MarshalText writes the step's word.
func (s Step) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Steps returns all steps in their order.
func Steps() []Step {
	return []Step{StepResolve, StepConnect, StepTLS, StepFirstByte, StepBody}
}

// Times are the times of the steps that an attempt finished; what else of its duration is not in them went into the step in which it
// ended. They are compact because results are kept for every check: microseconds plus one, zero for a step that was not finished.
type Times [steps]uint32

// Of returns how long the step took, and whether the attempt finished it.
func (t Times) Of(s Step) (took time.Duration, finished bool) {
	if t[s] == 0 {
		return 0, false
	}
	return time.Duration(t[s]-1) * time.Microsecond, true
}

// add adds a time to a step.
func (t *Times) add(s Step, took time.Duration) {
	before, _ := t.Of(s)
	t[s] = uint32(min((before+max(0, took)).Microseconds(), math.MaxUint32-1)) + 1
}

// recorder keeps what becomes known of an attempt on its way, for the result and for a trace. It is the attempt's context, so that
// whatever takes a step finds it. It belongs to the goroutine of the attempt.
type recorder struct {
	context.Context
	start  time.Time
	result Result
	trace  *Trace // nil unless somebody wants to know everything
}

type recorderKey struct{}

// Value returns the recorder itself for its own key.
func (r *recorder) Value(key any) any {
	if key == (recorderKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// record returns the recorder of an attempt, or one that nobody reads.
func record(ctx context.Context) *recorder {
	if r, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		return r
	}
	return &recorder{Context: ctx, start: time.Now()}
}

// timing is a step under way.
type timing struct {
	recorder *recorder
	step     Step
	began    time.Time
}

// begin begins a step.
func begin(ctx context.Context, s Step) timing { return timing{record(ctx), s, time.Now()} }

// done ends a step. It returns the event to fill in, nil if there is no trace.
func (t timing) done() *Event {
	took := time.Since(t.began)
	t.recorder.result.Times.add(t.step, took)
	return t.event(took)
}

// broken ends the step in which the attempt ended, and returns why it did.
func (t timing) broken(f *finding) *finding {
	if e := t.event(time.Since(t.began)); e != nil {
		e.Reason = f.reason
	}
	return f
}

func (t timing) event(took time.Duration) *Event {
	trace := t.recorder.trace
	if trace == nil {
		return nil
	}
	trace.Events = append(trace.Events, Event{Step: t.step, Start: t.began.Sub(t.recorder.start), Took: took})
	return &trace.Events[len(trace.Events)-1]
}

// tell fills in what a step did; e may be nil.
func (e *Event) tell(format string, args ...any) {
	if e != nil {
		e.Detail = fmt.Sprintf(format, args...)
	}
}
