package corefile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

var update = flag.Bool("update", false, "write the problems that came into the testdata files")

// env is the server block around the stanzas of the tests.
var env = Env{ServerZones: []string{"example.org."}}

// The files of testdata/errors and testdata/warnings show one kind of problem each: a text, and behind it, in lines
// that begin with marker, exactly the problems that it must give. The files of testdata/good must give none.
const marker = "#! "

// eachFile runs a test for each file of a folder of testdata.
func eachFile(t *testing.T, folder string, test func(t *testing.T, path, text string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.corefile"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("Expected files in testdata/%s, got none (%v)", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".corefile"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("Expected to read the file, got %v", err)
			}
			test(t, path, string(text))
		})
	}
}

// problemsOf compares the problems of a file with those that it names, and returns them.
func problemsOf(t *testing.T, path, text string) config.Problems {
	t.Helper()
	stanzas, expected, _ := strings.Cut(text, marker)
	_, problems := ParseText("Corefile", stanzas, env)
	var got strings.Builder
	for _, p := range problems {
		got.WriteString(marker + p.Error() + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(stanzas+got.String()), 0o644); err != nil {
			t.Fatalf("Expected to write the file, got %v", err)
		}
		return problems
	}
	if expected = marker + expected; got.String() != expected {
		t.Errorf("Expected problems\n%sgot\n%s", expected, got.String())
	}
	return problems
}

func TestErrorFiles(t *testing.T) {
	eachFile(t, "errors", func(t *testing.T, path, text string) {
		if problems := problemsOf(t, path, text); len(problems.Errors()) == 0 {
			t.Errorf("Expected an error, got %v", problems)
		}
	})
}

func TestWarningFiles(t *testing.T) {
	eachFile(t, "warnings", func(t *testing.T, path, text string) {
		problems := problemsOf(t, path, text)
		if len(problems.Warnings()) == 0 || len(problems.Errors()) > 0 {
			t.Errorf("Expected a warning and no error, got %v", problems)
		}
	})
}
