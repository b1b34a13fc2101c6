package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
)

// Options say what is kept.
type Options struct {
	Engine *health.Engine
	Admin  *health.Admin
	Lists  *discover.Lists // of the sources of targets; nil for none
	// Running says that engine, admin layer and lists are those of a server that has been running: they know better than the file, of which nothing is
	// taken. One that would be refused is an error then, and stays where it is. Nothing is written before Confirm, unless Sync wants it: the reload that
	// names the file may fail, and is to change nothing then.
	Running bool
	// Report is told, from the keeper's goroutine, when writing begins to fail, with one line about it, and, with nil, when it works again. It must
	// not call Close; nil for nobody.
	Report func(error)

	disk disk // the operating system's if nil
}

// Keeper keeps one state file. It may be used from any number of goroutines.
type Keeper struct {
	file string // symbolic links followed
	o    Options
	asks chan struct{} // somebody waits for a write
	stop chan bool     // whether to write once more
	done chan struct{}

	// The keeper's goroutine alone uses these, once it runs.
	held    io.Closer // the lock; nil until it is held
	aside   error     // why a refused file still has to be moved aside; nil if none has
	changes uint64    // of all that was written last
	ended   time.Time // the last write, or its failure

	mu      sync.Mutex
	users   int          // guarded by the mutex of keepers
	waiting []chan error // guarded by mu
	closed  bool         // guarded by mu
	trial   bool         // guarded by mu; nothing is written yet unless somebody waits for it
	status  Status       // guarded by mu
}

// Status is how a keeper fares.
type Status struct {
	File    string        // symbolic links followed
	Read    time.Time     // of when the state is that was read at the start; zero for none
	Refused error         // why the file that was there was not taken; nil if it was, or there was none
	Written time.Time     // of when the state is that was written last; zero for none
	Size    int           // bytes of that
	Took    time.Duration // to make and write it
	Err     error         // why the last write failed; nil if it did not
	Failing time.Time     // since when writes fail; zero if they do not
}

// start reads the file and begins to keep it. It fails if another server has the file.
func start(file string, o Options) (*Keeper, error) {
	if o.disk == nil {
		o.disk = osDisk{}
	}
	if o.Lists == nil {
		o.Lists = &discover.Lists{}
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	k := &Keeper{
		file: file, o: o, asks: make(chan struct{}, 1), stop: make(chan bool, 1), done: make(chan struct{}), trial: o.Running, status: Status{File: file},
	}
	if err := k.lock(); errors.As(err, new(*InUse)) { // every other error comes back when something is to be written
		return nil, err
	}
	if err := k.load(); err != nil {
		k.free()
		return nil, err
	}
	go k.run()
	return k, nil
}

// lock takes the lock, unless it is held.
func (k *Keeper) lock() error {
	if k.held != nil {
		return nil
	}
	held, err := k.o.disk.lock(lockName(k.file))
	if in := (*InUse)(nil); errors.As(err, &in) {
		return &InUse{File: k.file, By: in.By}
	}
	k.held = held
	return err
}

// load hands what the file has to engine, admin layer and lists, and moves a file aside that it cannot take.
func (k *Keeper) load() error {
	text, err := k.o.disk.read(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var s State
	if err == nil {
		s, err = Decode(text)
	}
	switch {
	case err != nil && k.o.Running:
		return fmt.Errorf("state file %s cannot be used: %w: expected one of healthroute, or none", k.file, err)
	case err != nil:
		k.refuse(err)
	case !k.o.Running:
		k.o.Engine.Restore(s.Health, MaxAge)
		k.o.Admin.Restore(s.Admin)
		k.o.Lists.Restore(s.Sources)
		k.status.Read = s.Health.Taken
	}
	return nil
}

// refuse moves the file aside, and notes why.
func (k *Keeper) refuse(why error) {
	to, err := moveAside(k.o.disk, k.file, k.o.Engine.Now())
	if err != nil {
		k.aside = why
		k.status.Refused = fmt.Errorf("state file %s is not used: %w; it cannot be moved aside (%w), and nothing is written until it can", k.file, why, err)
		return
	}
	k.status.Refused = fmt.Errorf("state file %s is not used: %w; it is %s now", k.file, why, to)
}

// Sync waits until all that was known when it was called is on the disk, at most a second and a write later, and returns nil then; or why it could not
// be written. What an operator says is acknowledged after it. An error does not take back what was said: it is in force, but a restart
// may forget it.
func (k *Keeper) Sync(ctx context.Context) error {
	written := make(chan error, 1)
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return fmt.Errorf("state file %s is closed", k.file)
	}
	k.waiting = append(k.waiting, written)
	k.mu.Unlock()
	select {
	case k.asks <- struct{}{}:
	default:
	}
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return fmt.Errorf("state file %s is not written yet: %w", k.file, ctx.Err())
	}
}

// Confirm has the file written from now on, if it was opened while the server ran.
func (k *Keeper) Confirm() {
	k.mu.Lock()
	k.trial = false
	k.mu.Unlock()
	select {
	case k.asks <- struct{}{}:
	default:
	}
}

// State returns how the keeper fares now.
func (k *Keeper) State() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// end writes the file for the last time, if it is to, and gives it free; it returns why it could not be written.
func (k *Keeper) end(write bool) error {
	k.mu.Lock()
	k.closed = true
	waiting := k.waiting
	k.mu.Unlock()
	k.stop <- write || len(waiting) > 0 // who waits gets his word
	<-k.done
	k.free()
	return k.status.Err
}

// free gives the lock back, if it is held.
func (k *Keeper) free() {
	if k.held != nil {
		_ = k.held.Close()
	}
}
