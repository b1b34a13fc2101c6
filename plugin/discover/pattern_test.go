package discover

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func TestPattern(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.json", list("10.0.0.1"))
	write(t, dir+"/b.json", list("10.0.0.2", "10.0.0.3"))
	write(t, dir+"/.c.json", "half")
	write(t, dir+"/d.txt", "notes")
	folder(t, dir+"/e.json")
	s := fileStage(t, dir+"/*.json")
	s.expect("10.0.0.1 10.0.0.2 10.0.0.3")

	write(t, dir+"/f.json", list("10.0.0.4"))
	s.clock.pass(every)
	s.expect("10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4")

	write(t, dir+"/b.json", list("web1", "10.0.0.2")) // one file is bad, another one is taken
	write(t, dir+"/a.json", list("10.0.0.5"))
	s.clock.pass(settle)
	s.expect("10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5", `refused: b.json:1: group 1, target 1: "web1" is a host name`)
	remove(t, dir+"/f.json")
	s.clock.pass(every)
	s.expect("refused: \n" + dir + "/f.json: no such file or directory: what was known stays (4 targets") // both are told
	s.expectState(4, Refused, every+settle)

	write(t, dir+"/b.json", list()) // its owner's word
	s.clock.pass(settle)
	s.expect("10.0.0.4 10.0.0.5", "gone: f.json: no such file")
	remove(t, dir+"/b.json")
	s.clock.pass(every)
	s.expect()
	write(t, dir+"/f.json", list())
	s.clock.pass(settle)
	s.expect("10.0.0.5", "good: again")
	write(t, dir+"/a.json", list())
	s.clock.pass(settle)
	s.expect("empty: no targets: what was known stays (1 target")
}

// TestPatternMoves keeps quiet about targets that move from one file to another: they are the same.
func TestPatternMoves(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.json", `[{"targets": ["10.0.0.1"], "labels": {"site": "a"}}]`)
	s := fileStage(t, dir+"/*.json")
	s.expect("10.0.0.1/a")
	rename(t, dir+"/a.json", dir+"/b.json")
	s.clock.pass(every)
	s.expect("gone: a.json: no such file")
	write(t, dir+"/b.json", `[{"targets": ["10.0.0.1"], "labels": {"site": "b"}}]`)
	s.clock.pass(settle)
	s.expect("10.0.0.1/b") // what is there stands over what was
}

func TestPatternConflicts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.json", `[{"targets": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3"], "labels": {"site": "a"}}]`)
	write(t, dir+"/b.json", `[{"targets": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.4"], "labels": {"site": "b"}}]`)
	s := fileStage(t, dir+"/*.json")
	s.expect("10.0.0.1:80/a 10.0.0.2:80/a 10.0.0.3/a 10.0.0.4/b", "refused: "+dir+"/b.json: 10.0.0.1:80 has site b and weight 1, and site a and weight 1 in "+
		dir+"/a.json: expected one site and one weight of a target, the latter is taken; 1 more have that fault")
	write(t, dir+"/b.json", list("10.0.0.4"))
	s.clock.pass(settle)
	s.expect("10.0.0.1:80/a 10.0.0.2:80/a 10.0.0.3/a 10.0.0.4", "good: again")
}

func TestPatternLimit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.json", list("10.0.0.1", "10.0.0.2"))
	s := newStage(t, config.Discovery{Kind: config.DiscoverFile, Files: dir + "/*.json"}, Options{Limit: 3})
	s.Start()
	s.clock.pass(0)
	s.expect("10.0.0.1 10.0.0.2")
	write(t, dir+"/b.json", list("10.0.0.2", "10.0.0.3", "10.0.0.4"))
	s.clock.pass(every)
	s.expect("refused: 4 targets in all: expected at most as many as the pool's `limit`, 3: what was known stays (2 targets")
	write(t, dir+"/b.json", list("10.0.0.2", "10.0.0.3"))
	s.clock.pass(settle)
	s.expect("10.0.0.1 10.0.0.2 10.0.0.3", "good: again")
}

func TestBadPath(t *testing.T) {
	dir := t.TempDir()
	folder(t, dir+"/folder.json")
	for pattern, want := range map[string]string{"/[.json": "syntax error in pattern", "/folder.json": "folder.json: not a regular file"} {
		if pattern == "/[.json" {
			write(t, dir+"/x", "")
		}
		fileStage(t, dir+pattern).expect("refused: " + want)
	}
}
