//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/state"
	"github.com/healthroute/healthroute/plugin/status"
)

// simple is a stanza that needs no backend.
const simple = "group www failover {\nrecord 192.0.2.1 primary\nrecord 192.0.2.2 secondary\n}"

// drain takes the primary of www out or, with enabled, in again.
func drain(word string) status.Order {
	return status.Order{Objects: []string{"www/192.0.2.1"}, State: word, Reason: "disk", Author: "kim"}
}

// TestRefusedState starts with files that cannot be used: the server says so once, moves them aside, answers, and keeps a file of its own.
func TestRefusedState(t *testing.T) {
	t.Parallel()
	good, err := state.Encode(state.State{Admin: []health.Standing{{Object: health.GroupObject("www.example.org.", "192.0.2.1"), Override: health.Override{State: health.Disabled}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text []byte
		why  string
	}{
		"empty":   {nil, "it is empty"},
		"cut":     {good[:len(good)-20], "it is damaged: its end is missing"},
		"flipped": {bytes.Replace(good, []byte("disabled"), []byte("disableD"), 1), "it is damaged: the checksum does not fit"},
		"foreign": {[]byte("127.0.0.1 localhost\n"), "it is no state file of healthroute"},
		"later":   {bytes.Replace(good, []byte(`"version":2`), []byte(`"version":99`), 1), "it is of version 99, from a later healthroute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeping(t)
			if err := os.WriteFile(k.file, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			k.server = start(t, k.stanza(simple))
			k.expect("udp", "www", "192.0.2.1")
			want := "state file " + k.file + " is not used: " + c.why
			if got := k.fares().Refused; !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
				t.Errorf("Expected one line that begins with %q, got %q", want, got)
			}
			if n := k.metric("state_refused"); n != 1 {
				t.Errorf("Expected a metric that says so, got %d", n)
			}
			k.reload(k.stanza(simple, "ttl 9s"), complete)
			if n := strings.Count(k.log.String(), "[ERROR] plugin/healthroute: "+want); n != 1 {
				t.Errorf("Expected one line in the log, got %d", n)
			}
			k.say(drain("draining"))
			aside, err := filepath.Glob(k.file + ".bad-*")
			if err != nil || len(aside) != 1 {
				t.Fatalf("Expected one file aside, got %v, %v", aside, err)
			}
			if text, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(text, c.text) {
				t.Errorf("Expected it as it was, got %q, %v", text, err)
			}
			k.kill()
			k.again()
			k.expect("udp", "www", "192.0.2.2")
			if got := k.fares(); got.Refused != "" || got.Read == nil {
				t.Errorf("Expected a file that was read, got %+v", got)
			}
		})
	}
}

// TestUnwritableState: a server whose file cannot be written answers DNS, says of what it is told that it holds but is not saved, shows the fault, and mends
// itself when the disk does.
func TestUnwritableState(t *testing.T) {
	t.Parallel()
	away := func(k *keeping, from, to string) {
		k.t.Helper()
		if err := os.Rename(k.dir+from, k.dir+to); err != nil {
			k.t.Fatal(err)
		}
	}
	obstacle := func(k *keeping) string { return filepath.Join(k.file+".tmp", "in the way") }
	for name, c := range map[string]struct {
		breaks, mends func(*keeping)
		atStart       bool
		why           string
	}{
		"no directory": {
			breaks: func(k *keeping) { away(k, "", ".away") }, mends: func(k *keeping) { away(k, ".away", "") }, why: "no such file or directory",
		},
		"in the way": {
			breaks: func(k *keeping) {
				if err := os.MkdirAll(obstacle(k), 0o700); err != nil {
					k.t.Fatal(err)
				}
			},
			mends: func(k *keeping) {
				if err := os.RemoveAll(filepath.Dir(obstacle(k))); err != nil {
					k.t.Fatal(err)
				}
			},
			atStart: true, why: "directory not empty",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeping(t)
			k.server = &server{t: t}
			if c.atStart {
				c.breaks(k)
			}
			k.server = start(t, k.stanza(simple))
			k.expect("udp", "www", "192.0.2.1")
			if !c.atStart {
				k.say(status.Order{Objects: []string{"www/192.0.2.2"}, State: "always"})
				c.breaks(k)
			}
			for range 2 {
				_, err := k.api.Say(t.Context(), drain("draining"))
				var p *status.Problem
				if !errors.As(err, &p) || p.Status != http.StatusInsufficientStorage || !p.InForce || !strings.Contains(p.Message, "it is in force, but not saved: cannot write state file "+k.file) || !strings.Contains(p.Message, c.why) {
					t.Errorf("Expected it to be in force and not saved, got %v", err)
				}
			}
			k.expect("udp", "www", "192.0.2.2")
			if got := k.fares(); got.Failing == nil || !strings.Contains(got.Error, c.why) {
				t.Errorf("Expected the fault to be shown, got %+v", got)
			}
			if n := k.metric("state_failing"); n != 1 {
				t.Errorf("Expected a metric that says so, got %d", n)
			}
			shown, exit := command(t, "status", "-api", k.at)
			if exit != 0 || !strings.Contains(shown, "A RESTART WOULD FORGET what changed in the last ") {
				t.Errorf("Expected the command to say so, got %d, %s", exit, shown)
			}
			said, exit := command(t, "admin", "-api", k.at, "drain", "www/192.0.2.1")
			if exit != 1 || !strings.Contains(said, "it is in force, but not saved") {
				t.Errorf("Expected exit status 1 and why, got %d, %s", exit, said)
			}
			const fault = "a restart would forget what changes from now on; it is tried again"
			if n := k.log.count(fault); n != 1 {
				t.Errorf("Expected one line in the log, got %d", n)
			}
			if n := k.log.count(`disk" by "kim" from "unix": done, "it is in force, but not saved`); n != 2 {
				t.Errorf("Expected audit lines that say what is done and what is not, got %d", n)
			}
			c.mends(k)
			k.awaitLog("the state file is written again", 1)
			if got := k.fares(); got.Failing != nil || got.Error != "" || got.Written == nil {
				t.Errorf("Expected no fault any more, got %+v", got)
			}
			if n := k.metric("state_failing"); n != 0 {
				t.Errorf("Expected a metric without it, got %d", n)
			}
			k.kill()
			k.again()
			k.expect("udp", "www", "192.0.2.2") // nothing had to be said again
		})
	}
}

// TestImpossibleState: what can only be a mistake refuses the Corefile, and says what would do.
func TestImpossibleState(t *testing.T) {
	t.Parallel()
	k := startKeeping(t, simple)
	dir := t.TempDir()
	for _, c := range []struct{ file, want string }{
		{dir, "state file " + dir + " is no regular file"},
		{"/dev/full", "state file /dev/full is no regular file"},
		{filepath.Join(dir, "none", "state"), "state file " + filepath.Join(dir, "none", "state") + " has no directory"},
		{k.file, fmt.Sprintf("state file %s is in use by another server, process %d: expected a file of its own for each", k.file, k.process.Process.Pid)},
	} {
		corefile := filepath.Join(t.TempDir(), "Corefile")
		text := "example.org:0 {\nbind " + network() + "1\nhealthroute {\nstate " + c.file + "\n" + simple + "\n}\n}\n"
		if err := os.WriteFile(corefile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		output, exit := command(t, "-conf", corefile)
		if want := corefile + ":4: " + c.want; exit <= 0 || !strings.Contains(output, want) {
			t.Errorf("Expected a failing exit status and %q, got %d, %s", want, exit, output)
		}
	}
	k.expectStop()
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) > 0 {
		t.Errorf("Expected nothing to be left, got %v, %v", names, err)
	}
}

// TestReloadedState: a reload goes on with the file, or with another one, or with none; a failed one changes nothing.
func TestReloadedState(t *testing.T) {
	t.Parallel()
	k := startKeeping(t, simple)
	said := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		s, err := state.Decode(text)
		if err != nil {
			t.Fatalf("Expected a good file, got: %v", err)
		}
		var words []string
		for _, o := range s.Admin {
			words = append(words, string(o.Override.State))
		}
		return strings.Join(words, " ")
	}
	k.say(drain("draining"))
	k.reload(k.stanza(simple, "ttl 9s"), complete)
	k.say(drain("disabled"))
	same(t, "the file after a reload", said(k.file), "disabled")
	same(t, "the file that is kept", k.fares().File, k.file)

	first, other := k.stanza(simple), filepath.Join(k.dir, "other")
	second := strings.Replace(first, "state "+k.file, "state "+other, 1)
	taken, err := net.Listen("tcp", network()+"1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	host, port, _ := net.SplitHostPort(taken.Addr().String())
	late := "\n}\nexample.net:" + port + " {\nbind " + host + "\nwhoami\n"
	for _, broken := range []string{strings.Replace(second, "failover", "failovr", 1), second + late} {
		k.reload(broken, failed)
		k.say(drain("draining"))
		same(t, "the file after a failed reload", said(k.file), "draining")
		same(t, "the file that is kept", k.fares().File, k.file)
		if _, err := os.Stat(other); err == nil {
			t.Error("Expected no other file")
		}
		k.say(drain("disabled"))
	}

	if err := os.WriteFile(other, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.reload(second, failed)
	k.awaitLog("state file "+other+" cannot be used: it is no state file of healthroute", 1)
	same(t, "the file after that", said(k.file), "disabled")
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	k.reload(second, complete)
	k.say(drain("draining"))
	same(t, "the other file", said(other), "draining")
	same(t, "the first one, which is left", said(k.file), "disabled")
	same(t, "the file that is kept", k.fares().File, other)

	k.reload(first, complete) // what it has is older than what the server knows
	k.expect("udp", "www", "192.0.2.2")
	if got := k.overrides(); !strings.Contains(got, "draining") {
		t.Errorf("Expected what was said last, got %s", got)
	}
	k.say(drain("enabled"))
	same(t, "the first one again", said(k.file), "")

	none := strings.Replace(first, "state "+k.file, "", 1)
	k.reload(none, complete)
	k.say(drain("draining"))
	same(t, "the file that nobody keeps", said(k.file), "")
	if s, err := k.api.State(t.Context()); err != nil || s.File != nil {
		t.Errorf("Expected no state file, got %+v, %v", s.File, err)
	}
	k.reload(first, complete)
	eventually(t, "the file to be kept again", func() bool { return said(k.file) == "draining" })
	k.kill()
	k.again()
	k.expect("udp", "www", "192.0.2.2")
}
