package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// behind is who answers questions in tests: a reply for "app.test. A", or nobody.
type behind struct {
	t       *testing.T
	replies map[string]string
	asked   []string
}

func (b *behind) ask(_ context.Context, req *dns.Msg) *dns.Msg {
	q := req.Question[0]
	question := q.Name + " " + dns.TypeToString[q.Qtype]
	b.asked = append(b.asked, question)
	text, ok := b.replies[question]
	if !ok {
		return nil
	}
	return replyOf(b.t, text)
}

// expectAsked compares the questions since it was asked last, in any order.
func (b *behind) expectAsked(want ...string) {
	b.t.Helper()
	slices.Sort(b.asked)
	if !slices.Equal(b.asked, want) {
		b.t.Errorf("Expected the questions %q, got %q", want, b.asked)
	}
	b.asked = nil
}

func dnsStage(t *testing.T, qtype uint16, replies map[string]string) (*stage, *behind) {
	t.Helper()
	b := &behind{t: t, replies: replies}
	s := newStage(t, config.Discovery{Kind: config.DiscoverDNS, Name: "app.test.", Type: qtype, Port: 80, Site: "a"}, Options{Ask: b.ask, Limit: 10})
	s.Start()
	s.clock.pass(0)
	return s, b
}

func TestDNS(t *testing.T) {
	s, b := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": "app.test. 20 A 10.0.0.2\napp.test. 30 A 10.0.0.1"})
	s.expect("10.0.0.1:80/a 10.0.0.2:80/a")
	b.expectAsked("app.test. A")
	s.clock.pass(19 * time.Second)
	b.expectAsked()
	b.replies["app.test. A"] = "app.test. 5 A 10.0.0.1\napp.test. 5 A 10.0.0.2" // turned
	s.clock.pass(time.Second)
	b.expectAsked("app.test. A")
	s.expect()
	s.expectState(2, Good, 0)
	b.replies["app.test. A"] = "app.test. 5 A 10.0.0.3"
	s.clock.pass(5 * time.Second)
	s.expect("10.0.0.3:80/a")
}

// TestDNSFails keeps what was known, whatever the failure, and asks again after pauses that double.
func TestDNSFails(t *testing.T) {
	for text, want := range map[string]string{
		"SERVFAIL": "gone: app.test. A: no answer: SERVFAIL: what was known stays (1 target, all good 5s ago)",
		"NXDOMAIN": "empty: app.test. A: no targets: what was known stays (1 target, all good 5s ago)",
		"":         "empty: app.test. A: no targets: what was known stays",
		"app.test. 60 A 10.0.0.2\napp.test. 60 A 0.0.0.0": `refused: app.test. A: address "0.0.0.0" is the unspecified address`,
		"nobody": "gone: app.test. A: no answer: what was known stays",
	} {
		s, b := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": "app.test. 5 A 10.0.0.1"})
		s.expect("10.0.0.1:80/a")
		if b.replies["app.test. A"] = text; text == "nobody" {
			delete(b.replies, "app.test. A")
		}
		s.clock.pass(5 * time.Second)
		s.expect(want)
		b.asked = nil
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
			s.clock.pass(pause*time.Second - 1)
			b.expectAsked()
			s.clock.pass(1)
			b.expectAsked("app.test. A")
		}
		s.expect()
		fortune, _, _ := strings.Cut(want, ":")
		s.expectState(1, Fortune(fortune), 96*time.Second)
		b.replies["app.test. A"] = "app.test. 5 A 10.0.0.1"
		s.clock.pass(30 * time.Second)
		s.expect("good: discover dns app.test. A: good again, 1 target")
		delete(b.replies, "app.test. A")
		s.clock.pass(5 * time.Second)
		b.asked = nil
		s.clock.pass(time.Second)
		b.expectAsked("app.test. A") // the pauses begin anew
	}
}

// TestDNSAsksForHosts looks up the hosts of services that came without addresses, in both families.
func TestDNSAsksForHosts(t *testing.T) {
	s, b := dnsStage(t, dns.TypeSRV, map[string]string{
		"app.test. SRV": "app.test. 60 SRV 0 2 81 x.test.\napp.test. 60 SRV 0 3 82 x.test.\napp.test. 60 SRV 0 0 83 y.test.\napp.test. 60 SRV 0 0 84 z.test.\n---\nz.test. 60 A 10.0.0.9",
		"x.test. A":     "x.test. 40 A 10.0.0.1",
		"x.test. AAAA":  "x.test. 50 AAAA 2001:db8::1",
		"y.test. A":     "y.test. 60 A 10.0.0.2",
		"y.test. AAAA":  "",
	})
	s.expect("10.0.0.1:81/a*2 10.0.0.1:82/a*3 10.0.0.2:83/a 10.0.0.9:84/a [2001:db8::1]:81/a*2 [2001:db8::1]:82/a*3")
	b.expectAsked("app.test. SRV", "x.test. A", "x.test. AAAA", "y.test. A", "y.test. AAAA")
	s.clock.pass(39 * time.Second)
	b.expectAsked()

	delete(b.replies, "y.test. A") // half of the hosts is no list
	b.replies["x.test. A"] = "x.test. 40 A 10.0.0.3"
	s.clock.pass(time.Second)
	s.expect("gone: app.test. SRV: y.test. A: no answer: what was known stays (6 targets, all good 40s ago)")
	b.replies["y.test. A"] = "NXDOMAIN"
	b.asked = nil
	s.clock.pass(time.Second)
	s.expect("10.0.0.3:81/a*2 10.0.0.3:82/a*3 10.0.0.9:84/a [2001:db8::1]:81/a*2 [2001:db8::1]:82/a*3", "good: again")
}

func TestDNSWithoutHosts(t *testing.T) {
	s, _ := dnsStage(t, dns.TypeSRV, map[string]string{"app.test. SRV": "app.test. 60 SRV 0 2 81 x.test.", "x.test. A": "", "x.test. AAAA": "NXDOMAIN"})
	s.expect("empty: app.test. SRV: no targets")
}

func TestDNSLimit(t *testing.T) {
	var a, srv strings.Builder
	for i := range 11 {
		fmt.Fprintf(&a, "app.test. 60 A 10.0.0.%d\n", i+1)
		fmt.Fprintf(&srv, "app.test. 60 SRV 0 0 80 h%d.test.\n", i)
	}
	s, _ := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": a.String()})
	s.expect("refused: 11 targets in all: expected at most as many as the pool's `limit`, 10: no targets are known from it")
	s, b := dnsStage(t, dns.TypeSRV, map[string]string{"app.test. SRV": srv.String()})
	s.expect("refused: app.test. SRV: the services have 11 hosts: expected at most as many as the pool's `limit`, 10")
	b.expectAsked("app.test. SRV")
}
