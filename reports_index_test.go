package healthroute

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReportsHaveTests holds docs/reports.md against the tests: each of the thirty reports has one, and each that is named there is.
func TestReportsHaveTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "reports.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| .+ \| (.+) \|$`)
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 30 {
		t.Errorf("Expected 30 reports, got %d", len(rows))
	}
	for i, r := range rows {
		if r[1] != fmt.Sprint(i+1) {
			t.Errorf("Expected report %d, got %s", i+1, r[1])
		}
		folder, tests := ".", 0
		for _, word := range quoted.FindAllStringSubmatch(r[2], -1) {
			if !strings.HasPrefix(word[1], "Test") {
				folder = word[1]
				continue
			}
			tests++
			if !isTest(t, folder, word[1]) {
				t.Errorf("Expected a test %s in %s for report %s, got none", word[1], folder, r[1])
			}
		}
		if tests == 0 {
			t.Errorf("Expected a test for report %s, got none", r[1])
		}
	}
}

// isTest reports whether the folder's package has the test.
func isTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T) {") {
			return true
		}
	}
	return false
}
