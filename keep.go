package healthroute

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coredns/coredns/plugin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/state"
	"github.com/healthroute/healthroute/plugin/status"
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

// lasting is what a write of the API is answered: what was done, if that is on the disk, wherever one keeps it.
func lasting[T any](ctx context.Context, done T, err error) (T, error) {
	if err != nil {
		return done, err
	}
	for _, k := range running.keepers() {
		if err := k.Sync(ctx); err != nil {
			return done, &status.Problem{
				Status: http.StatusInsufficientStorage, InForce: true, Message: "it is in force, but not saved: " + err.Error(),
				Expected: "a state file that can be written; then it is saved without another word",
			}
		}
	}
	return done, nil
}

// lastingBackend is an apiBackend whose writes are on the disk when they are answered. Those who write at the same time wait for the same write.
type lastingBackend struct{ apiBackend }

// Say puts an admin state in force.
func (b lastingBackend) Say(ctx context.Context, o status.Order, by status.By) (status.Said, error) {
	said, err := b.apiBackend.Say(ctx, o, by)
	return lasting(ctx, said, err)
}

// Failback lets records answer again.
func (b lastingBackend) Failback(ctx context.Context, o status.FailbackOrder, by status.By) (status.FailedBack, error) {
	back, err := b.apiBackend.Failback(ctx, o, by)
	return lasting(ctx, back, err)
}

// Push tells checks what they are.
func (b lastingBackend) Push(ctx context.Context, p status.Pushed, by status.By) (status.Reached, error) {
	reached, err := b.apiBackend.Push(ctx, p, by)
	return lasting(ctx, reached, err)
}

// stateFile shows how the state file of the newest instance fares, nil for none.
func stateFile() *status.StateFile {
	i := running.newest()
	if i == nil || i.keeper == nil {
		return nil
	}
	s := i.keeper.State()
	out := &status.StateFile{File: s.File, Read: unlessZero(s.Read), Written: unlessZero(s.Written), Size: s.Size, Failing: unlessZero(s.Failing)}
	if !s.Written.IsZero() {
		age := time.Since(s.Written).Seconds()
		out.Age = &age
	}
	if s.Refused != nil {
		out.Refused = s.Refused.Error()
	}
	if s.Err != nil {
		out.Error = s.Err.Error()
	}
	return out
}

var (
	stateWritten = stateGauge("written_timestamp_seconds", "Of when the state is that the state file holds, in Unix time; absent before it was written.")
	stateSize    = stateGauge("size_bytes", "Size of the state file when it was written last; absent before that.")
	stateFailing = stateGauge("failing", "Whether the state file cannot be written: a restart would forget what changed since.")
	stateRefused = stateGauge("refused", "Whether what the state file held at the start was of no use.")
)

func stateGauge(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "state_"+name), help, nil, nil)
}

// collectState sends how the state file fares, if there is one.
func collectState(out chan<- prometheus.Metric) {
	i := running.newest()
	if i == nil || i.keeper == nil {
		return
	}
	s := i.keeper.State()
	gauges := map[*prometheus.Desc]float64{stateFailing: truth(s.Err != nil), stateRefused: truth(s.Refused != nil)}
	if !s.Written.IsZero() {
		gauges[stateWritten], gauges[stateSize] = float64(s.Written.UnixMilli())/1000, float64(s.Size)
	}
	for desc, value := range gauges {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
}
