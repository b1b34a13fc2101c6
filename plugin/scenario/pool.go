package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// A pool, a balancer and their objects go by their names: POOL, POOL/TARGET and BALANCER.

// pool returns the pool of the name, or nil.
func (w *World) pool(name string) *route.Pool {
	for _, n := range w.servers {
		for _, p := range n.table.Pools() {
			if strings.EqualFold(p.Name, name) {
				return p
			}
		}
	}
	return nil
}

// poolTarget returns the target POOL/TARGET and its pool; a target goes by its id, or by its address alone if no other has that.
func (w *World) poolTarget(object string) (*route.Pool, *route.Record) {
	name, target, _ := strings.Cut(object, "/")
	if p := w.pool(name); p != nil {
		return p, p.Find(target)
	}
	return nil, nil
}

// balancer returns the name of the balancer, or of the pool that is aliased by itself, and its sites; false if there is none.
func (w *World) balancer(name string) (string, []string, bool) {
	for _, n := range w.servers {
		for _, g := range n.table.Balancers() {
			for _, s := range g.View().Sets() {
				if b := s.Balance; strings.EqualFold(b.Balancer.Name, name) {
					var sites []string
					for _, site := range b.Sites {
						sites = append(sites, site.Site)
					}
					return b.Balancer.Name, sites, true
				}
			}
		}
	}
	return "", nil, false
}

// declares reports whether the Corefile has a balancer or a pool of the name.
func (w *World) declares(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(w.servers, func(n *server) bool {
		return slices.ContainsFunc(n.Stanzas, func(s *config.Stanza) bool { return s.Balancer(name) != nil || s.Pool(name) != nil })
	})
}

// Shift shifts clients away from a site of a balancer, or of a pool that is aliased by itself, for a time of 1 minute to 72 hours (spec 4.10). It
// ends another shift of that site.
func (w *World) Shift(balancer, site string, lasts time.Duration) error {
	name, sites, ok := w.balancer(balancer)
	switch {
	case !ok && w.declares(balancer):
		return fmt.Errorf("no alias leads to %q, so that nobody is shifted", balancer)
	case !ok:
		return w.unknown(balancer)
	}
	for _, s := range sites {
		if strings.EqualFold(s, site) {
			return w.admin.Shift(name, s, lasts, "", "")
		}
	}
	return fmt.Errorf("%s has no site %q%s", name, site, nearestOf(site, sites))
}

// Register puts a target of a pool back that Deregister has taken out.
func (w *World) Register(object string) error {
	return w.ofTarget(object, func(o health.Object) { w.admin.Clear(o) })
}

// Deregister takes a target out of its pool: it drains, and is unused after that.
func (w *World) Deregister(object string) error {
	return w.ofTarget(object, func(o health.Object) { w.admin.Set(o, health.Override{State: health.Deregistered}) })
}

func (w *World) ofTarget(object string, do func(health.Object)) error {
	p, target := w.poolTarget(object)
	switch {
	case target == nil && w.pool(object) != nil:
		return fmt.Errorf("%q is a pool: expected a target of it, as POOL/TARGET", object)
	case target == nil:
		return w.unknown(object)
	}
	do(health.PoolObject(p.Name, target.ID))
	return nil
}

func parseShift(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 4 || args[2] != "for" {
		return statement{}, errors.New("expected a balancer, a site, `for` and a time")
	}
	lasts, err := duration(args[3])
	if err != nil {
		return statement{}, err
	}
	return does(func(p *player) error { return p.world.Shift(args[0], args[1], lasts) })
}

func parseRegister(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one target of a pool")
	}
	return does(func(p *player) error { return p.world.Register(args[0]) })
}

func parseDeregister(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one target of a pool")
	}
	return does(func(p *player) error { return p.world.Deregister(args[0]) })
}

// poolNames lists what a misspelt object of pools may have meant.
func (w *World) poolNames() (names []string) {
	for _, n := range w.servers {
		for _, p := range n.table.Pools() {
			names = append(names, p.Name)
			for _, r := range p.Targets() {
				names = append(names, p.Name+"/"+r.ID)
			}
		}
		for _, s := range n.Stanzas {
			for _, b := range s.Balancers {
				names = append(names, b.Name)
			}
		}
	}
	return names
}
