package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestJUnit reads a report back: suites by directory, their sums, and what is wrong in its own element.
func TestJUnit(t *testing.T) {
	t.Chdir("testdata")
	file := filepath.Join(t.TempDir(), "report.xml")
	err := runCommand(t.Context(), []string{"test", "-junit", file, "scenarios"}, io.Discard)
	if got := exitStatus(err); got != 2 {
		t.Errorf("Expected exit status 2, got %d", got)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r junitReport
	if err := xml.Unmarshal(text, &r); err != nil {
		t.Fatalf("Expected XML, got %v:\n%s", err, text)
	}
	if r.Tests != 4 || r.Failures != 1 || r.Errors != 2 || len(r.Suites) != 2 {
		t.Errorf("Expected 4 tests, 1 failure, 2 errors, 2 suites, got %d, %d, %d, %d", r.Tests, r.Failures, r.Errors, len(r.Suites))
	}
	var got []string
	for _, s := range r.Suites {
		cases := 0
		for _, c := range s.Cases {
			word := "passed"
			switch {
			case c.Failure != nil:
				word = "failure: " + c.Failure.Message
				if !strings.Contains(c.Failure.Text, "last attempt fail: connection refused\n") {
					t.Errorf("Expected the reasons of the answer, got %s", c.Failure.Text)
				}
			case c.Error != nil:
				word = "error: " + c.Error.Type
			}
			if !regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(c.Time) {
				t.Errorf("Expected seconds, got %q", c.Time)
			}
			got = append(got, c.Class+" "+c.Name+" "+word)
			cases++
		}
		if s.Tests != cases {
			t.Errorf("Expected %d tests in %s, got %d", cases, s.Name, s.Tests)
		}
	}
	want := []string{
		"scenarios/deeper refused error: broken",
		"scenarios good passed",
		"scenarios unreadable error: broken",
		"scenarios wrong failure: scenarios/wrong.txtar:4: at 1m: expected 192.0.2.1, got 192.0.2.2 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("Expected\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// TestJUnitFileThatCannotBe is a fault of the call.
func TestJUnitFileThatCannotBe(t *testing.T) {
	t.Chdir("testdata")
	err := runCommand(t.Context(), []string{"test", "-junit", "absent/report.xml", "scenarios/good.txtar"}, io.Discard)
	if got := exitStatus(err); got != 2 {
		t.Errorf("Expected exit status 2, got %d: %v", got, err)
	}
}
