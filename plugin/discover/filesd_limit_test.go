package discover

import (
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestParseFileTellsTen says how much is wrong without saying all of it.
func TestParseFileTellsTen(t *testing.T) {
	for name, text := range map[string]string{"t.json": `[{"targets": [` + strings.Repeat("\n\"a\",", 24) + "\n\"a\"\n]}]", "t.yml": "- targets:\n" + strings.Repeat("  - a\n", 25)} {
		_, err := ParseFile(name, []byte(text), 100)
		var problems config.Problems
		if !errors.As(err, &problems) || len(problems) != 11 {
			t.Fatalf("Expected eleven lines of %s, got %v", name, err)
		}
		if got := problems[10].Message; got != "15 more faults were found" {
			t.Errorf("Expected the number of the others, got %q", got)
		}
		if got := problems[9].Position; got != (config.Position{File: name, Line: 11}) {
			t.Errorf("Expected line 11 of the tenth, got %v", got)
		}
	}
}

// many is a file of that many targets.
func many(n int, extension string) []byte {
	begin, before, behind, between, end := "[{\"targets\":[", `"`, `:80"`, ",", "]}]"
	if extension == "yml" {
		begin, before, behind, between, end = "- targets:\n", "  - ", ":80", "\n", "\n"
	}
	text := []byte(begin)
	for i := range n {
		if i > 0 {
			text = append(text, between...)
		}
		text = append(text, before...)
		text = netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}).AppendTo(text)
		text = append(text, behind...)
	}
	return append(text, end...)
}

// allocated is what f takes from the heap, given back or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestParseFileOfAMillion refuses it before it has taken much of it in.
func TestParseFileOfAMillion(t *testing.T) {
	for extension, want := range map[string]string{
		"json": "t.json:1: the file has more than 10000 targets: expected at most as many as the pool's `limit`",
		"yml":  "t.yml:1: the file has 2000002 lines and items: expected at most 641000 in YAML where the pool's `limit` is 10000; JSON can be longer",
	} {
		data := many(1_000_000, extension)
		var err error
		took := allocated(func() { _, err = ParseFile("t."+extension, data, config.DefaultPoolLimit) })
		if err == nil || err.Error() != want {
			t.Errorf("Expected %q, got %v", want, err)
		}
		if took > 4<<20 {
			t.Errorf("Expected at most 4 MiB for a refused %s file of %d bytes, got %d", extension, len(data), took)
		}
	}
}

// TestParseFileWhole takes as many as the limit allows, in both forms.
func TestParseFileWhole(t *testing.T) {
	found, err := ParseFile("t.json", many(20_000, "json"), 20_000)
	if err != nil || len(found) != 20_000 {
		t.Errorf("Expected 20,000, got %d and %v", len(found), err)
	}
	text := "- targets:\n" + strings.Repeat("  - 10.0.0.1\n", 10_000)
	if found, err := ParseFile("t.yml", []byte(text), 10_000); err != nil || len(found) != 1 {
		t.Errorf("Expected the one target, got %v and %v", found, err)
	}
}

func TestParseFileTooLarge(t *testing.T) {
	data := make([]byte, MaxFileSize+1)
	var err error
	took := allocated(func() { _, err = ParseFile("t.json", data, 10) })
	if want := "t.json:1: the file has 67108865 bytes: expected at most 67108864"; err == nil || err.Error() != want {
		t.Errorf("Expected %q, got %v", want, err)
	}
	if took > 1<<20 {
		t.Errorf("Expected nothing to be read, got %d bytes allocated", took)
	}
}

// TestYAMLAliasBomb stops where a short text with aliases stands for a very long one.
func TestYAMLAliasBomb(t *testing.T) {
	text := "- labels: &l {" + strings.Repeat("x: y, ", 1000) + "}\n" + strings.Repeat("- labels: *l\n", 5000)
	if _, err := ParseFile("t.yml", []byte(text), 1000); err == nil || !strings.Contains(err.Error(), "aliases make the file too long") {
		t.Errorf("Expected the aliases to be refused, got %v", err)
	}
	text = "- targets: &t [" + strings.Repeat("10.0.0.1,", 100) + "]\n" + strings.Repeat("- targets: *t\n", 100)
	if _, err := ParseFile("t.yml", []byte(text), 1000); err == nil || !strings.Contains(err.Error(), "more than 1000 targets") {
		t.Errorf("Expected the limit to hold, got %v", err)
	}
}
