package watched

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// watch is a file of words; "bad" is none. Each write has a time of its own.
type watch struct {
	*File[string]
	t     *testing.T
	stamp time.Time
}

func newWatch(t *testing.T) *watch {
	t.Helper()
	w := &watch{t: t, stamp: time.Unix(1_700_000_000, 0)}
	w.File = &File[string]{Name: filepath.Join(t.TempDir(), "f"), Parse: func(_ string, data []byte) (string, error) {
		if string(data) == "bad" {
			return "", errors.New("a bad word")
		}
		return string(data), nil
	}}
	return w
}

func (w *watch) write(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.Name, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.stamp = w.stamp.Add(time.Second)
	if err := os.Chtimes(w.Name, w.stamp, w.stamp); err != nil {
		w.t.Fatal(err)
	}
}

// expect refreshes.
func (w *watch) expect(changed bool, fault, value string) {
	w.t.Helper()
	got, err := w.Refresh()
	if got != changed || (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
		w.t.Errorf("Expected a change %v and the error %q, got %v and %v", changed, fault, got, err)
	}
	if v, ok := w.Value(); v != value || ok != (value != "") {
		w.t.Errorf("Expected the value %q, got %q, %v", value, v, ok)
	}
}

// expectFault looks at what stands, told before or not.
func (w *watch) expectFault(want string) {
	w.t.Helper()
	if got := w.Fault(); (got == nil) != (want == "") || got != nil && got.Error() != w.Name+": "+want {
		w.t.Errorf("Expected the fault %q, got %v", want, got)
	}
}

func TestFault(t *testing.T) {
	w := newWatch(t)
	w.expect(false, "no such file", "")
	w.expectFault("no such file or directory")
	w.write("one")
	w.expect(true, "", "one")
	w.expectFault("")
	w.write("bad")
	w.expect(false, "a bad word", "one")
	w.expect(false, "", "one") // told once, and it stands
	w.expectFault("a bad word")
	if err := os.Rename(w.Name, w.Name+".bad"); err != nil {
		t.Fatal(err)
	}
	w.expect(false, "no such file", "one")
	w.expect(false, "", "one")
	w.expectFault("no such file or directory")
	if err := os.Rename(w.Name+".bad", w.Name); err != nil {
		t.Fatal(err)
	}
	w.expect(false, "a bad word", "one")
	w.write("two")
	w.expect(true, "", "two")
	w.expectFault("")
}

func TestLimit(t *testing.T) {
	w := newWatch(t)
	w.Limit = 3
	w.write("one")
	w.expect(true, "", "one")
	w.write("four")
	w.expect(false, "the file has 4 bytes: expected at most 3", "one")
	w.expect(false, "", "one")
	w.expectFault("the file has 4 bytes: expected at most 3")
}

// TestSettle takes a version that stood still from one look to the next, and the first one at once.
func TestSettle(t *testing.T) {
	w := newWatch(t)
	w.Settle = true
	w.write("one")
	w.expect(true, "", "one")
	for _, part := range []string{"", "t", "tw"} {
		w.write(part)
		w.expect(false, "", "one")
		if !w.Settling() {
			t.Errorf("Expected %q to have to settle", part)
		}
	}
	w.expect(true, "", "tw")
	w.write("two")
	w.expect(false, "", "tw")
	w.expect(true, "", "two")
	w.write("bad")
	w.expect(false, "", "two")
	w.expectFault("") // nobody knows yet
	w.expect(false, "a bad word", "two")
	w.write("three")
	w.expect(false, "", "two")
	w.expectFault("a bad word")
	w.expect(true, "", "three")
	if w.Settling() {
		t.Error("Expected nothing to settle any more")
	}

	w.write("four")
	w.expect(false, "", "three")
	if err := os.Remove(w.Name); err != nil {
		t.Fatal(err)
	}
	w.expect(false, "no such file", "three")
	if w.Settling() {
		t.Error("Expected nothing to settle where no file is")
	}
}

func TestInherit(t *testing.T) {
	old := newWatch(t)
	old.write("one")
	old.expect(true, "", "one")
	w := newWatch(t)
	w.Name = old.Name
	w.Inherit(old.File)
	w.expect(false, "", "one")
	old.write("bad")
	old.expect(false, "a bad word", "one")
	w = newWatch(t)
	w.Name = old.Name
	w.Inherit(old.File)
	w.expectFault("a bad word")
	w.expect(false, "a bad word", "one") // another one that looks for itself
}
