package probe

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/healthroute/healthroute/plugin/config"
)

// Each step has its own time, in the result and in the trace, and what was not finished has none.
func TestSteps(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name  string
		do    behaviour
		want  string // steps with their times
		trace string // with when they began
	}{
		{"passes", after(300*ms, "HTTP/1.0 200 OK\r\n\r\n", 400*ms, "OK"), "connect 200ms first_byte 300ms body 400ms",
			`connect at 0s: 200ms; first_byte at 200ms: 300ms HTTP/1.0 "200 OK"; body at 500ms: 400ms contains "OK"`},
		{"ends in the body", after(300*ms, "HTTP/1.1 200 OK\r\n\r\n", 400*ms, "no"), "connect 200ms first_byte 300ms",
			`connect at 0s: 200ms; first_byte at 200ms: 300ms HTTP/1.1 "200 OK"; body at 500ms: 400ms body lacks "OK"`},
		{"never answers", silent, "connect 200ms",
			"connect at 0s: 200ms; first_byte at 200ms: 4.8s timed out after connecting, waiting for the status line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				prober := proberOf(t, config.ProbeHTTP, wants("OK"))
				var servers sync.WaitGroup
				defer servers.Wait()
				prober.dialer.dial = slow(&servers, 200*ms, test.do)
				var trace Trace
				target := Target{Address: netip.MustParseAddr("127.0.0.1"), Port: 80}
				ctx, cancel := within(WithTrace(t.Context(), &trace), 5*time.Second)
				defer cancel()
				result := prober.Attempt(ctx, target)
				var times, events []string
				for _, s := range Steps() {
					if took, finished := result.Times.Of(s); finished {
						times = append(times, fmt.Sprint(s, " ", took))
					}
				}
				for _, e := range trace.Events {
					detail := e.Detail
					if e.Step == StepConnect {
						detail = "" // a pipe's
					}
					events = append(events, strings.TrimSpace(fmt.Sprintf("%s at %s: %s %s%s", e.Step, e.Start, e.Took, detail, e.Reason)))
				}
				if got := strings.Join(times, " "); got != test.want {
					t.Errorf("Expected steps %s, got %s", test.want, got)
				}
				if got := strings.Join(events, "; "); got != test.trace {
					t.Errorf("Expected trace %s, got %s", test.trace, got)
				}
			})
		})
	}
}

func TestTimes(t *testing.T) {
	var times Times
	if _, finished := times.Of(StepTLS); finished {
		t.Error("Expected a step that was not taken, got a time")
	}
	times.add(StepTLS, 0)
	if took, finished := times.Of(StepTLS); took != 0 || !finished {
		t.Errorf("Expected a step of no time, got %v, %v", took, finished)
	}
	times.add(StepTLS, 1500*time.Nanosecond)
	times.add(StepTLS, 2*time.Second)
	if took, _ := times.Of(StepTLS); took != 2*time.Second+time.Microsecond {
		t.Errorf("Expected 2.000001s, got %v", took)
	}
	times.add(StepTLS, math.MaxInt64/2)
	if took, _ := times.Of(StepTLS); took != (math.MaxUint32-1)*time.Microsecond {
		t.Errorf("Expected the longest time, got %v", took)
	}
}

// Results are kept for every check, so that their size is memory.
func TestResultIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Result{}); size > 64 {
		t.Errorf("Expected at most 64 bytes, got %d", size)
	}
}

// A handshake tells what the server showed, also when that is why it failed.
func TestTraceOfTLS(t *testing.T) {
	own := certificate(t, issued{names: []string{"a.example"}})
	for _, test := range []struct {
		sni      string
		verified bool
		version  string
	}{{"a.example", true, "TLS 1.3"}, {"b.example", false, ""}} {
		target := at(serve(t, overTLS(t, own, says(reply("", "")))))
		target.SNI = test.sni
		var trace Trace
		proberOf(t, config.ProbeHTTPS, trusting(t)).Attempt(WithTrace(t.Context(), &trace), target)
		if len(trace.Events) < 2 || trace.Events[1].Certificate == nil {
			t.Fatalf("Expected a certificate in the second step, got %+v", trace.Events)
		}
		c := trace.Events[1].Certificate
		if c.Subject != "CN=test" || c.Issuer != "CN=Test Authority" || fmt.Sprint(c.Names) != "[a.example]" ||
			!c.NotAfter.Equal(own.Leaf.NotAfter) || c.Verified != test.verified || c.Version != test.version {
			t.Errorf("Expected the certificate for a.example, verified %v by %s, got %+v", test.verified, test.version, c)
		}
	}
}
