package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// contents reads the state of a file.
func contents(tb testing.TB, file string) State {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := Decode(text)
	if err != nil {
		tb.Fatalf("Expected %s to be good, got: %v", file, err)
	}
	return s
}

// names are the files of a directory, the lock aside.
func names(tb testing.TB, dir string) string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lock" {
			out = append(out, e.Name())
		}
	}
	return strings.Join(out, " ")
}

// TestKeeper keeps everything over a restart: what operators said, latches and health.
func TestKeeper(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	first := newServer(t)
	k := first.open(t, file, Options{})
	equal(t, "of when the state is that was read", k.State().Read, time.Time{})
	object := health.GroupObject("www.example.org.", "a")
	first.admin.Set(object, health.Override{State: health.Disabled, Reason: "disk"})
	first.engine.Latches().Set("block www A", 1)
	first.engine.Force(first.check(t), health.Unhealthy)
	if err := k.Close(); err != nil {
		t.Fatalf("Expected the last write to succeed, got: %v", err)
	}

	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "mode", info.Mode(), 0o600)
	equal(t, "files", names(t, filepath.Dir(file)), "state")

	second := newServer(t)
	k = second.open(t, file, Options{})
	defer k.Close()
	got := k.State()
	if age := time.Since(got.Read); age < 0 || got.Refused != nil {
		t.Errorf("Expected a state that was read, got %+v", got)
	}
	v, _ := second.admin.Override(object)
	equal(t, "override", v.Reason, "disk")
	equal(t, "latch", second.engine.Latches().Get("block www A"), 1)
	equal(t, "status", second.check(t).State().Status, health.Unhealthy)
	equal(t, "whether a first attempt is waited for", second.lease.Attempted(), true)
}

// TestSync returns when what was said before it is on the disk.
func TestSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		s := newServer(t)
		k := s.open(t, file, Options{})
		for n := range 3 {
			began := time.Now()
			s.admin.Set(health.SiteObject(fmt.Sprint(n)), health.Override{State: health.Draining})
			if err := k.Sync(t.Context()); err != nil {
				t.Fatalf("Expected no error, got: %v", err)
			}
			equal(t, "overrides on the disk", len(contents(t, file).Admin), n+1)
			if waited := time.Since(began); n == 0 && waited != 0 || waited > minGap {
				t.Errorf("Expected Sync to wait a second at most, and not at first, got %v", waited)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := k.Sync(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Expected the error of the context, got %v", err)
		}
		k.Close()
		if err := k.Sync(t.Context()); err == nil {
			t.Error("Expected an error of a closed keeper, got none")
		}
	})
}

// faultyDisk is the operating system's, but writing fails while it has an error, takes some time, and is counted.
type faultyDisk struct {
	osDisk
	fault  atomic.Pointer[error]
	takes  time.Duration
	writes atomic.Int64
	at     []time.Time
}

func (d *faultyDisk) fail(err error) { d.fault.Store(&err) }

func (d *faultyDisk) create(name string) (file, error) {
	d.writes.Add(1)
	d.at = append(d.at, time.Now())
	time.Sleep(d.takes)
	if err := d.fault.Load(); err != nil && *err != nil {
		return nil, *err
	}
	return d.osDisk.create(name)
}

// TestPace writes once a second at most, however much changes; soon after a change; and now and then without one.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &faultyDisk{}
		s := newServer(t)
		k := s.open(t, filepath.Join(t.TempDir(), "state"), Options{disk: d})
		var began time.Time
		writes := func(what string, want int64, during time.Duration, do func()) {
			t.Helper()
			before := d.writes.Load()
			began = time.Now()
			for time.Since(began) < during {
				do()
				time.Sleep(100 * time.Millisecond)
			}
			synctest.Wait()
			equal(t, "writes "+what, d.writes.Load()-before, want)
		}
		nothing := func() {}
		changes := func() { s.engine.Latches().Set("a", 1+int(time.Since(began)/time.Millisecond)) }
		writes("at the start", 1, 1500*time.Millisecond, nothing)
		writes("in 10 s of changes", 10, 10*time.Second, changes)
		writes("after the last of them", 1, 2*time.Second, nothing)
		writes("in 10 minutes without changes", int64(10*time.Minute/refresh), 10*time.Minute, nothing)
		d.takes = time.Second
		writes("that take a second, in a minute of changes", 3, time.Minute, changes)
		writes("that are asked for, in 9 s", 5, 9*time.Second, func() { go k.Sync(t.Context()) })
		k.Close()
		for i := 1; i < len(d.at)-1; i++ { // the last one is that of Close
			if gap := d.at[i].Sub(d.at[i-1]); gap < minGap {
				t.Errorf("Expected a second between two writes, got %v", gap)
			}
		}
	})
}

// TestFullDisk is survived, visible, told once when it begins and once when it ends, and nobody is told that what he said is safe.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &faultyDisk{}
		var told []string
		file := filepath.Join(t.TempDir(), "state")
		s := newServer(t)
		k := s.open(t, file, Options{disk: d, Report: func(err error) { told = append(told, fmt.Sprint(err)) }})
		time.Sleep(2 * time.Second)
		good := k.State()
		d.fail(syscall.ENOSPC)
		began := time.Now()
		for n := range 60 {
			s.engine.Latches().Set("a", n+1)
			time.Sleep(time.Second)
		}
		bad := k.State()
		equal(t, "of when the last state on disk is", bad.Written, good.Written)
		if !errors.Is(bad.Err, syscall.ENOSPC) || bad.Failing.Before(began) || bad.Failing.After(began.Add(2*time.Second)) {
			t.Errorf("Expected the status to say what fails, and since when, got %+v", bad)
		}
		if n := d.writes.Load(); n > 10 {
			t.Errorf("Expected a failing disk to be left alone most of the time, got %d writes", n)
		}
		if err := k.Sync(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Expected Sync to fail, got %v", err)
		}
		equal(t, "the latch in force", s.engine.Latches().Get("a"), 60)
		d.fail(syscall.EROFS)
		if err := k.Sync(t.Context()); !errors.Is(err, syscall.EROFS) {
			t.Errorf("Expected Sync to fail, got %v", err)
		}
		d.fail(nil)
		if err := k.Sync(t.Context()); err != nil {
			t.Errorf("Expected Sync to succeed, got %v", err)
		}
		equal(t, "the latch on the disk", contents(t, file).Health.Latches["a"], 60)
		equal(t, "status", k.State().Err, nil)
		equal(t, "since when it fails", k.State().Failing, time.Time{})
		equal(t, "what was told", strings.Join(told, "; "), "cannot write state file "+file+": no space left on device; <nil>")
		d.fail(syscall.EROFS)
		if err := k.Close(); !errors.Is(err, syscall.EROFS) {
			t.Errorf("Expected Close to say that the last write failed, got %v", err)
		}
	})
}

// TestRefusedFile is moved aside and never over another one; the server begins without it, and says so in one line.
func TestRefusedFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state")
	later := strings.Replace(string(encoded(t, sample())), `"version":2`, `"version":3`, 1)
	for n, text := range []string{"", "hello", later, string(encoded(t, sample())[:500])} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s := newServer(t)
		k := s.open(t, file, Options{})
		refused := k.State().Refused
		if refused == nil || strings.Contains(refused.Error(), "\n") || !strings.Contains(refused.Error(), file+".bad-") {
			t.Errorf("Expected a line about the refused file, got %v", refused)
		}
		equal(t, "overrides", len(s.admin.Objects()), 0)
		equal(t, "latches", len(s.engine.Latches().Keys()), 0)
		if err := k.Close(); err != nil {
			t.Errorf("Expected a new file to be written, got %v", err)
		}
		contents(t, file)
		aside, err := filepath.Glob(file + ".bad-*")
		if err != nil || len(aside) != n+1 {
			t.Fatalf("Expected %d files aside, got %v", n+1, aside)
		}
		kept := 0
		for _, name := range aside {
			if got, err := os.ReadFile(name); err == nil && string(got) == text {
				kept++
			}
			if !regexp.MustCompile(`\.bad-\d{8}T\d{6}Z(-\d+)?$`).MatchString(name) {
				t.Errorf("Expected the time in the name, got %s", name)
			}
		}
		equal(t, "files aside with the text", kept, 1)
	}
}

// TestHugeFile is refused before it is read: there may be no memory for it.
func TestHugeFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, encoded(t, sample()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 1<<40); err != nil {
		t.Skipf("Expected a file with a hole, got: %v", err)
	}
	s := newServer(t)
	k := s.open(t, file, Options{})
	if refused := k.State().Refused; refused == nil || !strings.Contains(refused.Error(), "it has 1099511627776 bytes: expected 536870912 at most; it is "+file+".bad-") {
		t.Errorf("Expected a line about a huge file, got %v", refused)
	}
	if err := k.Close(); err != nil {
		t.Errorf("Expected a new file to be written, got %v", err)
	}
	contents(t, file)
}

// stuckDisk renames nothing while it is stuck.
type stuckDisk struct {
	osDisk
	stuck atomic.Bool
}

func (d *stuckDisk) rename(from, to string) error {
	if d.stuck.Load() {
		return syscall.EROFS
	}
	return d.osDisk.rename(from, to)
}

// TestRunning: a server that runs takes nothing of the file that a reload names, and refuses one that is none of ours.
func TestRunning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, encoded(t, sample()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	s.engine.Latches().Set("a", 3)
	k := s.open(t, file, Options{Running: true})
	k.Abandon()
	equal(t, "the file after a reload that failed", len(contents(t, file).Admin), 2)
	k = s.open(t, file, Options{Running: true})
	equal(t, "overrides", len(s.admin.Objects()), 0)
	equal(t, "lists", len(s.lists.Standing()), 0)
	equal(t, "of when the state is that was read", k.State().Read, time.Time{})
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	got := contents(t, file)
	equal(t, "overrides on the disk", len(got.Admin), 0)
	equal(t, "latches on the disk", fmt.Sprint(got.Health.Latches), "map[a:3]")
	for text, why := range map[string]string{"precious": "it is no state file of healthroute", "": "it is empty"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first one leaves no lock
			_, err := Open(file, Options{Engine: s.engine, Admin: s.admin, Running: true})
			if want := "state file " + file + " cannot be used: " + why + ": expected one of healthroute, or none"; fmt.Sprint(err) != want {
				t.Errorf("Expected the error %q, got %v", want, err)
			}
		}
		if left, _ := os.ReadFile(file); string(left) != text {
			t.Errorf("Expected the file to stay, got %q", left)
		}
		equal(t, "files", names(t, filepath.Dir(file)), "state")
	}
}

// TestConfirm: of a file that a reload names nothing is written before it is in force, unless somebody is promised that it is.
func TestConfirm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		s := newServer(t)
		k := s.open(t, file, Options{Running: true})
		s.engine.Latches().Set("a", 3)
		time.Sleep(time.Hour)
		equal(t, "files", names(t, filepath.Dir(file)), "")
		k.Confirm()
		synctest.Wait()
		equal(t, "files", names(t, filepath.Dir(file)), "state")
		k.Abandon()
		k = s.open(t, file, Options{Running: true})
		s.engine.Latches().Set("a", 4)
		if err := k.Sync(t.Context()); err != nil {
			t.Errorf("Expected what is promised to be written, got %v", err)
		}
		equal(t, "the latch on the disk", contents(t, file).Health.Latches["a"], 4)
		k.Abandon()
	})
}

// TestRefusedFileStays where it cannot be moved aside: nothing is written over it, until it can.
func TestRefusedFileStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &stuckDisk{}
	d.stuck.Store(true)
	k := newServer(t).open(t, file, Options{disk: d})
	defer k.Close()
	if refused := fmt.Sprint(k.State().Refused); !strings.Contains(refused, "cannot be moved aside") {
		t.Errorf("Expected the line to say so, got %s", refused)
	}
	if err := k.Sync(t.Context()); !errors.Is(err, syscall.EROFS) {
		t.Errorf("Expected nothing to be written, got %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "precious" {
		t.Errorf("Expected the refused file to stay, got %q", text)
	}
	d.stuck.Store(false)
	if err := k.Sync(t.Context()); err != nil {
		t.Errorf("Expected no error any more, got %v", err)
	}
	contents(t, file)
	aside, _ := filepath.Glob(file + ".bad-*")
	equal(t, "files aside", len(aside), 1)
}

// TestOneServer: a second one is refused with a clear line, and the first one's reload is no second one.
func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state")
	s := newServer(t)
	k := s.open(t, file, Options{})
	_, err := start(file, Options{Engine: s.engine, Admin: s.admin}) // as another process would
	want := fmt.Sprintf("state file %s is in use by another server, process %d: expected a file of its own for each", file, os.Getpid())
	if err == nil || err.Error() != want {
		t.Errorf("Expected the error %q, got %v", want, err)
	}
	again := s.open(t, filepath.Join(dir, ".", "state"), Options{})
	equal(t, "the keeper of a reload", again, k)
	if err := k.Close(); err != nil {
		t.Errorf("Expected no error, got %v", err)
	}
	if err := again.Sync(t.Context()); err != nil {
		t.Errorf("Expected the keeper to go on, got %v", err)
	}
	_, err = start(file, Options{Engine: s.engine, Admin: s.admin})
	if in := (*InUse)(nil); !errors.As(err, &in) || in.File != file {
		t.Errorf("Expected the file to be in use still, got %v", err)
	}
	if err := again.Close(); err != nil {
		t.Errorf("Expected no error, got %v", err)
	}
	if err := s.open(t, file, Options{}).Close(); err != nil {
		t.Errorf("Expected the file to be free, got %v", err)
	}
}

// TestNoLock is about a lock that cannot be had yet: the server begins with what the file has, and writes when it has the lock.
func TestNoLock(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state")
	if err := os.WriteFile(file, encoded(t, sample()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lockName(file), 0o700); err != nil { // a file cannot be made there
		t.Fatal(err)
	}
	s := newServer(t)
	k := s.open(t, file, Options{})
	defer k.Close()
	equal(t, "latches", len(s.engine.Latches().Keys()), 2)
	if err := k.Sync(t.Context()); err == nil {
		t.Error("Expected nothing to be written without the lock, got no error")
	}
	if err := os.Remove(lockName(file)); err != nil {
		t.Fatal(err)
	}
	if err := k.Sync(t.Context()); err != nil {
		t.Errorf("Expected the lock to be taken, got %v", err)
	}
}

// TestWhere the file may be.
func TestWhere(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"link": "real/state", "dangling": "nowhere/state", "dirlink": "real"} {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	s := newServer(t)
	for name, want := range map[string]string{
		"link":      "link is a symbolic link to nothing",
		"dangling":  "dangling is a symbolic link to nothing",
		"real":      "real is no regular file",
		"none/file": "no such file or directory",
	} {
		if _, err := Open(filepath.Join(dir, name), Options{Engine: s.engine, Admin: s.admin}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Expected %q for %s, got %v", want, name, err)
		}
	}
	if err := s.open(t, filepath.Join(dir, "dirlink", "state"), Options{}).Close(); err != nil {
		t.Errorf("Expected a directory behind a link to do, got %v", err)
	}
	k := s.open(t, filepath.Join(dir, "link"), Options{})
	equal(t, "file", k.State().File, filepath.Join(real, "state"))
	s.engine.Latches().Set("a", 7)
	if err := k.Close(); err != nil {
		t.Errorf("Expected a link to be followed, got %v", err)
	}
	equal(t, "latch behind the link", contents(t, filepath.Join(real, "state")).Health.Latches["a"], 7)
	info, err := os.Lstat(filepath.Join(dir, "link"))
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("Expected the link to stay, got %v, %v", info, err)
	}
}

// TestManyWait for few writes, while everything changes. The race detector looks on.
func TestManyWait(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	s := newServer(t)
	k := s.open(t, file, Options{Report: func(err error) { t.Errorf("Expected no failure, got %v", err) }})
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			o := health.SiteObject(fmt.Sprint(n))
			s.admin.Set(o, health.Override{State: health.Draining})
			if err := k.Sync(t.Context()); err != nil {
				t.Errorf("Expected no error, got %v", err)
			}
			k.State()
		})
	}
	all.Wait()
	equal(t, "overrides on the disk", len(contents(t, file).Admin), 20)
	if err := k.Close(); err != nil {
		t.Errorf("Expected no error, got %v", err)
	}
}
