//go:build linux

package e2e

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// ask asks for the A records of a name in example.org, over "udp" or "tcp", and returns the addresses or what there is instead.
// A datagram may be lost, so it asks again.
func (s *server) ask(network, name string) string {
	s.t.Helper()
	client := &dns.Client{Net: network, Timeout: patience / 6}
	var err error
	for range 6 {
		var reply *dns.Msg
		if reply, _, err = client.Exchange(question(name), s.dns); err == nil {
			return outcome(reply)
		}
	}
	s.t.Fatalf("Expected an answer for %s, got: %v", name, err)
	return ""
}

// expect asks and compares.
func (s *server) expect(network, name, want string) {
	s.t.Helper()
	if got := s.ask(network, name); got != want {
		s.t.Errorf("Expected %s for %s over %s, got %s", want, name, network, got)
	}
}

func question(name string) *dns.Msg {
	return new(dns.Msg).SetQuestion(name+".example.org.", dns.TypeA)
}

// outcome is the addresses of a reply in ascending order, or the code of a reply without.
func outcome(reply *dns.Msg) string {
	var addresses []string
	for _, rr := range reply.Answer {
		if a, ok := rr.(*dns.A); ok {
			addresses = append(addresses, a.A.String())
		}
	}
	if len(addresses) == 0 {
		return dns.RcodeToString[reply.Rcode]
	}
	slices.Sort(addresses)
	return strings.Join(addresses, " ")
}

// metric is the sum of the samples of a metric of ours that have all these labels, each written as `name="value"`.
func (s *server) metric(name string, labels ...string) int {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	page, err := client.Get("http://" + s.metrics + "/metrics")
	for n := 0; n < 3 && errors.Is(err, io.EOF); n++ { // *prometheus* gives a scrape 5 s, which a busy machine may take
		page, err = client.Get("http://" + s.metrics + "/metrics")
	}
	if err != nil {
		s.t.Fatalf("Expected the metrics, got: %v", err)
	}
	defer page.Body.Close()
	sum := 0.0
	lines := bufio.NewScanner(page.Body)
	for lines.Scan() {
		series, ours := strings.CutPrefix(lines.Text(), "coredns_healthroute_"+name)
		at := strings.LastIndex(series, " ")
		if ours = ours && at >= 0 && (at == 0 || series[0] == '{'); !ours || slices.ContainsFunc(labels, func(l string) bool { return !strings.Contains(series[:at], l) }) {
			continue
		}
		value, err := strconv.ParseFloat(series[at+1:], 64)
		if err != nil {
			s.t.Errorf("Expected a number, got %q", lines.Text())
		}
		sum += value
	}
	if err := lines.Err(); err != nil {
		s.t.Fatalf("Expected the whole page of metrics, got: %v", err)
	}
	return int(sum)
}

// attempts is how many attempts of a probe have ended so.
func (s *server) attempts(probe, outcome string) int {
	s.t.Helper()
	return s.metric("attempts_total", `probe="`+probe+`"`, `outcome="`+outcome+`"`)
}

// transitions is how often the checks of a probe have become so.
func (s *server) transitions(probe, to string) int {
	s.t.Helper()
	return s.metric("transitions_total", `probe="`+probe+`"`, `to="`+to+`"`)
}

// firstAnswer asks from the first moment on and returns the first answer; "" if the process ends before.
func (s *server) firstAnswer(name string) string {
	client := &dns.Client{Timeout: patience / 6}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !s.hasExited() {
		if reply, _, err := client.Exchange(question(name), s.dns); err == nil {
			return outcome(reply)
		}
		<-ticker.C
	}
	return ""
}

// expectAttempts holds what the server says of a probe against what its only backend saw.
func expectAttempts(t *testing.T, s *server, probe string, b *backend) {
	t.Helper()
	ended := func() int { return s.attempts(probe, "pass") + s.attempts(probe, "fail") }
	if least, arrived := ended(), b.total(); arrived < least {
		t.Errorf("Expected at least %d attempts at %s, got %d", least, b.host, arrived)
	}
	if arrived, most := b.total(), ended()+1; arrived > most { // one may be under way
		t.Errorf("Expected at most %d attempts at %s, got %d", most, b.host, arrived)
	}
}
