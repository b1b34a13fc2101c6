package discover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	every  = 5 * time.Second
	settle = every + settleAfter // from a change to its list, at most
)

// fileStage is a stage of files whose first look is over.
func fileStage(t *testing.T, pattern string) *stage {
	t.Helper()
	s := newStage(t, config.Discovery{Kind: config.DiscoverFile, Files: pattern}, Options{Limit: 100})
	s.Start()
	s.clock.pass(0)
	return s
}

func TestFileIsRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, `[{"targets": ["10.0.0.2", "10.0.0.1:80"]}, {"targets": ["10.0.0.3"], "labels": {"site": "b", "weight": "3"}}]`)
	s := newStage(t, config.Discovery{Kind: config.DiscoverFile, Files: name, Port: 8080, Site: "a"}, Options{})
	if s.Learned() {
		t.Error("Expected nothing to be learned before the first look")
	}
	s.Start()
	s.expect()
	s.clock.pass(0)
	s.expect("10.0.0.1:80/a 10.0.0.2:8080/a 10.0.0.3:8080/b*3")
	s.expectState(3, Good, 0)
	if !s.Learned() {
		t.Error("Expected the first look to be enough")
	}
	s.clock.pass(12 * time.Second)
	s.expect()
	s.expectState(3, Good, 2*time.Second)
	if n := len(s.clock.timers); n != 1 {
		t.Errorf("Expected one look to be planned, got %d", n)
	}
	s.Stop()
	if n := len(s.clock.timers); n != 0 {
		t.Errorf("Expected no timer after the stop, got %d", n)
	}
}

// TestFileChanges notices each way in which a file may become another one, and takes it when it has stood still.
func TestFileChanges(t *testing.T) {
	changes := map[string]func(t *testing.T, dir string){
		"a rewrite in place": func(t *testing.T, dir string) { write(t, dir+"/now/t.json", list("10.0.0.2")) },
		"a rename":           func(t *testing.T, dir string) { replace(t, dir+"/now/t.json", list("10.0.0.2")) },
		"another folder": func(t *testing.T, dir string) {
			write(t, folder(t, dir+"/next")+"/t.json", list("10.0.0.2"))
			rename(t, dir+"/now", dir+"/before")
			rename(t, dir+"/next", dir+"/now")
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, folder(t, dir+"/now")+"/t.json", list("10.0.0.1"))
			for _, pattern := range []string{"/now/t.json", "/now/*.json"} {
				write(t, dir+"/now/t.json", list("10.0.0.1"))
				s := fileStage(t, dir+pattern)
				s.expect("10.0.0.1")
				change(t, dir)
				s.clock.pass(every)
				s.expect()
				s.expectState(1, Good, every) // the change was seen: the old list is not confirmed
				s.clock.pass(settleAfter)
				s.expect("10.0.0.2")
				s.expectState(1, Good, 0)
				if err := os.RemoveAll(dir + "/before"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestConfigMap follows the links that Kubernetes turns: t.json -> ..data/t.json, ..data -> ..2030_01_01.
func TestConfigMap(t *testing.T) {
	dir := t.TempDir()
	write(t, folder(t, dir+"/..1")+"/t.json", list("10.0.0.1"))
	link(t, "..1", dir+"/..data")
	link(t, "..data/t.json", dir+"/t.json")
	plain, pattern := fileStage(t, dir+"/t.json"), fileStage(t, dir+"/*")
	plain.expect("10.0.0.1")
	pattern.expect("10.0.0.1")

	write(t, folder(t, dir+"/..2")+"/t.json", list("10.0.0.2"))
	stamp := time.Unix(1, 0)
	for _, version := range []string{"/..1", "/..2"} { // so that only the file itself differs
		if err := os.Chtimes(dir+version+"/t.json", stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	plain.clock.pass(settle)
	plain.expect()
	link(t, "..2", dir+"/..data")
	if err := os.RemoveAll(dir + "/..1"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*stage{plain, pattern} {
		s.clock.pass(settle)
		s.expect("10.0.0.2")
		s.expectState(1, Good, 0)
	}
}

// TestFileHalfWritten takes no part of a file for the whole, also where it looks like one, while somebody writes it.
func TestFileHalfWritten(t *testing.T) {
	for extension, text := range map[string]string{
		"yml":  "- targets:\n  - 10.0.0.1\n  - 10.0.0.2\n  - 10.0.0.3\n",
		"json": list("10.0.0.1", "10.0.0.2", "10.0.0.3"),
	} {
		t.Run(extension, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "t."+extension)
			write(t, name, text)
			s := fileStage(t, name)
			s.expect("10.0.0.1 10.0.0.2 10.0.0.3")
			now := text + "\n"
			for end := 0; end < len(now); end += 7 { // a part at each look
				write(t, name, now[:end])
				s.clock.pass(settleAfter)
			}
			s.expect()
			write(t, name, strings.ReplaceAll(now, "10.0.0.2", "10.0.0.4"))
			s.clock.pass(settle)
			s.expect("10.0.0.1 10.0.0.3 10.0.0.4")
		})
	}
}

// TestFileCutInHalf keeps what was there when half of a file stays.
func TestFileCutInHalf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	text := list("10.0.0.1", "10.0.0.2")
	write(t, name, text)
	s := fileStage(t, name)
	s.expect("10.0.0.1 10.0.0.2")
	if err := os.Truncate(name, int64(len(text)/2)); err != nil {
		t.Fatal(err)
	}
	s.clock.pass(settle)
	s.expect("refused: t.json:1: the file ends in the middle of the list: expected a whole one: what was known stays (2 targets, all good 6s ago)")
	s.expectState(2, Refused, settle)
	s.clock.pass(time.Minute)
	s.expect() // told once
	s.expectState(2, Refused, time.Minute+settle)
	since := s.State().FaultSince
	write(t, name, "")
	s.clock.pass(settle)
	s.expect("refused: the file is empty")
	if got := s.State().FaultSince; !got.Equal(since) {
		t.Errorf("Expected a fault since the first one, %v, got %v", since, got)
	}
	write(t, name, text)
	s.clock.pass(settle)
	s.expect("good: discover file " + name + ": good again, 2 targets") // and no list: it is the same
}

func TestFileVanishes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, list("10.0.0.1"))
	s := fileStage(t, name)
	s.expect("10.0.0.1")
	rename(t, name, name+".away")
	s.clock.pass(every)
	s.expect("gone: " + name + ": no such file or directory: what was known stays (1 target, all good 5s ago)")
	s.clock.pass(time.Hour)
	s.expect()
	s.expectState(1, Gone, time.Hour+every)
	rename(t, name+".away", name)
	s.clock.pass(every)
	s.expect("good: good again, 1 target")
	s.expectState(1, Good, 0)
}

func TestFileThatWasNeverThere(t *testing.T) {
	dir := t.TempDir()
	for _, pattern := range []string{dir + "/t.json", dir + "/*.json", dir + "/sub/t.json", dir + "/sub/*.json"} {
		s := fileStage(t, pattern)
		s.expect("gone: no targets are known from it")
		s.expectState(0, Gone, -1)
		if !s.Learned() {
			t.Error("Expected that nobody waits for a file that is not there")
		}
	}
	s := fileStage(t, dir+"/t.json")
	s.expect("gone: no such file or directory")
	write(t, dir+"/t.json", list("10.0.0.1"))
	s.clock.pass(every)
	s.expect("10.0.0.1", "good: good again, 1 target")
}

func TestFileIsEmpty(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, list())
	s := fileStage(t, name)
	s.expect("empty: discover file " + name + ": no targets: no targets are known from it")
	write(t, name, list("10.0.0.1"))
	s.clock.pass(settle)
	s.expect("10.0.0.1", "good: again")
	write(t, name, list())
	s.clock.pass(settle)
	s.expect("empty: no targets: what was known stays (1 target, all good 6s ago)")
	s.expectState(1, Empty, settle)
	remove(t, name)
	s.clock.pass(every)
	s.expect("gone: no such file")
	write(t, name, list("10.0.0.1"))
	s.clock.pass(settle)
	s.expect("good: again") // and no list: it is the one that stayed
}

func TestFileTooLarge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, list("10.0.0.1"))
	s := fileStage(t, name)
	s.expect("10.0.0.1")
	if err := os.Truncate(name, MaxFileSize+1); err != nil { // it takes no room on the disk
		t.Fatal(err)
	}
	took := allocated(func() { s.clock.pass(settle) })
	s.expect("refused: " + name + ": the file has 67108865 bytes: expected at most 67108864: what was known stays (1 target")
	if took > 1<<20 {
		t.Errorf("Expected the file not to be read, got %d bytes allocated", took)
	}
}

// TestFileOfAMillion reads the text, and next to nothing of what it says.
func TestFileOfAMillion(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, list("10.0.0.1"))
	s := fileStage(t, name)
	s.expect("10.0.0.1")
	data := many(1_000_000, "json")
	replace(t, name, string(data))
	took := allocated(func() { s.clock.pass(settle) })
	s.expect("refused: the file has more than 100 targets")
	s.expectState(1, Refused, settle)
	if took > 2*uint64(len(data))+4<<20 { // the race detector has the text allocated twice
		t.Errorf("Expected at most 4 MiB beside the text of %d bytes, got %d in all", len(data), took)
	}
}
