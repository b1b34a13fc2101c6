package main

import (
	"errors"
	"flag"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// faults are the flags -down, -hang and -up, in the order in which they were given.
type faults struct {
	timed bool // they may end in @TIME
	list  []scenario.Fault
}

const objects = "An OBJECT is a target (ADDRESS, ADDRESS:PORT, NAME), or a record (GROUP/RECORD or RECORD), or a site."

func (f *faults) declare(flags *flag.FlagSet) {
	object := "`OBJECT`"
	if f.timed {
		object = "`OBJECT[@TIME]`"
	}
	for _, kind := range []struct {
		flag, usage string
		behaviour   scenario.BehaviourKind
	}{
		{"down", "the targets of " + object + " refuse connections; may be repeated", scenario.Refuse},
		{"hang", "the targets of " + object + " do not answer, attempts time out; may be repeated", scenario.Hang},
		{"up", "the targets of " + object + " work; may be repeated", scenario.Up},
	} {
		flags.Func(kind.flag, kind.usage, func(word string) error {
			fault := scenario.Fault{Object: word, At: scenario.Settled, Behaviour: kind.behaviour}
			if at := strings.LastIndexByte(word, '@'); at > 0 { // a name that begins with it is the apex
				t, err := time.ParseDuration(word[at+1:])
				switch {
				case err != nil || t < 0:
					return errors.New("expected a TIME such as 90s or 1m30s behind the @")
				case !f.timed:
					return errors.New("a TIME is for simulate")
				}
				fault.Object, fault.At = word[:at], t
			}
			f.list = append(f.list, fault)
			return nil
		})
	}
}
