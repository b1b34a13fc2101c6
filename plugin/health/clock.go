package health

import "time"

// Clock is the time that an engine lives in: the real one, or one that a caller moves.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, d from now, and returns how to call that off. The real clock calls f on a
	// goroutine of its own; a virtual one calls it while it is moved.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// RealClock is the clock of a server.
type RealClock struct{}

// Now returns the real time.
func (RealClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (RealClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
