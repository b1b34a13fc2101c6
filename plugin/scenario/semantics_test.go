package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	specDir      = "testdata/spec"
	semanticsDoc = "../../docs/semantics.md"
)

// requiredNumbers are the numbered cases of choosing and of health that must be scenarios. Those that are missing between them need a real TLS
// server or a real body, and are tests of the probes.
func requiredNumbers() []string {
	var out []string
	add := func(format string, from, to int) {
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf(format, n))
		}
	}
	add("H-%02d", 1, 8)
	add("H-%02d", 10, 13)
	add("H-%02d", 18, 42)
	add("T-%03d", 1, 304)
	add("V-%d", 1, 8)
	add("timeline-5.%d", 1, 3)
	add("timeline-5.%d-preset", 1, 3) // the same with a preset in the place of options
	return out
}

// fileNumber is the number in a scenario's file name; a case of several variants has a file for each, with a suffix: T-036-256.txtar.
var fileNumber = regexp.MustCompile(`^(H-\d{2}|T-\d{3}|V-\d|timeline-5\.\d)(-[a-z0-9_-]+)?\.txtar$`)

// specFiles returns the scenario files of each number.
func specFiles(t *testing.T) map[string][]string {
	t.Helper()
	entries, err := os.ReadDir(specDir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]string{}
	for _, e := range entries {
		parts := fileNumber.FindStringSubmatch(e.Name())
		if parts == nil {
			t.Errorf("Expected a file name like T-001.txtar or T-036-256.txtar, got %s", e.Name())
			continue
		}
		files[parts[1]] = append(files[parts[1]], e.Name())
	}
	return files
}

func readSemantics(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(semanticsDoc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRequiredNumbers fails when a numbered case has no scenario.
func TestRequiredNumbers(t *testing.T) {
	files := specFiles(t)
	for _, number := range requiredNumbers() {
		if _, err := os.Stat(filepath.Join(specDir, number+".txtar")); err != nil && len(files[number]) == 0 {
			t.Errorf("Expected a scenario for case %s, got none", number)
		}
	}
}

// TestSemanticsNameAll fails when a scenario is not in docs/semantics.md: a number in a test must mean something to its reader.
func TestSemanticsNameAll(t *testing.T) {
	doc := readSemantics(t)
	for number, names := range specFiles(t) {
		if word := strings.TrimPrefix(number, "timeline-"); !regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(doc) {
			t.Errorf("Expected %s in docs/semantics.md, got nothing about it", word)
		}
		for _, name := range names {
			if !strings.Contains(doc, "(../plugin/scenario/"+specDir+"/"+name+")") {
				t.Errorf("Expected a link to %s in docs/semantics.md, got none", name)
			}
		}
	}
}

// TestScenariosSayWhatTheyShow wants a scenario to begin with its number and a few plain words.
func TestScenariosSayWhatTheyShow(t *testing.T) {
	for number, names := range specFiles(t) {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(specDir, name))
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			if !strings.HasPrefix(first, "# "+number) || len(first) < len("# "+number)+len(": words") {
				t.Errorf("Expected %s to begin with `# %s: what it shows`, got %q", name, number, first)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noRef   = regexp.MustCompile(`[^a-z0-9 _-]`) // what a heading's anchor leaves out
)

// TestSemanticsLinks fails when a link of docs/semantics.md leads nowhere.
func TestSemanticsLinks(t *testing.T) {
	doc := readSemantics(t)
	var anchors []string
	for _, h := range heading.FindAllStringSubmatch(doc, -1) {
		anchors = append(anchors, strings.ReplaceAll(noRef.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	links := link.FindAllStringSubmatch(doc, -1)
	if len(links) == 0 {
		t.Fatal("Expected links in docs/semantics.md, got none")
	}
	for _, l := range links {
		if anchor, here := strings.CutPrefix(l[1], "#"); here {
			if !slices.Contains(anchors, anchor) {
				t.Errorf("Expected a heading for the link %q, got none", l[1])
			}
			continue
		}
		file, _, _ := strings.Cut(l[1], "#")
		if _, err := os.Stat(filepath.Join(filepath.Dir(semanticsDoc), file)); err != nil {
			t.Errorf("Expected the link %q to lead to a file, got %v", l[1], err)
		}
	}
}
