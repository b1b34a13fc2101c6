package scenario

import (
	"strings"
	"testing"
)

// TestObserverFaults are statements about observers that cannot be read, or that cannot be played.
func TestObserverFaults(t *testing.T) {
	for script, want := range map[string]string{
		"observers":                            "expected one number",
		"observers 0":                          `"0" is no number of observers from 1 to 1000`,
		"observers many":                       `"many" is no number of observers`,
		"offset 2":                             "expected the number of an observer and a duration",
		"offset two 1s":                        `"two" is no number of an observer`,
		"offset 2 soon":                        `"soon" is no duration`,
		"health www/192.0.2.1 votes":           "expected how many of how many",
		"health www/192.0.2.1 votes 3/2":       `"3/2" is no part`,
		"health www/192.0.2.1 votes 1":         `"1" is no part`,
		"health www/192.0.2.1 stoped":          `did you mean "stopped"?`,
		"target 192.0.2.1 hang connect 1s":     "a target that hangs has no `connect`",
		"target 192.0.2.1 up after 1s connect": `"connect" is too much`,
		"target 192.0.2.1 up connect x":        `"x" is no duration`,
	} {
		if _, problems := Parse("f", []byte(script+"\nattempts 192.0.2.1 0\n"+corefilePart)); !strings.Contains(problems.Error(), want) {
			t.Errorf("Expected %q for %q, got %v", want, script, problems)
		}
	}
	for script, want := range map[string]string{
		"observers 2\nobservers 3":        "`observers` stands there twice",
		"offset 2 1s":                     "there is no observer 2",
		"observers 2\noffset 1 1s":        "the first is the one that answers",
		"observers 2\noffset 3 1s":        "there is no observer 3",
		"observers 2\nat 1s\noffset 2 1s": "observer 2 has begun already",
		"health www/192.0.2.9 votes 1/2":  "has no object",
	} {
		report := play(t, script+"\nquery www A\ncount 1\n"+corefilePart)
		if len(report.Failures) == 0 || !strings.Contains(report.Failures[0].Message, want) || !report.Failures[0].Broken {
			t.Errorf("Expected %q for %q, got %v", want, script, report.Failures)
		}
	}
}

// TestForceCalculated is refused: it would change nothing.
func TestForceCalculated(t *testing.T) {
	const corefile = `
-- Corefile --
example.org {
    healthroute {
        probe web http {
            target 192.0.2.81
        }
        probe all calculated {
            of web
        }
        group www simple {
            record 192.0.2.1 probe all
        }
    }
}
`
	for _, word := range []string{"unhealthy", "stopped", "votes 0/2"} {
		report := play(t, "health all@calculated "+word+"\nstate all@calculated healthy"+corefile)
		if len(report.Failures) != 1 || !strings.Contains(report.Failures[0].Message, "is calculated: set what it counts") {
			t.Errorf("Expected a failure, got %v", report.Failures)
		}
	}
}
