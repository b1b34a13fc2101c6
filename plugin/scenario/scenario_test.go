package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScenarios plays every scenario file of testdata.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("Expected scenario files, got none: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			script, problems := Parse(name, text)
			if problems != nil {
				t.Fatal(problems)
			}
			for _, f := range Run(script).Failures {
				t.Error(f)
			}
		})
	}
}
