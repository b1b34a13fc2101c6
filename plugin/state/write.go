package state

import (
	"fmt"
	"time"
)

// When the file is written: soon after a change, and otherwise now and then, because what is known of a check counts for MaxAge from
// when it was written. Writing takes a twentieth of the time at most, however much there is to write.
const (
	minGap  = time.Second      // from the end of a write to the next one
	refresh = 30 * time.Second // without a change
	retry   = 10 * time.Second // after a failure
	share   = 20               // times as long as a write took nothing is written after it, but for Sync
)

// run writes the file until the keeper is closed, and then once more.
func (k *Keeper) run() {
	defer close(k.done)
	timer := time.NewTimer(minGap)
	for {
		select {
		case last := <-k.stop:
			if last {
				k.write()
			}
			return
		case <-k.asks:
		case <-timer.C:
		}
		if k.due() {
			k.write()
		}
		timer.Reset(k.pause())
	}
}

// due reports whether it is time to write.
func (k *Keeper) due() bool {
	k.mu.Lock()
	asked, failing, took, trial := len(k.waiting) > 0, k.status.Err != nil, k.status.Took, k.trial
	k.mu.Unlock()
	since := time.Since(k.ended)
	gap := max(minGap, share*took)
	switch {
	case k.ended.IsZero():
		return asked || !trial
	case asked:
		return since >= minGap
	case failing:
		return since >= max(gap, retry)
	case k.changed() != k.changes:
		return since >= gap
	}
	return since >= max(gap, refresh)
}

// pause is how long there is nothing to look at: to the end of the gap if somebody waits for it.
func (k *Keeper) pause() time.Duration {
	if left := minGap - time.Since(k.ended); left > 0 {
		return left
	}
	return minGap
}

// changed counts what has changed so far.
func (k *Keeper) changed() uint64 {
	return k.o.Engine.Changes() + k.o.Admin.Changes() + k.o.Lists.Changes()
}

// write writes what is known now, and tells those who wait.
func (k *Keeper) write() {
	k.mu.Lock()
	waiting := k.waiting
	k.waiting = nil
	k.mu.Unlock()

	began, changes := time.Now(), k.changed() // before the state is taken: what changes meanwhile is written again
	taken, size, err := k.save()
	k.ended = time.Now()
	if err == nil {
		k.changes = changes
	} else {
		err = fmt.Errorf("cannot write state file %s: %w", k.file, err)
	}

	k.mu.Lock()
	turned := (err == nil) != (k.status.Err == nil)
	k.status.Err, k.status.Took = err, k.ended.Sub(began)
	switch {
	case err == nil:
		k.status.Written, k.status.Size, k.status.Failing = taken, size, time.Time{}
	case turned:
		k.status.Failing = k.ended
	}
	k.mu.Unlock()
	if turned {
		k.o.Report(err)
	}
	for _, w := range waiting {
		w <- err
	}
}

// save writes the file and returns of when its state is, and its size.
func (k *Keeper) save() (taken time.Time, size int, err error) {
	if err := k.lock(); err != nil {
		return time.Time{}, 0, err
	}
	if k.aside != nil {
		if _, err := moveAside(k.o.disk, k.file, k.o.Engine.Now()); err != nil {
			return time.Time{}, 0, err
		}
		k.aside = nil
	}
	s := State{Health: k.o.Engine.Snapshot(), Admin: k.o.Admin.Standing(), Sources: k.o.Lists.Standing()}
	text, err := Encode(s)
	if err != nil {
		return time.Time{}, 0, err
	}
	if len(text) > maxSize { // a restart would refuse it
		return time.Time{}, 0, errHuge(int64(len(text)))
	}
	return s.Health.Taken, len(text), replace(k.o.disk, k.file, text)
}
