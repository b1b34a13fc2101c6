package corefile

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse asserts that no text panics, and that what a text means survives being printed.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.corefile"))
	if err != nil {
		f.Fatalf("Expected seeds, got %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatalf("Expected to read the seed, got %v", err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		stanzas, problems := ParseText("Corefile", text, env)
		if len(problems.Errors()) > 0 {
			return
		}
		for _, s := range stanzas {
			checkRoundTrip(t, s)
		}
	})
}
