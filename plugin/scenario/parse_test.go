package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const corefilePart = "-- Corefile --\nexample.org {\nhealthroute {\nprobe web http\ngroup www failover {\nprobe web\n" +
	"record 192.0.2.1 primary\nrecord 192.0.2.2 secondary\n}\n}\n}\n"

// TestParseErrors names line, token, what was expected and the nearest word, for every kind of fault, all at once.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"qurey www A", "f:1: unknown word \"qurey\": expected a statement or an expectation; did you mean \"query\"?"},
		{"query www", "f:1: \"query\" lacks something: expected a name and a type: expected `query NAME TYPE [from ADDRESS] [subnet PREFIX] [do]`"},
		{"query www AAAAA", "f:1: \"AAAAA\" is no type"},
		{"query www A form 192.0.2.1", "f:1: unknown option \"form\", did you mean \"from\"?"},
		{"query www A from 192.0.2", "f:1: \"192.0.2\" is no address"},
		{"query www A subnet 192.0.2.0", "f:1: \"192.0.2.0\" is no prefix"},
		{"answer 192.0.2.1", "f:1: \"answer\" expects something of a question, and none was asked: expected a `query` before it"},
		{"query www A\nshare 192.0.2.1 1/3 192.0.2.2 1/3", "f:2: the parts sum to 2/3 and not to 1"},
		{"query www A\nshare 192.0.2.1 1/0", "f:2: \"1/0\" is no part"},
		{"query www A\nshare 192.0.2.1", "f:2: \"share\" lacks something: expected sets of values, each with its part"},
		{"query www A\nrcode NXDOMIAN", "f:2: unknown code \"NXDOMIAN\", did you mean \"nxdomain\"?"},
		{"query www A\nttl 30", "f:2: \"30\" is no duration"},
		{"query www A\ncount one", "f:2: \"one\" is no whole number"},
		{"query www A\nnodata here", "f:2: \"here\" is too much"},
		{"at 1m\nat 30s\nattempts 192.0.2.1 1", "f:2: time goes back from 1m0s to 30s"},
		{"at soon\nattempts 192.0.2.1 1", "f:1: \"soon\" is no duration"},
		{"every 0s until 5m\n  attempts 192.0.2.1 1", "f:1: a period of 0s until 5m0s never comes after 0s"},
		{"every 10s until 5m\nattempts 192.0.2.1 1", "f:1: nothing stands below `every`"},
		{"every 10s until 5m\n  at 10s\n  attempts 192.0.2.1 1", "f:2: "},
		{"target 192.0.2.1 donw\nattempts 192.0.2.1 1", "f:1: unknown behaviour \"donw\""},
		{"target 192.0.2.1 status 20\nattempts 192.0.2.1 1", "f:1: \"20\" is no status code"},
		{"target 192.0.2.1 hang after 3s\nattempts 192.0.2.1 1", "f:1: a target that hangs has no `after`"},
		{"health www/192.0.2.1 healhty\nattempts 192.0.2.1 1", "f:1: unknown health \"healhty\", did you mean \"healthy\"?"},
		{"admin www drainig\nattempts 192.0.2.1 1", "f:1: unknown admin state \"drainig\", did you mean \"draining\"?"},
		{"reload other\nattempts 192.0.2.1 1", "f:1: the archive has no file \"other\""},
		{"state www/192.0.2.1 sick", "f:1: unknown state \"sick\""},
		{"group www onlin", "f:1: unknown group state \"onlin\", did you mean \"online\"?"},
		{"query \"www A", "f:1: a quote is not closed"},
		{"at 1m", "f:1: the scenario expects nothing, so it cannot fail"},
		{"config_error x\nquery www A", "f:1: config_error stands beside other lines"},
		{"foo\nbar\nattempts 192.0.2.1 1", "f:2: unknown word \"bar\""},
	} {
		t.Run(c.script, func(t *testing.T) {
			_, problems := Parse("f", []byte(c.script+"\n"+corefilePart))
			if !strings.Contains(problems.Error(), c.want) {
				t.Errorf("Expected\n%s\ngot\n%s", c.want, problems.Error())
			}
		})
	}
	if _, problems := Parse("f", []byte("query www A\naa\n")); !strings.Contains(problems.Error(), `no file "Corefile"`) {
		t.Errorf("Expected an error about the Corefile, got %v", problems)
	}
}

// TestPlayFailures shows each expectation failing: a test that cannot fail proves nothing.
func TestPlayFailures(t *testing.T) {
	const ask = "query www A\n"
	for _, c := range []struct{ script, want string }{
		{ask + "answer 192.0.2.2", "expected 192.0.2.2, got 192.0.2.1 1"},
		{ask + "answer 192.0.2.1 192.0.2.2", "expected 192.0.2.1+192.0.2.2, got 192.0.2.1 1"},
		{ask + "one_of 192.0.2.2 192.0.2.3", "expected 192.0.2.2 or 192.0.2.3, got 192.0.2.1 1"},
		{ask + "share 192.0.2.1 1/2 192.0.2.2 1/2", "expected shares 192.0.2.1 1/2, 192.0.2.2 1/2, got 192.0.2.1 1"},
		{ask + "count 2", "expected 2 records of type A, got 1"},
		{ask + "nodata", "expected NODATA"},
		{ask + "rcode SERVFAIL", "expected code SERVFAIL, got NOERROR"},
		{ask + "ttl 31s", "expected TTL 31s, got 30s of 192.0.2.1"},
		{"query www AAAA\nttl 31s", "expected TTL 31s, got an SOA that lets the answer live 30s"},
		{ask + "scope 24", "expected scope /24, got no client subnet"},
		{"query www A subnet 192.0.2.0/24\nscope 24", "expected scope /24, got /0"},
		{ask + "soa example.org", "expected the SOA of example.org., got none"},
		{"query www AAAA\nsoa example.net.", "expected the SOA of example.net., got that of example.org."},
		{ask + "ede 0", "expected extended error 0, got none"},
		{"query nowhere A\naa", "expected an authoritative answer"},
		{ask + "query www AAAA\nsame", "expected the same as the question before, 192.0.2.1 1, got nodata 1"},
		{"state www/192.0.2.1 healthy", "expected www/192.0.2.1 to be healthy, got checking and enabled"},
		{"group www online", "expected group www to be online, got checking"},
		{"attempts 192.0.2.1 1", "expected 1 attempts of 192.0.2.1, got 0"},
		{"transitions web@192.0.2.1 1", "expected 1 transitions of web@192.0.2.1, got 0"},
		{"config_error x", "expected the Corefile to be refused"},
		{"config_warning x\nquery www A\naa", "expected warning \"x\""},
		{"state www/192.0.2.3 healthy", "the Corefile has no object \"www/192.0.2.3\"; did you mean"},
		{"query www.example.net. A\naa", "no server block with healthroute serves"},
		{"push deploy healthy\n" + ask + "aa", "the Corefile has no push probe"},
		{"shift shop a for 1h\n" + ask + "aa", `the Corefile has no object "shop"`},
		{"register app/192.0.2.9\n" + ask + "aa", `the Corefile has no object "app/192.0.2.9"`},
		{"resolve lb.example.net 192.0.2.9\n" + ask + "aa", "the Corefile has nothing that resolves"},
	} {
		t.Run(c.script, func(t *testing.T) {
			script, problems := Parse("f", []byte(c.script+"\n"+corefilePart))
			if problems != nil {
				t.Fatal(problems)
			}
			report := Run(script)
			if len(report.Failures) == 0 || !strings.Contains(report.Failures[0].Message, c.want) {
				t.Errorf("Expected a failure %q, got %v", c.want, report.Failures)
			}
		})
	}
}

// TestEvery plays the lines below an `every` at its start and after each period, its end included.
func TestEvery(t *testing.T) {
	script, problems := Parse("f", []byte("at 10s\nevery 10s until 40s\n    query www A\n    answer 192.0.2.1\nattempts 192.0.2.1 4\n"+corefilePart))
	if problems != nil {
		t.Fatal(problems)
	}
	report := Run(script)
	if report.Expectations != 5 || len(report.Failures) != 0 {
		t.Errorf("Expected 5 expectations that hold, got %d: %v", report.Expectations, report.Failures)
	}
}

// FuzzParse reads anything without a panic, and says where the faults are.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/spec/*.txtar")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, problems := Parse("f", []byte(text))
		for _, p := range problems {
			if p.Position.Line < 1 {
				t.Errorf("Expected a line in %v", p)
			}
		}
	})
}
