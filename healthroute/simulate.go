package main

import (
	"context"
	"flag"
	"io"
	"time"

	"github.com/healthroute/healthroute/plugin/scenario"
)

const simulateDetails = `It runs the Corefile in virtual time, with no socket, and asks the question all the time. It prints
every change of the answers, with their exact shares, and of the health of the checks that they are
chosen by; and for each outage how long it went unnoticed, and for how long clients could
hold a dead answer: until the answers changed, and then for the TTL.
` + objects + `
TIME is a Go duration, counted from the start of the server; without it a thing happens as soon as every
check has its first verdict. Attempts start at exact times; those of a server vary by up to 5 %.
`

// simulating is the command simulate with its flags.
type simulating struct {
	reading
	asked  asked
	faults faults
	until  time.Duration
}

func simulateCommand(flags *flag.FlagSet) runner {
	s := simulating{faults: faults{timed: true}}
	s.reading.declare(flags)
	s.asked.declare(flags)
	s.faults.declare(flags)
	flags.DurationVar(&s.until, "until", 5*time.Minute, "end at `TIME`")
	return s.run
}

func (s *simulating) run(_ context.Context, args []string, out io.Writer) error {
	q, err := s.asked.question(args)
	if err != nil {
		return err
	}
	if s.until < 0 {
		return usageError("-until is before the start")
	}
	w, err := s.corefile.goodWorld()
	if err != nil {
		return err
	}
	defer w.Close()
	timeline, err := w.Simulate(scenario.Simulation{Question: q, Faults: s.faults.list, Until: s.until})
	if err != nil {
		return usageError(err.Error())
	}
	return s.output.print(out, timeline, timeline.Text)
}
