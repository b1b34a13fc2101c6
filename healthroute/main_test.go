package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRunCommand(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		err    string
		status int
		output string
	}{
		"help":            {[]string{"help"}, "", 0, "healthroute demo"},
		"flags in help":   {[]string{"help"}, "", 0, "-conf"},
		"a near word":     {[]string{"demos"}, `unknown command "demos": expected admin, check, demo, explain, help, probe, push, simulate, status, test; did you mean "demo"?`, 2, ""},
		"letter case":     {[]string{"Demo"}, `unknown command "Demo": expected admin, check, demo, explain, help, probe, push, simulate, status, test; did you mean "demo"?`, 2, ""},
		"a far word":      {[]string{"serve"}, `unknown command "serve": expected admin, check, demo, explain, help, probe, push, simulate, status, test`, 2, ""},
		"an empty word":   {[]string{""}, `unknown command "": expected admin, check, demo, explain, help, probe, push, simulate, status, test`, 2, ""},
		"a word too many": {[]string{"demo", "fast"}, `demo takes no arguments, got ["fast"]`, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := runCommand(context.Background(), tc.args, &out)
			if got := message(err); got != tc.err {
				t.Errorf("Expected error %q, got %q", tc.err, got)
			}
			if got := exitStatus(err); got != tc.status {
				t.Errorf("Expected exit status %d, got %d", tc.status, got)
			}
			if !strings.Contains(out.String(), tc.output) {
				t.Errorf("Expected output with %q, got %q", tc.output, out.String())
			}
		})
	}
}

func TestExitStatusOfFailure(t *testing.T) {
	if got := exitStatus(errors.New("the port is taken")); got != 1 {
		t.Errorf("Expected exit status 1, got %d", got)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
