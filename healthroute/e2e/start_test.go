//go:build linux

package e2e

import (
	"syscall"
	"testing"
)

// TestFirstAnswer starts with members that are dead in each way: already the first answer leaves them out (reports 18, 20).
func TestFirstAnswer(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 5)
	live := backends[0]
	records := "record " + live.host + "\n"
	for i, m := range []mode{modeRefuse, modeHang, modeError, modeFull} {
		dead := backends[i+1]
		dead.set(m)
		records += "record " + dead.host + "\n"
	}
	group := func(name, policy, records string) string {
		return "group " + name + " " + policy + " {\nprobe web\n" + records + "}\n"
	}
	var first string
	s := startWatched(t, "healthroute {\n"+probe("web", "http", live, rarely)+
		group("www", "multivalue", records)+group("drawn", "weighted", records)+
		group("over", "failover", "record "+backends[1].host+" primary\nrecord "+live.host+" secondary\n")+"}",
		func(s *server) { first = s.firstAnswer("www") })
	if first != live.host {
		t.Errorf("Expected the first answer to be %s, got %s", live.host, first)
	}
	for range 20 {
		s.expect("udp", "drawn", live.host)
	}
	s.expect("udp", "over", live.host)
	s.expect("tcp", "www", live.host)
}

// TestHangingNeighbour has a group whose target never answers: the server starts within its bound, the other group answers
// while that attempt is under way, and a stop does not wait for it.
func TestHangingNeighbour(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 2)
	live, hanging := backends[0], backends[1]
	hanging.set(modeHang)
	s := start(t, "healthroute {\n"+probe("web", "http", live, rarely)+
		probe("slow", "http", hanging, "interval 1h\ntimeout 100s")+
		"group www simple {\nprobe web\nrecord "+live.host+"\n}\n"+
		"group slow simple {\nprobe slow\nrecord "+hanging.host+"\n}\n}")
	s.awaitLog("serving before all first attempts have ended, after 2s", 1)
	underWay := func() bool { return hanging.total() == 1 && hanging.gaveUp.Load() == 0 }
	if !underWay() {
		t.Fatal("Expected a server that starts while an attempt hangs, got one that waited for its end")
	}
	for range 50 {
		s.expect("udp", "www", live.host)
		s.expect("tcp", "www", live.host)
	}
	s.expect("udp", "slow", hanging.host) // no verdict yet: it is included
	if got := s.attempts("slow", "pass") + s.attempts("slow", "fail") + s.attempts("slow", "cannot_tell"); got != 0 || !underWay() {
		t.Errorf("Expected these answers while the attempt is under way, got %d that ended", got)
	}
	s.expectStop()
	eventually(t, "the end of the attempt", func() bool { return hanging.gaveUp.Load() == 1 })
}

// TestStop ends a server whose attempts are quick.
func TestStop(t *testing.T) {
	t.Parallel()
	live := newBackends(t, 1)[0]
	s := start(t, "healthroute {\n"+probe("web", "http", live, quick)+"group www simple {\nprobe web\nrecord "+live.host+"\n}\n}")
	live.await(2) // it is in full swing
	s.expectStop()
	if got := s.log.count("[ERROR]"); got != 0 {
		t.Errorf("Expected no error in the log, got %d", got)
	}
}

// expectStop sends SIGTERM and expects a clean end, long before an attempt's timeout could pass.
func (s *server) expectStop() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	eventually(s.t, "the end of the process", s.hasExited)
	if got := s.process.ProcessState.ExitCode(); got != 0 {
		s.t.Errorf("Expected exit status 0, got %d", got)
	}
}
