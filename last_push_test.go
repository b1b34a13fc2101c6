package healthroute

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestLastPush: what is missing is not called a pass.
func TestLastPush(t *testing.T) {
	p := &config.Probe{Type: config.ProbePush, Push: config.Push{MaxAge: time.Minute}}
	told := func(ago time.Duration) health.State {
		return health.State{Status: health.Unhealthy, Last: probe.Result{Reason: "deploy 5"}, LastAt: time.Now().Add(-ago)}
	}
	for want, state := range map[string]health.State{
		"nothing was pushed": {}, "deploy 5": told(time.Second), "nothing was pushed for 2m": told(2 * time.Minute),
	} {
		if got := lastPush(p, state); got != want {
			t.Errorf("Expected %q, got %q", want, got)
		}
	}
}
