package scenario

import (
	"strings"
	"testing"
)

// TestFalseHopes are lines that would hold whatever the Corefile did: they must be refused.
func TestFalseHopes(t *testing.T) {
	const ask = "query www A\n"
	for name, c := range map[string]struct{ script, want string }{
		"an every below an every": {"every 10s until 30s\n  " + ask + "  answer 203.0.113.9\n  every 1s until 40s\n    count 2", "f:4: `every` stands below `every`"},
		"a stale question":        {ask + "at 60s\nanswer 192.0.2.1", `f:3: "answer" expects something of a question, and none was asked`},
		"a question of an every":  {"every 10s until 30s\n  " + ask + "  count 1\ncount 1", `f:4: "count" expects something of a question`},
		"a TTL of half a second":  {ask + "ttl 30500ms", `f:2: "30500ms" is no whole number of seconds`},
		"a decimal share":         {ask + "share 192.0.2.1 0.5 192.0.2.2 5e-1", `f:2: "0.5" is no part`},
		"a misspelt address":      {ask + "one_of 192.0.2.1 192.0.2.300", `f:2: "192.0.2.300" is not an IP address`},
		"the other family":        {ask + "share 192.0.2.1 1 2001:db8::1 0", `f:2: "2001:db8::1" is not an IPv4 address`},
		"a subnet with host bits": {"query www A subnet 192.0.2.7/24\ncount 1", `f:1: "192.0.2.7/24" has bits beyond its length, did you mean "192.0.2.0/24"?`},
		"an every without an end": {"every 1ns until 1h\n  " + ask + "  count 1", "f:1: the lines below would be played more than 1000000 times"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse("f", []byte(c.script+"\n"+corefilePart))
			if !strings.Contains(problems.Error(), c.want) {
				t.Errorf("Expected\n%s\ngot\n%s", c.want, problems.Error())
			}
		})
	}
}

// TestSameLooksAtAll compares distributions whose ten likeliest answers are equal.
func TestSameLooksAtAll(t *testing.T) {
	var a, b strings.Builder
	for _, r := range []string{"10", "11", "12", "13", "14", "15", "16", "17", "18", "19"} {
		a.WriteString("record 192.0.2." + r + "\n")
	}
	b.WriteString(a.String())
	a.WriteString("record 192.0.2.98\n")
	b.WriteString("record 192.0.2.99\n")
	report := play(t, "query a A\nquery b A\nsame\n-- Corefile --\nexample.org {\nhealthroute {\ngroup a weighted {\n"+a.String()+
		"}\ngroup b weighted {\n"+b.String()+"}\n}\n}\n")
	if len(report.Failures) != 1 {
		t.Errorf("Expected `same` to fail, got %v", report.Failures)
	}
}

// TestNamesInData are relative to the zone of the question, in any letter case.
func TestNamesInData(t *testing.T) {
	report := play(t, `query mail.example.com. MX
answer "10 MX1"
query www CNAME
answer lb.example.net.
-- Corefile --
example.org {
    healthroute {
        group www simple {
            record CNAME LB.example.net.
        }
    }
}
example.com {
    healthroute {
        group mail simple {
            record MX "10 mx1"
        }
    }
}
`)
	for _, f := range report.Failures {
		t.Errorf("Expected no failure, got %s", f)
	}
}

func play(t *testing.T, text string) Report {
	t.Helper()
	script, problems := Parse("f", []byte(text))
	if problems != nil {
		t.Fatal(problems)
	}
	return Run(script)
}
