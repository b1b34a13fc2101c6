package scenario

import (
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// Running is one server block of a world, for those who compare worlds.
type Running struct {
	*Block
	Table *route.Table
	Lease *health.Lease

	world  *World
	server *server
}

// Running returns the server blocks of the world, in the order of the Corefile.
func (w *World) Running() []Running {
	var out []Running
	for _, n := range w.servers {
		out = append(out, Running{n.Block, n.table, n.lease, w, n})
	}
	return out
}

// Distribution returns the answers that a question to this server block can get at this instant, whichever block CoreDNS would give it to. Its
// name is absolute.
func (r Running) Distribution(q Question) (Distribution, error) {
	return r.world.distributionOf(r.server, r.world.queryOf(r.server, q.Name, q))
}

// Dir is the directory of the Corefile's files.
func (w *World) Dir() string { return w.dir }

// Force gives a check of the world a status as if it had earned it (health.Engine).
func (w *World) Force(c *health.Check, s health.Status) { w.engine.Force(c, s) }

// Discover lets every source of targets look until it has what it finds, at most so many seconds of virtual time.
func (w *World) Discover() {
	const patience = 5e9
	learned := func() bool {
		for _, n := range w.servers {
			for _, s := range n.sources.All() {
				if !s.Learned() {
					return false
				}
			}
		}
		return true
	}
	for !learned() && w.Now() < patience {
		w.step()
	}
}
