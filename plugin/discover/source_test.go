package discover

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
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
		s.expectState(1, Fortune(want[:strings.Index(want, ":")]), 96*time.Second)
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

func TestHurry(t *testing.T) {
	s, b := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": "app.test. 3600 A 10.0.0.1"})
	s.expect("10.0.0.1:80/a")
	b.replies["app.test. A"] = "app.test. 3600 A 10.0.0.2"
	s.Hurry()
	s.Hurry()
	s.clock.pass(0)
	s.expect("10.0.0.2:80/a")
	b.expectAsked("app.test. A", "app.test. A")
	if n := len(s.clock.timers); n != 1 {
		t.Errorf("Expected one look to be planned, got %d", n)
	}
	s.Stop()
	s.Hurry()
	if n := len(s.clock.timers); n != 0 {
		t.Errorf("Expected no look after the stop, got %d", n)
	}
}

// TestInheritFiles starts a reload with what was known, also of a file that has vanished, and reports no fault twice.
func TestInheritFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.json", list("10.0.0.1"))
	write(t, dir+"/b.json", list("10.0.0.2"))
	d := config.Discovery{Kind: config.DiscoverFile, Files: dir + "/*.json", Site: "a"}
	before := newStage(t, d, Options{})
	before.Start()
	before.clock.pass(0)
	before.expect("10.0.0.1/a 10.0.0.2/a")
	remove(t, dir+"/b.json")
	before.clock.pass(every)
	before.expect("gone: b.json: no such file")

	d.Site, d.Position = "b", config.Position{File: "Corefile", Line: 9}
	after := newStage(t, d, Options{Clock: before.clock})
	after.Inherit(before.Source)
	after.expect("10.0.0.1/b 10.0.0.2/b")
	after.expectState(2, Gone, every)
	if !after.Learned() {
		t.Error("Expected what was inherited to be enough")
	}
	before.Stop()
	after.Start()
	after.clock.pass(every)
	after.expect()
	write(t, dir+"/a.json", list("10.0.0.3"))
	after.clock.pass(settle)
	after.expect("10.0.0.2/b 10.0.0.3/b")
	write(t, dir+"/b.json", list("10.0.0.2"))
	after.clock.pass(settle)
	after.expect("good: again")
}

func TestInheritDNS(t *testing.T) {
	before, b := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": "app.test. 60 A 10.0.0.1"})
	d := config.Discovery{Kind: config.DiscoverDNS, Name: "app.test.", Type: dns.TypeA, Port: 81}
	after := newStage(t, d, Options{Clock: before.clock, Ask: b.ask})
	after.Inherit(before.Source)
	after.expect("10.0.0.1:81")
	b.asked = nil
	after.Start()
	after.clock.pass(0)
	after.expect()
	b.expectAsked("app.test. A") // at once, as what stands behind us may have changed
}

// TestInheritEmpty hands on the list that stayed when its source said that there is none.
func TestInheritEmpty(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.json")
	write(t, name, list("10.0.0.1"))
	before := fileStage(t, name)
	write(t, name, list())
	before.clock.pass(settle)
	before.expect("10.0.0.1", "empty: no targets")
	after := newStage(t, before.d, Options{Clock: before.clock})
	after.Inherit(before.Source)
	after.expect("10.0.0.1")
	after.Start()
	after.clock.pass(every)
	after.expect()
	after.expectState(1, Empty, settle+every)
}

func TestInheritsNothingOfAnother(t *testing.T) {
	before, b := dnsStage(t, dns.TypeA, map[string]string{"app.test. A": "app.test. 60 A 10.0.0.1"})
	for _, d := range []config.Discovery{
		{Kind: config.DiscoverDNS, Name: "app.test.", Type: dns.TypeAAAA}, {Kind: config.DiscoverDNS, Name: "b.test.", Type: dns.TypeA}, {Kind: config.DiscoverFile, Files: "t.json"},
	} {
		after := newStage(t, d, Options{Ask: b.ask})
		after.Inherit(before.Source)
		after.expect()
		if after.Learned() {
			t.Errorf("Expected nothing of another source for %s", after)
		}
	}
	never := newStage(t, before.d, Options{Ask: b.ask})
	after := newStage(t, before.d, Options{Ask: b.ask})
	after.Inherit(never.Source) // it has not looked yet
	after.expect()
	if after.Learned() {
		t.Error("Expected nothing to be learned from a source that has not looked")
	}
}

// TestStopCutsALookOff waits for the look under way, and takes nothing from it.
func TestStopCutsALookOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		over := false
		s := New(config.Discovery{Kind: config.DiscoverDNS, Name: "app.test.", Type: dns.TypeA}, Options{
			Clock: health.RealClock{},
			Ask: func(ctx context.Context, _ *dns.Msg) *dns.Msg {
				close(asked)
				<-ctx.Done()
				time.Sleep(time.Second)
				over = true
				return nil
			},
			Take:   func([]config.Found) { t.Error("Expected no list") },
			Report: func(r Report) { t.Errorf("Expected no report, got %s", r) },
		})
		s.Start()
		<-asked
		s.Stop()
		if !over {
			t.Error("Expected the stop to wait for the look")
		}
		if got := s.State(); got.Fortune != Good || s.Learned() {
			t.Errorf("Expected that what was cut off says nothing, got %+v", got)
		}
		time.Sleep(time.Hour)
	})
}

// TestHurryUnderALook looks again when the look under way is over: it may have read what was there before.
func TestHurryUnderALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks []time.Duration
		began := time.Now()
		s := New(config.Discovery{Kind: config.DiscoverDNS, Name: "app.test.", Type: dns.TypeA}, Options{
			Clock: health.RealClock{},
			Ask: func(context.Context, *dns.Msg) *dns.Msg {
				looks = append(looks, time.Since(began))
				time.Sleep(2 * time.Second)
				return replyOf(t, "app.test. 60 A 10.0.0.1")
			},
			Take: func([]config.Found) {},
		})
		s.Start()
		time.Sleep(time.Second)
		s.Hurry()
		s.Hurry()
		time.Sleep(10 * time.Second)
		s.Stop()
		if want := []time.Duration{0, 2 * time.Second}; !slices.Equal(looks, want) {
			t.Errorf("Expected looks at %v, got %v", want, looks)
		}
	})
}

// TestSourceFromAllSides calls everything at once; the race detector looks on. Take and Report never run twice at the same time.
func TestSourceFromAllSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked := 0
		var told []string // without a lock: no two at the same time
		d := config.Discovery{Kind: config.DiscoverDNS, Name: "app.test.", Type: dns.TypeA}
		var s *Source
		o := Options{
			Clock: health.RealClock{},
			Ask: func(context.Context, *dns.Msg) *dns.Msg {
				mu.Lock()
				defer mu.Unlock()
				asked++
				return replyOf(t, []string{"app.test. 1 A 10.0.0.1", "app.test. 1 A 10.0.0.2", "SERVFAIL"}[asked%3])
			},
		}
		o.Take = func(found []config.Found) { told = append(told, short(found)); s.State() }
		o.Report = func(r Report) { told = append(told, r.String()); s.State() }
		s = New(d, o)
		s.Start()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 100 {
					s.Hurry()
					s.State()
					s.Learned()
					o := o
					o.Take = func([]config.Found) {}
					New(d, o).Inherit(s)
					time.Sleep(time.Second / 10)
				}
			})
		}
		wg.Wait()
		s.Stop()
		if len(told) < 10 {
			t.Errorf("Expected many lists and reports, got %d", len(told))
		}
	})
}

func TestReport(t *testing.T) {
	tests := []struct {
		r    Report
		want string
	}{
		{Report{Source: "discover dns a. A", Fortune: Good, Known: 3}, "discover dns a. A: good again, 3 targets"},
		{Report{Fortune: Gone, Fault: "t.json: no such file", Age: -1}, "t.json: no such file: no targets are known from it"},
		{Report{Fortune: Refused, Fault: "t.json:1: bad", Known: 1, Age: -1}, "t.json:1: bad: what was known stays (1 target)"},
		{Report{Fortune: Refused, Fault: "t.json:1: bad", Known: 2, Age: 90*time.Minute + 1}, "t.json:1: bad: what was known stays (2 targets, all good 1h30m ago)"},
	}
	for _, tt := range tests {
		if got := tt.r.String(); got != tt.want {
			t.Errorf("Expected %q, got %q", tt.want, got)
		}
	}
}
