package health

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// The rules as the presets set them (spec, section 0).
var (
	none        = rulesOf(config.DefaultProbe("web", config.ProbeTCP, ""))
	route53     = rulesOf(config.DefaultProbe("web", config.ProbeTCP, config.PresetRoute53))
	nlb         = rulesOf(config.DefaultProbe("web", config.ProbeTCP, config.PresetNLB))
	tm          = rulesOf(config.DefaultProbe("web", config.ProbeTCP, config.PresetTrafficManager))
	tmTolerate0 = Rules{Fall: 1, Rise: 1, Initial: config.InitialIncluded, Admits: true}
)

// verdicts writes the verdict after each outcome: U up, D down, - none.
func verdicts(r Rules, from Verdict, outcomes []probe.Outcome) string {
	c := Counter{Verdict: from}
	var out []byte
	for _, o := range outcomes {
		c = c.Step(r, o)
		out = append(out, "-UD"[c.Verdict])
	}
	return string(out)
}

func TestCounter(t *testing.T) {
	for _, tc := range []struct {
		name     string
		rules    Rules
		from     Verdict
		outcomes string
		want     string // the verdict after each
	}{
		{"H-19 a pass wipes the failures", route53, Up, "FFPFF", "UUUUU"},
		{"H-20 down on the third failure", route53, Up, "FFF", "UUD"},
		{"H-21 two passes are not enough", route53, Down, "PP", "DD"},
		{"H-21 up on the third pass", route53, Down, "PPP", "DDU"},
		{"H-22 three failures are tolerated", tm, Up, "FFF", "UUU"},
		{"H-22 down on the fourth", tm, Up, "FFFF", "UUUD"},
		{"H-23 none tolerated", tmTolerate0, Up, "F", "D"},
		{"H-24 the first pass brings back", tm, Down, "P", "U"},
		{"H-25 failures not consecutive", nlb, Up, "FPF", "UUU"},
		{"H-25 two consecutive failures", nlb, Up, "FF", "UD"},
		{"H-26 four passes are not enough", nlb, Down, "PPPP", "DDDD"},
		{"H-26 up on the fifth pass", nlb, Down, "PPPPP", "DDDDU"},
		{"H-27 the first pass admits", nlb, NoVerdict, "P", "U"},
		{"H-28 one failure is no verdict", nlb, NoVerdict, "F", "-"},
		{"H-28 two are", nlb, NoVerdict, "FF", "-D"},
		{"P-4 after a failure the first pass still admits", nlb, NoVerdict, "FP", "-U"},
		{"P-4 once down it needs five", nlb, NoVerdict, "FFPPPPP", "-DDDDDU"},
		{"V-1 a pass after two failures", tm, Up, "FFPFFFF", "UUUUUUD"},
		{"report 19 alternation never falls", none, Up, "FPFPFPFPFPFP", "UUUUUUUUUUUU"},
		{"report 19 alternation never rises", none, Down, "PFPFPFPFPFPF", "DDDDDDDDDDDD"},
		{"report 19 two of three failures never fall", none, Up, "FFPFFPFFPFFP", "UUUUUUUUUUUU"},
		{"report 19 for each fall", Rules{Fall: 10, Rise: 1}, Up, "FFFFFFFFFPFFFFFFFFFFP", "UUUUUUUUUUUUUUUUUUUDU"},
		{"first: the first pass is the verdict", none, NoVerdict, "P", "U"},
		{"first: the first failure is the verdict", none, NoVerdict, "F", "D"},
		{"first: then fall decides", none, NoVerdict, "PFFF", "UUUD"},
		{"first: then rise decides", none, NoVerdict, "FPP", "DDU"},
		{"first: the first failure counts for the run", none, NoVerdict, "FPFFF", "DDDDD"},
		{"included: fall decides from the start", tm, NoVerdict, "FFFF", "---D"},
		{"included: rise decides from the start", route53, NoVerdict, "PPP", "--U"},
		{"included: neither run", route53, NoVerdict, "PPFFPPFFPPP", "----------U"},
		{"excluded: the first pass admits", nlb, NoVerdict, "PFPF", "UUUU"},
		{"traffic_manager: the first pass admits whatever rise says", Rules{Fall: 4, Rise: 3, Initial: config.InitialIncluded, Admits: true}, NoVerdict, "FPFFFFP", "-UUUUDD"},
		{"cannot tell is no verdict", none, NoVerdict, "???P", "---U"},
		{"cannot tell does not break the failures", none, Up, "F?F??F", "UUUUUD"},
		{"cannot tell does not break the passes", none, Down, "P?P", "DDU"},
		{"cannot tell alone changes nothing", tmTolerate0, Up, "????", "UUUU"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := verdicts(tc.rules, tc.from, outcomes(tc.outcomes)); got != tc.want {
				t.Errorf("Expected verdicts %s after %s, got %s", tc.want, tc.outcomes, got)
			}
		})
	}
}

// TestCannotTell leaves the whole counter as it is.
func TestCannotTell(t *testing.T) {
	for _, c := range []Counter{{}, {Verdict: Up, Passes: 7}, {Verdict: Up, Fails: 2}, {Verdict: Down, Passes: 1}} {
		equal(t, "the counter", c.Step(none, probe.CannotTell), c)
	}
}

// TestCounterModel compares the step with the definition (spec 2.4, 2.5) applied to everything that ever happened.
func TestCounterModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{
			Fall: rapid.IntRange(1, 10).Draw(t, "fall"),
			Rise: rapid.IntRange(1, 10).Draw(t, "rise"),
			Initial: rapid.SampledFrom([]config.Initial{config.InitialFirst, config.InitialIncluded, config.InitialExcluded}).
				Draw(t, "initial"),
		}
		rules.Admits = rules.Initial != config.InitialIncluded || rapid.Bool().Draw(t, "the first pass admits")
		var c Counter
		var history []probe.Outcome
		for _, o := range rapid.SliceOf(outcomeGenerator).Draw(t, "outcomes") {
			c = c.Step(rules, o)
			if o != probe.CannotTell {
				history = append(history, o)
			}
			if want := recounted(rules, history); c != want {
				t.Fatalf("Expected %+v after %v, got %+v", want, history, c)
			}
		}
	})
}

// outcomeGenerator makes runs longer than coin tosses would.
var outcomeGenerator = rapid.Custom(func(t *rapid.T) probe.Outcome {
	return []probe.Outcome{probe.Pass, probe.Pass, probe.Pass, probe.Fail, probe.Fail, probe.Fail, probe.CannotTell}[rapid.IntRange(0, 6).Draw(t, "outcome")]
})

// recounted is the counter by definition: the last outcome that decided something is the verdict.
func recounted(r Rules, history []probe.Outcome) Counter {
	c := Counter{Passes: run(history, probe.Pass), Fails: run(history, probe.Fail)}
	for i := range history {
		past, last := history[:i+1], history[i]
		switch {
		case run(past, probe.Pass) >= r.Rise:
			c.Verdict = Up
		case run(past, probe.Fail) >= r.Fall:
			c.Verdict = Down
		case c.Verdict == NoVerdict && r.Initial == config.InitialFirst:
			c.Verdict = map[probe.Outcome]Verdict{probe.Pass: Up, probe.Fail: Down}[last]
		case c.Verdict == NoVerdict && r.Admits && last == probe.Pass:
			c.Verdict = Up
		}
	}
	return c
}

// run is the number of outcomes of this kind at the end.
func run(history []probe.Outcome, of probe.Outcome) int {
	n := 0
	for n < len(history) && history[len(history)-1-n] == of {
		n++
	}
	return n
}
