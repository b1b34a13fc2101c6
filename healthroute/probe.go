package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/scenario"
)

const probeDetails = `It makes real attempts as the probe NAME of the Corefile says, and tells each step with its time, whether or not a
server runs. TARGET is ADDRESS[:PORT] or a host NAME[:PORT], in the Corefile or not yet, or GROUP/RECORD or POOL/TARGET. Without
it the probe's own target is tested, or every record and every declared target of a pool that uses the probe.
If several stanzas have a probe of that name, -zone says whose is meant.
With several attempts the exit status is that of the worst: 1 if one failed, else 3 if one could not tell.
`

// probing is the command probe with its flags.
type probing struct {
	reading
	zone  string
	count int
	loop  bool
	every time.Duration
}

func probeCommand(flags *flag.FlagSet) runner {
	var p probing
	p.declare(flags)
	flags.StringVar(&p.zone, "zone", "", "the probe of the stanza for `ZONE`")
	flags.IntVar(&p.count, "n", 1, "make `COUNT` attempts at each target")
	flags.BoolVar(&p.loop, "loop", false, "go on until interrupted")
	flags.DurationVar(&p.every, "every", time.Second, "wait `DURATION` between attempts")
	return p.run
}

// cannotTell is the error of attempts that could not test: exit status 3.
type cannotTell string

func (e cannotTell) Error() string { return string(e) }

func (p *probing) run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 1 || len(args) > 2 {
		return usageError(fmt.Sprintf("expected NAME [TARGET], got %q", args))
	}
	if p.count < 1 || p.every < 0 {
		return usageError("-n needs a number above 0, and -every a duration that is not negative")
	}
	w, err := p.corefile.goodWorld()
	if err != nil {
		return err
	}
	defer w.Close()
	what, err := w.Probing(args[0], p.zone)
	if err != nil {
		return usageError(err.Error())
	}
	targets, err := what.Targets(append(args, "")[1])
	if err != nil {
		return usageError(err.Error())
	}
	var seen tally
	for round := 0; p.loop || round < p.count; round++ {
		if round > 0 && !pause(ctx, p.every) {
			break
		}
		for _, target := range targets {
			a := try(ctx, what, target)
			if ctx.Err() != nil {
				break // interrupted: that says nothing
			}
			seen.add(a.Outcome)
			if err := p.output.print(out, a, a.text); err != nil {
				return err
			}
		}
	}
	return seen.err()
}

// pause waits, and reports whether the wait was not interrupted.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// try makes one attempt within the probe's timeout.
func try(ctx context.Context, what *scenario.Probing, target probe.Target) attempted {
	var trace probe.Trace
	ctx, cancel := context.WithTimeout(ctx, what.Probe.Timeout)
	defer cancel()
	at := time.Now()
	result := what.Prober.Attempt(probe.WithTrace(ctx, &trace), target)
	return newAttempted(what, target, at, result, trace)
}

// tally counts how attempts ended.
type tally struct{ all, failed, untold int }

func (t *tally) add(o probe.Outcome) {
	t.all++
	switch o {
	case probe.Fail:
		t.failed++
	case probe.CannotTell:
		t.untold++
	}
}

// err is what the command ends with.
func (t *tally) err() error {
	attempts := scenario.Count(t.all, "attempt")
	switch {
	case t.failed > 0:
		return errors.New(fmt.Sprint(t.failed) + " of " + attempts + " failed")
	case t.untold > 0:
		return cannotTell(fmt.Sprint(t.untold) + " of " + attempts + " could not tell")
	case t.all == 0:
		return cannotTell("interrupted before an attempt ended")
	}
	return nil
}

// checkName names the check as logs do: PROBE@TARGET.
func checkName(what *scenario.Probing, target probe.Target) string {
	return what.Probe.Name + "@" + health.TargetString(target)
}
