//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/state"
	"github.com/healthroute/healthroute/plugin/status"
)

// told makes attempts when it is told to, but for the first one, so that a test decides which attempts there are.
const told = "interval 1h\ntimeout 100s"

// keeping is a server with a state file.
type keeping struct {
	*server
	api   *status.Client
	at    string // of the API, as the command wants it
	dir   string // of the file, and of nothing else
	file  string
	lines string // of the stanza that makes it one
}

// newKeeping returns one that has not started.
func newKeeping(t *testing.T) *keeping {
	t.Helper()
	k := &keeping{dir: filepath.Join(t.TempDir(), "kept"), at: "unix:" + filepath.Join(t.TempDir(), "api")}
	if err := os.Mkdir(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	k.file = filepath.Join(k.dir, "state")
	k.lines = "state " + k.file + "\nstatus " + k.at + "\n"
	var err error
	if k.api, err = status.NewClient(status.Place{URL: k.at}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.api.Close)
	return k
}

// stanza is one of the server with these lines.
func (k *keeping) stanza(lines ...string) string {
	return "healthroute {\n" + k.lines + strings.Join(lines, "\n") + "\n}"
}

// startKeeping starts a server whose stanza has these lines.
func startKeeping(t *testing.T, lines ...string) *keeping {
	t.Helper()
	k := newKeeping(t)
	k.server = start(t, k.stanza(lines...))
	return k
}

// attempt makes attempts of a check until that holds.
func (k *keeping) attempt(check string, until func(status.Check) bool) {
	k.t.Helper()
	for !until(k.check(check)) {
		before := k.ended()
		if _, err := k.api.Attempt(k.t.Context(), status.AttemptOrder{Checks: []string{check}}); err != nil {
			k.t.Fatalf("Expected an attempt, got: %v", err)
		}
		eventually(k.t, "the end of an attempt", func() bool { return k.ended() > before })
	}
}

// ended is how many attempts have ended in the process that runs.
func (k *keeping) ended() int { return k.metric("attempts_total") }

// check is what the server shows of a check.
func (k *keeping) check(name string) status.Check {
	k.t.Helper()
	checks, err := k.api.Checks(k.t.Context(), name)
	if err != nil || len(checks) != 1 {
		k.t.Fatalf("Expected the check %s, got %v, %v", name, checks, err)
	}
	return checks[0]
}

// fares is how the state file does.
func (k *keeping) fares() status.StateFile {
	k.t.Helper()
	s, err := k.api.State(k.t.Context())
	if err != nil || s.File == nil {
		k.t.Fatalf("Expected a state file, got %+v, %v", s, err)
	}
	return *s.File
}

// say says an admin state and wants it acknowledged.
func (k *keeping) say(o status.Order) {
	k.t.Helper()
	o.Force = true
	if _, err := k.api.Say(k.t.Context(), o); err != nil {
		k.t.Errorf("Expected %v to be done, got: %v", o, err)
	}
}

// overrides are all that operators have said, a line each.
func (k *keeping) overrides() string {
	k.t.Helper()
	all, err := k.api.Overrides(k.t.Context())
	if err != nil {
		k.t.Fatalf("Expected what was said, got: %v", err)
	}
	var lines []string
	for _, o := range all {
		line := fmt.Sprint(o.Object, " ", o.State, " ", o.Reason, " ", o.Author, " ", o.Since)
		if o.Until != nil {
			line += fmt.Sprint(" until ", *o.Until)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// health are all checks with what a restart must not change, a line each.
func (k *keeping) health() string {
	k.t.Helper()
	checks, err := k.api.Checks(k.t.Context(), "*")
	if err != nil {
		k.t.Fatalf("Expected checks, got: %v", err)
	}
	var lines []string
	for _, c := range checks {
		line := fmt.Sprintf("%s %s since %s, %d passes, %d fails", c.Check, c.Health, c.Since, c.Passes, c.Fails)
		if len(c.Last) > 0 {
			line += fmt.Sprintf(", %s at %s: %s", c.Last[0].Outcome, c.Last[0].At, c.Last[0].Reason)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// contents is what the file has.
func (k *keeping) contents() state.State {
	k.t.Helper()
	text, err := os.ReadFile(k.file)
	if err != nil {
		k.t.Fatal(err)
	}
	s, err := state.Decode(text)
	if err != nil {
		k.t.Fatalf("Expected a good file, got: %v", err)
	}
	return s
}

// same compares two descriptions.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("Expected %s\n%s\ngot\n%s", what, want, got)
	}
}

// unhealthy and healthy are what attempts are made for.
func unhealthy(c status.Check) bool { return c.Health == health.Unhealthy.String() }
func healthy(c status.Check) bool   { return c.Health == health.Healthy.String() }

// TestRestart kills a server, or stops it, and starts it again: it answers what it answered, before any attempt has ended, and knows why.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*keeping){
		"killed":  func(k *keeping) { k.kill() },
		"stopped": func(k *keeping) { k.expectStop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backends := newBackends(t, 6)
			at := func(n int) string { return "web@" + backends[n].address }
			first, second := backends[0], backends[1] // of a group that keeps out what has failed once
			held, failing, found, spare := backends[2], backends[3], backends[4], backends[5]
			targets := filepath.Join(t.TempDir(), "targets.json")
			if err := os.WriteFile(targets, fmt.Appendf(nil, `[{"targets": [%q]}]`, found.host), 0o600); err != nil {
				t.Fatal(err)
			}
			k := startKeeping(t, probe("web", "http", first, told, "host www", "fall 3", "rise 2"), "probe release push {\nmax_age 1h\n}",
				"group back failover {\nfailback manual\nprobe web\nrecord "+first.host+" primary\nrecord "+second.host+" secondary\n}",
				"group held failover {\nhold 1h\nprobe web\nrecord "+held.host+" primary\nrecord "+second.host+" secondary\n}",
				"group ramped weighted {\nramp 10h\nprobe web\nrecord "+held.host+" weight 60000\nrecord "+second.host+" weight 60000\n}",
				"group failing failover {\nprobe web\nrecord "+failing.host+" primary\nrecord "+second.host+" secondary\n}",
				"group release failover {\nrecord 192.0.2.1 primary probe release\nrecord 192.0.2.2 secondary\n}",
				"group said failover {\nrecord 192.0.2.3 primary\nrecord 192.0.2.4 secondary site ams\n}",
				"pool app {\nprobe web\ntarget "+spare.host+"\ndiscover file "+targets+"\n}\ngroup pool simple {\nalias pool app\n}")
			for _, b := range []*backend{first, held, spare} {
				b.set(modeError)
			}
			for _, n := range []int{0, 2, 5} {
				k.attempt(at(n), unhealthy)
			}
			for _, b := range []*backend{first, held} {
				b.set(modeUp)
			}
			for _, n := range []int{0, 2} {
				k.attempt(at(n), healthy)
			}
			failing.set(modeError)
			k.attempt(at(3), func(c status.Check) bool { return c.Fails == 2 }) // of three
			if _, err := k.api.Push(t.Context(), status.Pushed{Probe: "release", Health: "unhealthy", Reason: "deploying"}); err != nil {
				t.Fatalf("Expected the push to be saved, got: %v", err)
			}
			k.say(status.Order{Objects: []string{"said/192.0.2.3"}, State: "disabled", For: "1h", Reason: "disk", Author: "kim"})
			k.say(status.Order{Objects: []string{"site ams"}, State: "always"})

			answers := func() string {
				var out []string
				for _, name := range []string{"back", "held", "failing", "release", "said", "pool"} {
					out = append(out, name+" "+k.ask("udp", name))
				}
				return strings.Join(out, "\n")
			}
			want := fmt.Sprintf("back %s\nheld %s\nfailing %s\nrelease 192.0.2.2\nsaid 192.0.2.4\npool %s", second.host, second.host, failing.host, found.host)
			same(t, "before the restart", answers(), want)
			said, knew := k.overrides(), k.health()
			share := k.share("ramped", held.host)
			if share == "1/2" || share == "0" {
				t.Errorf("Expected a ramp, got the share %s", share)
			}
			for _, b := range backends { // no attempt ends
				b.set(modeHang)
			}
			eventually(t, "a file that has the last attempt", func() bool { return strings.Contains(fmt.Sprintf("%+v", k.contents().Health.Checks), "Fails:2") })
			end(k)
			if err := os.Remove(targets); err != nil {
				t.Fatal(err)
			}
			k.again()
			same(t, "after the restart", answers(), want)
			same(t, "the same overrides", k.overrides(), said)
			same(t, "the same health", k.health(), knew)
			same(t, "the share of the ramp", k.share("ramped", held.host), share)
			if n := k.ended(); n != 0 {
				t.Errorf("Expected this before any attempt has ended, got %d", n)
			}
			if s, err := k.api.State(t.Context()); err != nil || !s.Ready {
				t.Errorf("Expected a server that is ready by what it knows, got %+v, %v", s, err)
			}
			if f := k.fares(); f.Read == nil || f.Refused != "" {
				t.Errorf("Expected a file that was read, got %+v", f)
			}
			for _, b := range backends { // attempts are under way at once
				b.await(1)
			}
			failing.set(modeRefuse) // which ends what hangs, the third failure
			eventually(t, "the third failure to count", func() bool { return k.ask("udp", "failing") == second.host })
		})
	}
}

// share is what part of the answers a record stands in.
func (k *keeping) share(group, record string) string {
	k.t.Helper()
	groups, err := k.api.Groups(k.t.Context(), group)
	if err != nil || len(groups) != 1 {
		k.t.Fatalf("Expected the group %s, got %v, %v", group, groups, err)
	}
	for _, r := range groups[0].Records {
		if r.Record == record {
			return r.Shares["A"]
		}
	}
	k.t.Fatalf("Expected a record %s, got none", record)
	return ""
}

// TestRestartWithAnotherDefinition: a check whose definition changed while the server was down keeps its verdict, as at a reload, until the new one has earned one.
func TestRestartWithAnotherDefinition(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 2)
	first, second := backends[0], backends[1]
	with := func(path string) []string {
		return []string{
			probe("web", "http", first, told, "rise 2", "path "+path),
			"group www failover {\nprobe web\nrecord " + first.host + " primary\nrecord " + second.host + " secondary\n}",
		}
	}
	first.set(modeError)
	k := startKeeping(t, with("/old")...)
	k.expect("udp", "www", second.host)
	before := k.check("web@" + first.address)
	eventually(t, "a file that has the verdict", func() bool {
		return k.fares().Written != nil && slices.ContainsFunc(k.contents().Health.Checks, func(c health.Known) bool { return c.Status == health.Unhealthy })
	})
	k.kill()
	first.set(modeUp)
	k.write(k.stanza(with("/new")...))
	k.again()
	k.expect("udp", "www", second.host)
	eventually(t, "the first pass", func() bool { return k.check("web@"+first.address).Passes == 1 })
	k.expect("udp", "www", second.host)
	if got := k.check("web@" + first.address); got.ID == before.ID || !got.Since.Equal(before.Since) {
		t.Errorf("Expected another check, since %s, got %+v", before.Since, got)
	}
	k.attempt("web@"+first.address, healthy)
	k.expect("udp", "www", first.host)
}

// TestRestartTooLate: health that is too old is none, and is waited for; what operators said has no age but its own.
func TestRestartTooLate(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 2)
	first, second := backends[0], backends[1]
	first.set(modeError)
	k := startKeeping(t, probe("web", "http", first, told),
		"group www failover {\nprobe web\nrecord "+first.host+" primary\nrecord "+second.host+" secondary\n}",
		"group said failover {\nrecord 192.0.2.3 primary\nrecord 192.0.2.4 secondary\n}")
	k.say(status.Order{Objects: []string{"said/192.0.2.3"}, State: "disabled"})
	k.say(status.Order{Objects: []string{"said/192.0.2.4"}, State: "disabled", For: "1h"})
	k.expectStop()
	for _, age := range []time.Duration{state.MaxAge - time.Minute, state.MaxAge} {
		s := k.contents()
		s.Health.Taken = time.Now().Add(-age)
		for i := range s.Health.Checks {
			s.Health.Checks[i].At = s.Health.Taken
		}
		for i, o := range s.Admin {
			if !o.Override.Until.IsZero() {
				s.Admin[i].Override.Until = time.Now().Add(-time.Second)
			}
		}
		text, err := state.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(k.file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		first.set(modeUp)
		k.again()
		if want := map[bool]string{true: first.host, false: second.host}[age == state.MaxAge]; k.ask("udp", "www") != want {
			t.Errorf("Expected %s after %s, got %s", want, age, k.ask("udp", "www"))
		}
		k.expect("udp", "said", "192.0.2.4")
		if n := strings.Count(k.overrides(), "disabled"); n != 1 {
			t.Errorf("Expected one override to be left, got\n%s", k.overrides())
		}
		k.signal(syscall.SIGTERM)
		<-k.exited
	}
}
