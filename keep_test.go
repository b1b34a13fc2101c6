package healthroute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/state"
)

// savedIn is what the state file has.
func savedIn(t *testing.T, file string) state.State {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Decode(text)
	if err != nil {
		t.Fatalf("Expected a good state file, got: %v", err)
	}
	return s
}

// forgotten is a process that has just begun: what it learnt by itself is lost.
func forgotten(t *testing.T) {
	t.Helper()
	forgetOverrides()
	lists.Keep(nil)
	t.Cleanup(func() {
		forgetOverrides()
		lists.Keep(nil)
	})
}

// TestKeepLateFailures: a reload that fails after our start, in another plugin's start or in listen, goes on with the file as it was, and gives
// another one free.
func TestKeepLateFailures(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	dir := t.TempDir()
	file, other := filepath.Join(dir, "state"), filepath.Join(dir, "other")
	object := health.GroupObject("www.example.org.", b.Address)
	with := func(name string) string { return strings.Replace(hourly("/", b), "{", "{\nstate "+name, 1) }
	for name, block := range map[string]string{
		"another start after ours": "STANZA\nbroken start",
		"listen":                   "STANZA\n}\nexample.net:" + occupied(t) + " {\nbind 127.0.0.1\nwhoami",
	} {
		t.Run(name, func(t *testing.T) {
			forgotten(t)
			s := start(t, listening("example.org", with(file)))
			keeper := running.newest().keeper
			for _, named := range []string{file, other} {
				if err := s.reload(listening("example.org", strings.ReplaceAll(block, "STANZA", with(named)))); err == nil {
					t.Fatal("Expected the reload to fail")
				}
				if i := running.newest(); i.keeper != keeper || len(running.all()) != 1 {
					t.Errorf("Expected the keeper of before alone, got %v of %d instances", i.keeper.State(), len(running.all()))
				}
				admin.Set(object, health.Override{State: health.Draining, Reason: named})
				if err := keeper.Sync(t.Context()); err != nil {
					t.Errorf("Expected the file to be written, got: %v", err)
				}
				if said := savedIn(t, file).Admin; len(said) != 1 || said[0].Override.Reason != named {
					t.Errorf("Expected what was said to be saved, got %v", said)
				}
			}
			if _, err := os.Stat(other); err == nil {
				t.Error("Expected no other file")
			}
			s.mustReload(listening("example.org", with(other)))
			if got := running.newest().keeper.State().File; got != other {
				t.Errorf("Expected the other file, which is free, got %s", got)
			}
		})
		if err := os.Remove(other); err != nil {
			t.Errorf("Expected the file of the last reload, got: %v", err)
		}
	}
}

// TestKeepFailedStart: a start that fails gives the file free, and loses nothing of it.
func TestKeepFailedStart(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	file := filepath.Join(t.TempDir(), "state")
	forgotten(t)
	text, err := state.Encode(state.State{Admin: []health.Standing{{Object: health.SiteObject("ams"), Override: health.Override{State: health.Draining}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	stanza := strings.Replace(hourly("/", b), "{", "{\nstate "+file, 1)
	s := start(t, listening("example.org", "template ANY ANY"))
	for range 2 {
		if err := s.reload(listening("example.org", stanza, "broken start")); err == nil {
			t.Fatal("Expected the reload to fail")
		}
		if said := savedIn(t, file).Admin; len(said) != 1 || said[0].Object != health.SiteObject("ams") {
			t.Errorf("Expected what the file had, got %v", said)
		}
	}
	s.mustReload(listening("example.org", stanza))
	if v, _ := admin.Override(health.SiteObject("ams")); v.State != health.Draining {
		t.Errorf("Expected what the file had to be in force, got %v", v)
	}
}

// TestKeepLists forgets the list of a pool that a reload removes, and no other one.
func TestKeepLists(t *testing.T) {
	forgotten(t)
	b := newBackend(t, "127.0.0.1", "0")
	dir := t.TempDir()
	for _, name := range []string{"app", "api"} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(`[{"targets": ["`+b.Address+`"]}]`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := func(name string) string {
		return "pool " + name + " {\nprobe web\ndiscover file " + filepath.Join(dir, name+".json") + "\n}\ngroup " + name + " simple {\nalias pool " + name + "\n}"
	}
	file := filepath.Join(dir, "state")
	with := func(pools ...string) string {
		return listening("example.org", stanza(append(pools, "state "+file, "probe web http {\nport "+b.Port+"\ninterval 1h\n}")...))
	}
	kept := func() (names []string) {
		if err := running.newest().keeper.Sync(t.Context()); err != nil {
			t.Errorf("Expected the file to be written, got: %v", err)
		}
		for _, s := range savedIn(t, file).Sources {
			names = append(names, s.Key.Pool)
		}
		return names
	}
	s := start(t, with(pool("app"), pool("api")))
	if got := strings.Join(kept(), " "); got != "api app" {
		t.Errorf("Expected both lists, got %s", got)
	}
	s.mustReload(with(pool("app")))
	if got := strings.Join(kept(), " "); got != "app" {
		t.Errorf("Expected the list that is left, got %s", got)
	}
	expectData(t, s.ask("app.example.org.", dns.TypeA), b.Address)
}
