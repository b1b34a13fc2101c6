package route

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Discovered takes over what a source of the pool, by its place in the configuration, now says. Targets are known by address and port: those that
// stay keep everything, new ones get a check, at most `rate` of them in a second; those that no source names any more are out at once, go on
// draining for the pool's drain time and are then forgotten, unless they come back. What the Corefile names stays as that says. A list that makes
// the pool larger than its limit, or has the other family under preset nlb, is refused as a whole. It may be called from any goroutine, and before
// Begin.
func (t *Table) Discovered(p *Pool, source int, found []config.Found) error {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	lists := slices.Clone(p.lists)
	lists[source] = complete(p.Config.Sources[source], found)
	wanted := p.union(lists)
	if err := p.accepts(wanted); err != nil {
		t.mu.Unlock()
		return err
	}
	p.lists = lists
	now := t.checks.Now()
	named := make(map[netip.AddrPort]config.Found, len(wanted))
	for _, f := range wanted {
		named[p.key(f.Address, f.Port)] = f
	}
	vanished := false
	targets := slices.Clone(p.Targets())
	var moved []*health.Check
	for i, r := range targets {
		if r.member.declared {
			continue
		}
		key := p.keyOf(r)
		f, stays := named[key]
		switch {
		case stays:
			if targets[i] = r.as(f); targets[i] != r {
				moved = append(moved, r.Checks()...)
			}
			delete(named, key)
		case r.member.gone.IsZero():
			r.member.gone = now
			vanished = true
		}
	}
	if vanished {
		t.checks.After(p.Config.Drain, func() { t.forget(p) })
	}
	p.waiting = slices.DeleteFunc(wanted, func(f config.Found) bool {
		_, fresh := named[p.key(f.Address, f.Port)]
		return !fresh
	})
	p.targets.Store(&targets)
	fresh := t.admit(p)
	t.settleTargets(p)
	moved = append(moved, fresh...)
	attempted := t.wanted(moved)
	t.work()
	t.mu.Unlock()
	t.want(moved, attempted)
	t.begin(fresh)
	return nil
}

// listed is how many targets the pool has taken over from the source.
func (t *Table) listed(p *Pool, source int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(p.lists[source])
}

// complete gives what was found the port and the site of its source where it has none.
func complete(d config.Discovery, found []config.Found) []config.Found {
	out := slices.Clone(found)
	for i := range out {
		if out[i].Port == 0 {
			out[i].Port = d.Port
		}
		if out[i].Site == "" {
			out[i].Site = d.Site
		}
	}
	return out
}

// union is what the sources name together, each target once, as the first of them says, without those of the Corefile.
func (p *Pool) union(lists [][]config.Found) []config.Found {
	seen := map[netip.AddrPort]bool{}
	for _, r := range p.Targets() {
		if r.member.declared {
			for _, v := range r.values {
				seen[p.key(addressOf(v.rrs[0]), r.member.port)] = true
			}
		}
	}
	var out []config.Found
	for _, list := range lists {
		for _, f := range list {
			if key := p.key(f.Address, f.Port); !seen[key] {
				seen[key] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// key is the identity of a target: its address, and the port that it is tested at.
func (p *Pool) key(address netip.Addr, port uint16) netip.AddrPort {
	if port == 0 && p.probe != nil {
		port = p.probe.Port
	}
	return netip.AddrPortFrom(address, port)
}

// keyOf is the identity of a target that was found.
func (p *Pool) keyOf(r *Record) netip.AddrPort {
	return p.key(addressOf(r.values[0].rrs[0]), r.member.port)
}

// as is the target with the site and weight that its source says now; the same one if those have stayed.
func (r *Record) as(f config.Found) *Record {
	r.member.gone = time.Time{}
	if r.Site == f.Site && r.Weight == f.Weight {
		return r
	}
	declared := *r.Config
	declared.Site, declared.Weight = f.Site, f.Weight
	return &Record{
		ID: r.ID, Index: r.Index, Weight: f.Weight, Site: f.Site, Config: &declared, origins: r.origins, values: r.values, member: r.member,
	}
}

// accepts says why the sources' targets cannot be taken over, or nil.
func (p *Pool) accepts(wanted []config.Found) error {
	if len(wanted) > p.Config.Limit {
		return fmt.Errorf("%d targets, and pool %s has a limit of %d", len(wanted), p.Name, p.Config.Limit)
	}
	if p.Config.Preset != config.PresetNLB || len(wanted) == 0 {
		return nil
	}
	first := wanted[0].Address.Is4()
	for _, c := range p.Config.Targets {
		first = c.Addresses[0].Is4()
	}
	if i := slices.IndexFunc(wanted, func(f config.Found) bool { return f.Address.Is4() != first }); i >= 0 {
		return fmt.Errorf("target %s is of another family than the pool's others, and pool %s follows preset nlb, which has one", wanted[i].Address, p.Name)
	}
	return nil
}

// admit makes targets of what waits, as many as the pool's rate allows for this second, and plans the next ones. What is known before the table begins,
// from before a reload or a restart, is not new and comes at once. It returns their checks. It is called with adminMu and mu held.
func (t *Table) admit(p *Pool) (fresh []*health.Check) {
	if p.pacing || len(p.waiting) == 0 {
		return nil
	}
	n := len(p.waiting)
	if t.begun {
		n = min(n, p.Config.Rate)
	}
	targets := slices.Clone(p.Targets())
	for _, f := range p.waiting[:n] {
		r, err := t.compileFound(p, f)
		if err != nil {
			continue // an address always becomes a record
		}
		targets = append(targets, r)
		for _, c := range r.Checks() {
			fresh = append(fresh, c)
			t.byCheck[c] = union(t.byCheck[c], p.users)
		}
	}
	p.waiting = slices.Clone(p.waiting[n:])
	p.targets.Store(&targets)
	if len(p.waiting) > 0 {
		p.pacing = true
		t.checks.After(time.Second, func() { t.admitMore(p) })
	}
	return fresh
}

// admitMore goes on where admit had to stop.
func (t *Table) admitMore(p *Pool) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	p.pacing = false
	fresh := t.admit(p)
	t.settleTargets(p)
	attempted := t.wanted(fresh)
	t.work()
	t.mu.Unlock()
	t.want(fresh, attempted)
	t.begin(fresh)
}

func union(groups, more []*Group) []*Group {
	for _, g := range more {
		if !slices.Contains(groups, g) {
			groups = append(groups[:len(groups):len(groups)], g)
		}
	}
	return groups
}

// compileFound makes a target of what a source has found.
func (t *Table) compileFound(p *Pool, f config.Found) (*Record, error) {
	target := config.Target{
		ID: config.DefaultTargetID(f.Address, f.Port), Addresses: []netip.Addr{f.Address}, Port: f.Port, Site: f.Site, Weight: f.Weight,
		Probe: p.Config.Probe,
	}
	return t.compileTarget(p, target.Record(p.Config), p.probe, p.prober, &member{pool: p, port: f.Port})
}

// Mirror gives the pools the targets that sources have found for those of another table of the same configuration, so that the table can say what
// would be if something else were different. Nobody uses the table yet.
func (t *Table) Mirror(of *Table) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	for i, p := range t.pools {
		targets := slices.Clone(p.Targets())
		of.mu.Lock()
		for _, r := range of.pools[i].Targets() {
			if !r.member.declared {
				m := member{pool: p, port: r.member.port, gone: r.member.gone}
				targets = append(targets, &Record{ID: r.ID, Index: r.Index, Weight: r.Weight, Site: r.Site, Config: r.Config, origins: r.origins, values: r.values, member: &m})
			}
		}
		of.mu.Unlock()
		t.mu.Lock()
		p.targets.Store(&targets)
		t.settleTargets(p)
		t.work()
		t.mu.Unlock()
	}
}

// settleTargets takes over the admin states of the pool's targets and has its balancers judged again.
func (t *Table) settleTargets(p *Pool) {
	t.takeTargets(p)
	t.markUsers(p)
}

// begin starts checks that are new, unless the table has not begun yet.
func (t *Table) begin(fresh []*health.Check) {
	if t.begun && len(fresh) > 0 {
		t.checks.Start()
	}
}

// forget drops the targets of the pool that have been gone for the drain time.
func (t *Table) forget(p *Pool) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	now := t.checks.Now()
	var idle []*health.Check
	targets := slices.DeleteFunc(slices.Clone(p.Targets()), func(r *Record) bool {
		if r.member.gone.IsZero() || r.member.forgetting().After(now) {
			return false
		}
		for _, c := range r.Checks() {
			if t.refs[c]--; t.refs[c] == 0 {
				delete(t.refs, c)
				delete(t.byCheck, c)
				idle = append(idle, c)
			}
		}
		return true
	})
	p.targets.Store(&targets)
	t.markUsers(p)
	t.work()
	t.mu.Unlock()
	for _, c := range idle {
		t.checks.Drop(c)
	}
}

// Begin starts the checks, once the table is compiled and has what was discovered before.
func (t *Table) Begin() {
	t.adminMu.Lock()
	t.begun = true
	t.adminMu.Unlock()
	t.checks.Start()
}
