package scenario

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/state"
)

// Restart ends the server and starts it again with the same Corefile, in no time. With a `state` in that it knows what the file would have, without a real
// file; else nothing.
func (w *World) Restart() config.Problems {
	kept := state.State{}
	if w.keeps() {
		kept = state.State{Health: w.engine.Snapshot(), Admin: w.admin.Standing(), Sources: w.lists.Standing()}
	}
	w.Close()
	for _, o := range w.admin.Objects() {
		w.admin.Clear(o)
	}
	w.engine.Latches().ClearAll()
	w.lists.Keep(nil)
	w.engine.Restore(kept.Health, state.MaxAge)
	w.admin.Restore(kept.Admin)
	w.lists.Restore(kept.Sources)
	return w.Reload(w.source)
}

// keeps reports whether the Corefile names a state file.
func (w *World) keeps() bool {
	return slices.ContainsFunc(w.servers, func(n *server) bool {
		return slices.ContainsFunc(n.Stanzas, func(s *config.Stanza) bool { return s.State != "" })
	})
}
