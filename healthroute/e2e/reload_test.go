//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// complete is what the log says after a good reload, and failed after a bad one.
const complete, failed = "[INFO] Reloading complete", "[ERROR] SIGUSR1: "

// TestReload edits the Corefile of a running server, in the middle of a check's run of failures.
func TestReload(t *testing.T) {
	t.Parallel()
	const fall = 3
	backends := newBackends(t, 4)
	first, second, removed, added := backends[0], backends[1], backends[2], backends[3]
	kept := "healthroute {\n" +
		probe("kept", "http", first, quick, fmt.Sprint("fall ", fall)) + probe("once", "http", second, rarely) +
		"group www failover {\nrecord " + first.host + " primary probe kept\nrecord " + second.host + " secondary probe once\n}\n"
	with := func(b *backend) string {
		return kept + probe("other", "http", b, quick) + "group other simple {\nprobe other\nrecord " + b.host + "\n}\n}"
	}
	s := start(t, with(removed))
	s.expect("udp", "other", removed.host)

	died := s.turn(first, modeHang, "kept", "fail", fall)
	eventually(t, "the first failure", func() bool { return s.attempts("kept", "fail") > 0 })
	s.reload(with(added), complete)
	if added.total() == 0 {
		t.Error("Expected an attempt of the added check before the reload is complete, got none")
	}
	s.expect("udp", "other", added.host)
	stopped := removed.total()
	died.expect("udp", first.host, second.host) // the failure before the reload counts
	s.awaitLog(fmt.Sprintf("check kept@%s is unhealthy after %d attempts", first.address, fall), 1)

	for range 2 {
		s.reload(with(added), complete)
		s.expect("udp", "www", second.host) // with the state that the check had
	}
	s.expectFailedReload(strings.Replace(with(added), "interval", "intervall", 1), 8, `did you mean "interval"?`)
	s.expectFailedReload(with(added)+"\nunheard_of", 5+strings.Count(with(added), "\n")+1, "unheard_of")
	s.expect("udp", "www", second.host)
	s.expect("udp", "other", added.host)
	added.await(added.total() + 2) // it goes on
	first.await(int(first.arrived.Load()) + 1)

	if got := removed.total(); got != stopped {
		t.Errorf("Expected the removed check to stop after %d attempts, got %d", stopped, got)
	}
	if got := second.total(); got != 1 {
		t.Errorf("Expected no attempt because of a reload, got %d", got-1)
	}
	if got := s.metric("checks"); got != 3 {
		t.Errorf("Expected 3 checks, got %d", got)
	}
	if got := s.transitions("kept", "unhealthy"); got != 1 {
		t.Errorf("Expected 1 transition of the kept check, got %d", got)
	}
	expectAttempts(t, s, "kept", first)

	recovered := s.turn(first, modeUp, "kept", "pass", 2)
	s.reload(with(added), complete) // a good one works after bad ones
	recovered.expect("udp", second.host, first.host)
}

// expectFailedReload edits the Corefile into one with a fault in a line: the log names both.
func (s *server) expectFailedReload(plugins string, line int, fault string) {
	s.t.Helper()
	s.reload(plugins, failed)
	text := s.log.String()
	_, text, _ = strings.Cut(text[strings.LastIndex(text, failed):], failed)
	text, _, _ = strings.Cut(text, "\n")
	for _, want := range []string{fmt.Sprintf("%s:%d", s.corefile, line), fault} {
		if !strings.Contains(text, want) {
			s.t.Errorf("Expected an error with %s, got %s", want, text)
		}
	}
}

// TestReloadByItself leaves the Corefile to the *reload* plugin, which finds good ones and broken ones; the last comes by a signal. Who asks meanwhile gets
// an answer each time, and the checks that stay have no attempt too many.
func TestReloadByItself(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 3)
	live, once, removed := backends[0], backends[1], backends[2]
	with := func(marker string, more ...string) string {
		return "reload 2s 1s\nhealthroute {\n" + probe("kept", "http", live, quick) + probe("once", "http", once, rarely) +
			"group www multivalue {\nrecord " + live.host + " probe kept\nrecord " + once.host + " probe once\n}\n" +
			"group marker simple {\nrecord " + marker + "\n}\n" + strings.Join(more, "\n") + "}"
	}
	leaving := probe("other", "http", removed, quick) + "group other simple {\nprobe other\nrecord " + removed.host + "\n}\n"
	s := start(t, with("192.0.2.1", leaving))
	stop, asked := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { asked <- n }()
		for client := (&dns.Client{Timeout: patience}); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if reply, _, err := client.Exchange(question("www"), s.dns); err != nil || outcome(reply) != hosts(backends[:2]) {
				t.Errorf("Expected %s, got: %v\n%v", hosts(backends[:2]), err, reply)
				return
			}
		}
	}()
	edited := func(text, marker string, outcome string) {
		t.Helper()
		before := s.log.count(outcome)
		s.write(text)
		s.awaitLog(outcome, before+1)
		s.expect("udp", "marker", marker)
		s.expect("tcp", "marker", marker)
	}
	const refused = "[ERROR] plugin/reload: Corefile changed but reload failed"
	edited(with("192.0.2.2"), "192.0.2.2", complete)
	stopped := removed.total()
	edited(with("192.0.2.3", "nonsense"), "192.0.2.2", refused)
	edited(with("192.0.2.3", "geoip missing.mmdb"), "192.0.2.2", refused)
	edited(with("192.0.2.4"), "192.0.2.4", complete) // a good one works after bad ones
	s.reload(with("192.0.2.5"), complete)            // by a signal, which comes before the plugin looks; caddy has it look no more after that
	s.expect("udp", "marker", "192.0.2.5")

	close(stop)
	if n := <-asked; n < 100 {
		t.Errorf("Expected at least 100 answers, got %d", n)
	}
	if got := removed.total(); got != stopped {
		t.Errorf("Expected the removed check to stop after %d attempts, got %d", stopped, got)
	}
	if got := once.total(); got != 1 {
		t.Errorf("Expected no attempt because of a reload, got %d", got-1)
	}
	if got := s.transitions("kept", "unhealthy"); got != 0 {
		t.Errorf("Expected a check that stays healthy, got %d transitions", got)
	}
	expectAttempts(t, s, "kept", live)
}
