package discover

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// standing writes what lists know in a line.
func standing(l *Lists) string {
	var words []string
	for _, s := range l.Standing() {
		for _, p := range s.Known.Parts {
			words = append(words, fmt.Sprintf("%s %s: %s", s.Key.Pool, filepath.Base(p.From), short(p.Found)))
		}
	}
	return strings.Join(words, "; ")
}

func expectStanding(t *testing.T, l *Lists, want string) {
	t.Helper()
	if got := standing(l); got != want {
		t.Errorf("Expected %q to be kept, got %q", want, got)
	}
}

// restarted are the lists as a state file hands them on.
func restarted(l *Lists) *Lists {
	next := &Lists{}
	next.Restore(l.Standing())
	return next
}

// put writes a file of targets whole.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// TestRecallFiles begins with the last good list of each file of a pattern, while one of them is broken and another one is away.
func TestRecallFiles(t *testing.T) {
	dir := t.TempDir()
	d := config.Discovery{Kind: config.DiscoverFile, Files: filepath.Join(dir, "*.json")}
	key := Key{Scope: "block", Pool: "app"}
	one, two, three := filepath.Join(dir, "1.json"), filepath.Join(dir, "2.json"), filepath.Join(dir, "3.json")
	put(t, one, `[{"targets": ["10.0.0.1:80"], "labels": {"site": "a"}}]`)
	put(t, two, `[{"targets": ["10.0.0.2:80"], "labels": {"weight": "3"}}]`)
	put(t, three, `[{"targets": ["10.0.0.3:80"]}]`)
	l := &Lists{}
	first := newStage(t, d, Options{Lists: l, Key: key})
	first.Recall() // of nothing
	if first.Learned() {
		t.Error("Expected a source that knows nothing to have to look")
	}
	first.Start()
	first.clock.pass(0)
	first.expect("10.0.0.1:80/a 10.0.0.2:80*3 10.0.0.3:80")
	const all = "app 1.json: 10.0.0.1:80/a; app 2.json: 10.0.0.2:80*3; app 3.json: 10.0.0.3:80"
	expectStanding(t, l, all)
	changes := l.Changes()
	first.clock.pass(DefaultEvery)
	if got := l.Changes(); got != changes {
		t.Errorf("Expected no change by a look that finds the same, got %d", got-changes)
	}
	good := first.State().Good
	first.Stop()

	put(t, one, `[{"targets": [`)
	if err := os.Remove(two); err != nil {
		t.Fatal(err)
	}
	put(t, three, `[{"targets": ["10.0.0.33:80"]}]`)
	l = restarted(l)
	expectStanding(t, l, all)
	second := newStage(t, d, Options{Lists: l, Key: key, Clock: &virtualClock{now: good.Add(24 * time.Hour)}})
	second.Recall()
	second.expect("10.0.0.1:80/a 10.0.0.2:80*3 10.0.0.3:80")
	second.expectState(3, Good, 24*time.Hour)
	if !second.Learned() {
		t.Error("Expected nobody to wait for a source that has a list")
	}
	second.Start()
	second.clock.pass(0)
	second.expect("10.0.0.1:80/a 10.0.0.2:80*3 10.0.0.33:80", "refused: 1.json")
	expectStanding(t, l, "app 3.json: 10.0.0.33:80; app 1.json: 10.0.0.1:80/a; app 2.json: 10.0.0.2:80*3")
	put(t, one, `[{"targets": ["10.0.0.11:80"]}]`)
	put(t, two, `[]`)
	second.clock.pass(2 * DefaultEvery)
	second.expect("10.0.0.11:80 10.0.0.33:80", "good: ")
	expectStanding(t, l, "app 1.json: 10.0.0.11:80; app 3.json: 10.0.0.33:80")
}

// TestRecallDNS begins with what a name stood for, while nobody answers for it.
func TestRecallDNS(t *testing.T) {
	var reply *dns.Msg
	ask := func(_ context.Context, req *dns.Msg) *dns.Msg {
		if reply == nil {
			return nil
		}
		return reply.Copy().SetReply(req)
	}
	rr, err := dns.NewRR("app.example. 5 IN A 10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := config.Discovery{Kind: config.DiscoverDNS, Name: "app.example.", Type: dns.TypeA, Site: "a"}
	l := &Lists{}
	reply = &dns.Msg{Answer: []dns.RR{rr}}
	first := newStage(t, d, Options{Lists: l, Key: Key{Pool: "app"}, Ask: ask})
	first.Start()
	first.clock.pass(0)
	first.expect("10.0.0.1/a")

	reply = nil
	l = restarted(l)
	d.Site = "b" // what the Corefile says holds at once
	second := newStage(t, d, Options{Lists: l, Key: Key{Pool: "app"}, Ask: ask})
	second.Recall()
	second.expect("10.0.0.1/b")
	second.Start()
	second.clock.pass(0)
	second.expect("gone: 1 target")
	expectStanding(t, l, "app app.example.: 10.0.0.1")
}

// TestRecallNothing of another source, nor what is more than the source may have, nor over what a reload handed on.
func TestRecallNothing(t *testing.T) {
	l := &Lists{}
	d := config.Discovery{Kind: config.DiscoverFile, Files: filepath.Join(t.TempDir(), "a.json")}
	key := Key{Scope: "block", Zone: "example.org.", Pool: "app"}
	source := newStage(t, d, Options{Lists: l, Key: key})
	put(t, d.Files, `[{"targets": ["10.0.0.1:80", "10.0.0.2:80"]}]`)
	source.Start()
	source.clock.pass(0)
	for name, change := range map[string]func(*config.Discovery, *Options){
		"another block": func(_ *config.Discovery, o *Options) { o.Key.Scope = "other" },
		"another zone":  func(_ *config.Discovery, o *Options) { o.Key.Zone = "example.net." },
		"another pool":  func(_ *config.Discovery, o *Options) { o.Key.Pool = "api" },
		"another file":  func(d *config.Discovery, _ *Options) { d.Files += "x" },
		"another kind": func(d *config.Discovery, _ *Options) {
			d.Kind, d.Name, d.Type = config.DiscoverDNS, "app.example.", dns.TypeA
		},
		"a lower limit": func(_ *config.Discovery, o *Options) { o.Limit = 1 },
		"no lists":      func(_ *config.Discovery, o *Options) { o.Lists = nil },
	} {
		t.Run(name, func(t *testing.T) {
			d, o := d, Options{Lists: l, Key: key}
			change(&d, &o)
			other := newStage(t, d, o)
			other.Recall()
			other.expect()
		})
	}
	next := newStage(t, d, Options{Lists: l, Key: key})
	next.Inherit(source.Source)
	next.Recall()
	next.expect("10.0.0.1:80 10.0.0.2:80")
}

// TestKeep forgets what no source is left for, and Restore stands back behind what is known.
func TestKeep(t *testing.T) {
	a, b := Key{Pool: "a", Source: "s"}, Key{Pool: "b", Source: "s"}
	list := func(address string) Known {
		return Known{Parts: []Part{{"f", []config.Found{{Address: netip.MustParseAddr(address), Weight: config.DefaultWeight}}}}}
	}
	l := &Lists{}
	l.note(a, list("10.0.0.1"), true)
	l.Restore([]Standing{{a, list("10.0.0.9")}, {b, list("10.0.0.2")}})
	expectStanding(t, l, "a f: 10.0.0.1; b f: 10.0.0.2")
	changes := l.Changes()
	l.Keep(map[Key]bool{a: true, b: true})
	if l.Changes() != changes {
		t.Error("Expected no change where all is kept")
	}
	l.Keep(map[Key]bool{b: true})
	expectStanding(t, l, "b f: 10.0.0.2")
	if l.Changes() != changes+1 {
		t.Error("Expected one change")
	}
}
