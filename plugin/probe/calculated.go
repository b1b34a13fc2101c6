package probe

import "context"

// calculated makes no attempts: package health counts the children. It is here so that every probe has a fingerprint.
type calculated struct{}

func (calculated) test(context.Context, Target) *finding {
	return &finding{outcome: CannotTell, reason: "a calculated probe makes no attempts"}
}
