package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/healthroute/healthroute/plugin/scenario"
)

const testDetails = `It plays scenario files in virtual time, with no socket, and prints each expectation that does not hold with
the reasons of the answer. In directories it takes all files *` + extension + `, also further down.
A scenario holds its Corefile itself, or else the one of -conf is played.
`

// extension is what the names of scenario files in directories end in.
const extension = ".txtar"

// playing is the command test with its flags.
type playing struct {
	output   output
	verbose  bool
	pattern  *regexp.Regexp
	junit    string
	parallel int
	corefile string
}

func testCommand(flags *flag.FlagSet) runner {
	var p playing
	p.output.declare(flags)
	flags.BoolVar(&p.verbose, "v", false, "print the scenarios that pass, too")
	flags.Func("run", "play only files whose name the regular expression `PATTERN` matches", func(text string) (err error) {
		p.pattern, err = regexp.Compile(text)
		return err
	})
	flags.StringVar(&p.junit, "junit", "", "write a JUnit report to `FILE`")
	flags.IntVar(&p.parallel, "parallel", runtime.GOMAXPROCS(0), "play `N` scenarios at the same time")
	flags.StringVar(&p.corefile, "conf", "", "Corefile `FILE` for scenarios without one of their own; with it go the files that it names")
	return p.run
}

// tested is what test prints. Field names are stable.
type tested struct {
	Passed    int      `json:"passed"`
	Failed    int      `json:"failed"` // broken ones too
	Scenarios []played `json:"scenarios"`

	verbose bool
}

func (p *playing) run(ctx context.Context, args []string, out io.Writer) error {
	if p.parallel < 1 {
		return usageError("-parallel needs a number above 0")
	}
	files, err := p.files(args)
	if err != nil {
		return err
	}
	var corefile []txtar.File
	if p.corefile != "" {
		if corefile, err = corefileAndFiles(p.corefile); err != nil {
			return err
		}
	}
	t := tested{Scenarios: playAll(ctx, files, corefile, p.parallel), verbose: p.verbose}
	if err := ctx.Err(); err != nil {
		return err
	}
	broken := 0
	for _, s := range t.Scenarios {
		switch s.Result {
		case passed:
			t.Passed++
		case isBroken:
			broken++
			t.Failed++
		default:
			t.Failed++
		}
	}
	if err := p.writeJUnit(t.Scenarios); err != nil {
		return err
	}
	err = p.output.print(out, t, t.text)
	switch {
	case err != nil:
		return err
	case broken > 0:
		return usageError(scenario.Count(broken, "scenario") + " cannot be played")
	case t.Failed > 0:
		return errors.New(scenario.Count(t.Failed, "scenario") + " failed")
	}
	return nil
}

func (p *playing) writeJUnit(results []played) error {
	if p.junit == "" {
		return nil
	}
	text, err := junit(results)
	if err == nil {
		err = os.WriteFile(p.junit, text, 0o644) // others read it
	}
	if err != nil {
		return usageError(err.Error())
	}
	return nil
}

func (t tested) text() string {
	var b strings.Builder
	for _, s := range t.Scenarios {
		switch {
		case s.Result != passed:
			fmt.Fprintf(&b, "FAIL  %s\n%s\n", s.File, indent(s.text()))
		case t.verbose:
			fmt.Fprintf(&b, "ok    %s: %s in %s of virtual time\n", s.File, scenario.Count(s.Expectations, "expectation"), s.Virtual)
		}
	}
	fmt.Fprintf(&b, "%d passed, %d failed\n", t.Passed, t.Failed)
	return b.String()
}

// indent sets a text off.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
