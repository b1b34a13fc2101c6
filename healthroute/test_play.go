package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// result is how a scenario went.
type result string

const (
	passed   result = "passed"
	failed   result = "failed" // an expectation does not hold
	isBroken result = "broken" // it cannot be read, or names what does not exist
)

// played is a scenario that was played. Field names are stable.
type played struct {
	File         string           `json:"file"`
	Result       result           `json:"result"`
	Expectations int              `json:"expectations"` // that were judged
	Virtual      scenario.Seconds `json:"virtual"`      // how far the virtual clock went
	Problems     []problem        `json:"problems"`     // why it cannot be read
	Failures     []failure        `json:"failures"`

	took time.Duration
}

// failure is a line that does not hold.
type failure struct {
	File    string           `json:"file"`
	Line    int              `json:"line"`
	At      scenario.Seconds `json:"at"` // virtual time
	Message string           `json:"message"`
	Explain string           `json:"explain,omitempty"` // the reasons of the answer, as text
}

// files returns the scenario files that the arguments mean and the pattern matches, each once.
func (p *playing) files(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, usageError("test needs files or directories")
	}
	var out []string
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			wanted := path == arg || filepath.Ext(path) == extension
			if wanted && (p.pattern == nil || p.pattern.MatchString(path)) && !slices.Contains(out, path) {
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, usageError(err.Error())
		}
	}
	if len(out) == 0 {
		return nil, usageError(fmt.Sprintf("no scenario to play in %s", strings.Join(args, " ")))
	}
	return out, nil
}

// playAll plays the files, some at the same time, and returns the results in their order. The end of ctx ends it early.
func playAll(ctx context.Context, files []string, corefile []txtar.File, parallel int) []played {
	out := make([]played, len(files))
	next := make(chan int)
	var players sync.WaitGroup
	for range min(parallel, len(files)) {
		players.Go(func() {
			for i := range next {
				out[i] = playFile(files[i], corefile)
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	players.Wait()
	return out
}

// playFile plays one file.
func playFile(file string, corefile []txtar.File) (p played) {
	began := time.Now()
	p = played{File: file, Result: passed, Problems: []problem{}, Failures: []failure{}}
	defer func() { p.took = time.Since(began) }()
	text, err := os.ReadFile(file)
	if err != nil {
		return p.unreadable(config.Problems{{Message: err.Error()}})
	}
	script, problems := scenario.Parse(file, withCorefile(text, corefile))
	if errs := problems.Errors(); errs != nil {
		return p.unreadable(errs)
	}
	report := scenario.Run(script)
	p.Expectations, p.Virtual = report.Expectations, scenario.Seconds(report.Virtual)
	for _, f := range report.Failures {
		p.Failures = append(p.Failures, failure{
			f.Position.File, f.Position.Line, scenario.Seconds(f.At), f.Message, f.Explain,
		})
		if f.Broken {
			p.Result = isBroken
		} else if p.Result == passed {
			p.Result = failed
		}
	}
	return p
}

func (p played) unreadable(problems config.Problems) played {
	p.Result = isBroken
	for _, found := range problems {
		p.Problems = append(p.Problems, problem(found))
	}
	return p
}

// text is what is wrong, for people. The reasons of an answer stand once below all that was expected of it.
func (p played) text() string {
	var b strings.Builder
	for _, found := range p.Problems {
		fmt.Fprintln(&b, config.Problem(found).Error())
	}
	for i, f := range p.Failures {
		fmt.Fprintf(&b, "%s:%d: at %s: %s\n", f.File, f.Line, f.At, f.Message)
		if i+1 == len(p.Failures) || p.Failures[i+1].Explain != f.Explain {
			b.WriteString(f.Explain)
		}
	}
	return b.String()
}
