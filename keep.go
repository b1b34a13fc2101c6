package healthroute

import (
	"fmt"
	"slices"
	"time"

	"github.com/coredns/coredns/plugin"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/state"
)

// keep begins to keep the state file that the Corefile names, if it names one: what it has is known from then on. It comes before any check is asked
// for, and before the lists of sources are recalled. While another instance runs, that knows better than a file which it does not keep.
func (i *instance) keep() error {
	s := i.stanzaWith(func(s *config.Stanza) bool { return s.State != "" })
	if s == nil {
		return nil
	}
	kept := running.keepers()
	k, err := state.Open(s.State, state.Options{Engine: engine, Admin: admin, Lists: lists, Running: len(running.all()) > 0, Report: tellState})
	if err != nil {
		return plugin.Error(pluginName, fmt.Errorf("%s: %w", s.Places.Of("state"), err))
	}
	i.keeper = k
	if slices.Contains(kept, k) {
		return nil
	}
	switch read := k.State(); {
	case read.Refused != nil:
		log.Error(read.Refused)
	case read.Read.After(time.Now()):
		log.Warningf("state file %s is read: it says that it was written at %s, which is to come: is the clock right?", read.File, read.Read.UTC().Format(time.RFC3339))
	case !read.Read.IsZero():
		log.Infof("state file %s is read: it was written %s ago", read.File, config.FormatDuration(time.Since(read.Read).Round(time.Second)))
	}
	return nil
}

// unkeep ends that, with the last word of what the instance knows if no other one keeps the file. It comes before anything is given back. An instance that
// never was in charge has nothing to say.
func (i *instance) unkeep(inCharge bool) {
	if i.keeper == nil {
		return
	}
	i.unkept.Do(func() {
		if !inCharge {
			i.keeper.Abandon()
			return
		}
		if err := i.keeper.Close(); err != nil {
			log.Errorf("%s: a restart will know what was known %s", err, lastWritten(i.keeper.State()))
		}
	})
}

// tellState logs that what is known can no longer be written, or can be again.
func tellState(err error) {
	if err != nil {
		log.Errorf("%s: a restart would forget what changes from now on; it is tried again", err)
		return
	}
	log.Info("the state file is written again")
}

// lastWritten says when that was.
func lastWritten(s state.Status) string {
	switch {
	case !s.Written.IsZero():
		return "at " + s.Written.UTC().Format(time.RFC3339)
	case !s.Read.IsZero():
		return "at " + s.Read.UTC().Format(time.RFC3339)
	}
	return "never"
}

// stanzaWith is the first stanza of the instance for which that holds, nil for none.
func (i *instance) stanzaWith(holds func(*config.Stanza) bool) *config.Stanza {
	for _, b := range i.blocks {
		if at := slices.IndexFunc(b.stanzas, holds); at >= 0 {
			return b.stanzas[at]
		}
	}
	return nil
}

// keepers are those of the instances that run, each once.
func (is *instances) keepers() []*state.Keeper {
	var out []*state.Keeper
	for _, i := range is.all() {
		if i.keeper != nil && !slices.Contains(out, i.keeper) {
			out = append(out, i.keeper)
		}
	}
	return out
}
