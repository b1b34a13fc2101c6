package route

import (
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Pool is the targets of one service: those that the Corefile names and those that its sources have found (spec 4.10). It is immutable but
// for its targets.
type Pool struct {
	Name   string
	Config *config.Pool

	stanza *config.Stanza
	probe  *config.Probe // that sources' targets get; nil if they are not tested
	prober *probe.Prober
	users  []*Group // the balancers that answer from it

	targets atomic.Pointer[[]*Record] // replaced, never changed; those of the Corefile first
	lists   [][]config.Found          // guarded by Table.mu: what each source said last
	waiting []config.Found            // guarded by Table.mu: found, and held back by `rate`
	pacing  bool                      // guarded by Table.mu: the next of them are planned
}

// member is what a record is besides as a target of a pool.
type member struct {
	pool     *Pool
	port     uint16    // 0: the probe's
	declared bool      // the Corefile names it; others were found
	gone     time.Time // guarded by Table.mu: when it vanished from its sources; zero while it is there
	drained  time.Time // guarded by Table.adminMu: when one that an operator deregistered has drained; zero for others, and after that
}

// compilePool makes a pool with the targets that the Corefile names.
func (t *Table) compilePool(s *config.Stanza, c *config.Pool, probers map[*config.Probe]*probe.Prober) (*Pool, error) {
	p := &Pool{Name: c.Name, Config: c, stanza: s, probe: s.Probe(c.Probe), lists: make([][]config.Found, len(c.Sources))}
	p.prober = probers[p.probe]
	targets := make([]*Record, 0, len(c.Targets))
	for _, target := range c.Targets {
		of := s.Probe(target.Probe)
		r, err := t.compileTarget(p, target.Record(c), of, probers[of], &member{pool: p, port: target.Port, declared: true})
		if err != nil {
			return nil, err
		}
		targets = append(targets, r)
	}
	p.targets.Store(&targets)
	return p, nil
}

// compileTarget makes a target as a record whose values have their checks.
func (t *Table) compileTarget(p *Pool, c *config.Record, of *config.Probe, prober *probe.Prober, m *member) (*Record, error) {
	who := user{name: "pool " + p.Name + " of " + p.stanza.Zones[0], port: m.port}
	r := &Record{ID: c.ID, Index: -1, Weight: c.Weight, Site: c.Site, Config: c, origins: p.stanza.Zones[:1], member: m}
	err := r.compileValues(who, of, prober, p.stanza.Zones[0], t.checks)
	for _, check := range r.Checks() {
		t.refs[check]++
	}
	return r, err
}

// Targets returns the targets that are known now: also those that are draining, or that an operator took out. The slice must not be changed.
func (p *Pool) Targets() []*Record { return *p.targets.Load() }

// Find returns the target of the id, or the one with the address, if it is the only one; letter case does not count. Nil if there is none.
func (p *Pool) Find(word string) *Record {
	var found *Record
	for _, r := range p.Targets() {
		switch {
		case strings.EqualFold(r.ID, word):
			return r
		case !r.hasAddress(word):
		case found != nil:
			return nil
		default:
			found = r
		}
	}
	return found
}

func (r *Record) hasAddress(word string) bool {
	address, err := netip.ParseAddr(word)
	return err == nil && slices.ContainsFunc(r.values, func(v value) bool { return addressOf(v.rrs[0]) == address })
}

// Port is a target's own port; 0 if it has that of its probe, and for other records.
func (r *Record) Port() uint16 {
	if r.member == nil {
		return 0
	}
	return r.member.port
}

// checks returns the checks of all targets, each once.
func (p *Pool) checks() []*health.Check {
	var out []*health.Check
	seen := map[*health.Check]bool{}
	for _, r := range p.Targets() {
		for _, c := range r.Checks() {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// has reports whether the pool knows a target with an address of the type.
func (p *Pool) has(rrType uint16) bool {
	return slices.ContainsFunc(p.Targets(), func(r *Record) bool { return len(r.of(rrType)) > 0 })
}

// Pools returns the pools that anything answers from, in the order of their declarations.
func (t *Table) Pools() []*Pool { return t.pools }
