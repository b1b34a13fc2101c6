package probe

import (
	"context"

	"github.com/healthroute/healthroute/plugin/config"
)

// noAttempts makes no attempts: package health counts the children of a calculated probe and is told of a pushed one. It is here so
// that every probe has a fingerprint.
type noAttempts struct{ of config.ProbeType }

func newNoAttempts(p *config.Probe, _ files, _ *dialer) (kind, error) { return noAttempts{p.Type}, nil }

func (s noAttempts) test(context.Context, Target) *finding {
	return cannotTell("a %s probe makes no attempts", s.of)
}
