package discover

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

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
