package route

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// foundPool has two sources, and two sites that its balancer has enabled.
const foundPool = "pool app {\nprobe p\ntarget 10.0.0.1 site a\ntarget 10.0.0.2 site c\ndiscover file one.json\ndiscover file two.json site b\ndrain 2m\n}\n" +
	"balancer shop {\npools app\nsite a\nsite b\n}\ngroup www simple {\nalias balancer shop\n}"

// members writes what is known of the targets: ID, state, the source that tells of it, and whether it is known until when it drains.
func members(t *Table) []string {
	var out []string
	for _, m := range t.Members(t.Pools()[0]) {
		out = append(out, fmt.Sprintf("%s %s %d %t", m.ID, m.Admin(), m.Source, !m.Until.IsZero()))
	}
	return out
}

func expectMembers(t *testing.T, table *Table, want ...string) {
	t.Helper()
	if got := members(table); !slices.Equal(got, want) {
		t.Errorf("Expected\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestMembers(t *testing.T) {
	admin := health.NewAdmin(health.RealClock{})
	table := compileUnder(t, admin, foundPool, "").table
	p := table.Pools()[0]
	find := func(source int, list string) {
		t.Helper()
		if err := table.Discovered(p, source, foundIn(list)); err != nil {
			t.Fatal(err)
		}
	}
	find(1, "10.0.0.3 10.0.0.4")
	find(0, "10.0.0.3/a 10.0.0.5/a 10.0.0.1")
	expectMembers(t, table, "10.0.0.1 enabled -1 false", "10.0.0.2 unused -1 false", "10.0.0.3 enabled 0 false", "10.0.0.4 enabled 1 false", "10.0.0.5 enabled 0 false")
	find(0, "10.0.0.5/a")
	find(1, "10.0.0.3")
	before := table.checks.Now()
	admin.SetAll([]health.Object{health.PoolObject("app", "10.0.0.1"), health.PoolObject("app", "10.0.0.5")}, health.Override{State: health.Deregistered})
	admin.Set(health.PoolObject("app", "10.0.0.3"), health.Override{State: health.Draining})
	expectMembers(t, table, "10.0.0.1 draining -1 true", "10.0.0.2 unused -1 false", "10.0.0.3 draining 1 false", "10.0.0.4 draining -1 true", "10.0.0.5 draining 0 true")
	for _, m := range table.Members(p) {
		if m.ID == "10.0.0.1" && m.Until.Sub(before).Round(time.Minute) != 2*time.Minute {
			t.Errorf("Expected the draining to take 2m, got until %s", m.Until)
		}
	}
	for id, want := range map[string]string{
		"10.0.0.1": "deregistered; it drains until ", "10.0.0.2": "none of the pool's balancers has site c", "10.0.0.3": "pool app/10.0.0.3 is draining",
		"10.0.0.4": "no source names it any more: it is forgotten at ", "10.0.0.5": "deregistered; it drains until ",
	} {
		if why := table.WhyTarget(p.Find(id)); !strings.HasPrefix(why, want) {
			t.Errorf("Expected %q of %s, got %q", want, id, why)
		}
	}
}

// TestMirror: a table that mirrors another has its targets in their states, also those that are gone; what is said over it changes the other one
// nothing.
func TestMirror(t *testing.T) {
	admin := health.NewAdmin(health.RealClock{})
	const healthOf = "10.0.0.1 H,10.0.0.3 H,10.0.0.4 U,10.0.0.5 H"
	f := compileUnder(t, admin, foundPool, healthOf)
	p := f.table.Pools()[0]
	for _, list := range []string{"10.0.0.3 10.0.0.4 10.0.0.5", "10.0.0.3 10.0.0.4"} {
		if err := f.table.Discovered(p, 1, foundIn(list)); err != nil {
			t.Fatal(err)
		}
	}
	admin.Set(health.PoolObject("app", "10.0.0.1"), health.Override{State: health.Deregistered})
	said := admin.WhatIf()
	mirror := compileUnder(t, said, foundPool, healthOf)
	expectMembers(t, mirror.table, "10.0.0.1 draining -1 true", "10.0.0.2 unused -1 false")
	mirror.table.Mirror(f.table)
	states := func(table *Table) []string {
		var out []string
		for _, r := range table.Pools()[0].Targets() {
			out = append(out, fmt.Sprintf("%s %s %s %s", r.ID, r.Site, r.Admin(), p.Health(r)))
		}
		return out
	}
	answers := func(f *fixture) string {
		s := f.table.Balancers()[0].View().Set(dns.TypeA)
		usable, eligible := s.Counts()
		return fmt.Sprint(answered(s, seeded()), usable, eligible)
	}
	if want, got := states(f.table), states(mirror.table); !slices.Equal(want, got) || len(got) != 5 {
		t.Errorf("Expected %q, got %q", want, got)
	}
	if want, got := answers(f), answers(mirror); want != got || want != "[10.0.0.3] 1 2" {
		t.Errorf("Expected %s, got %s", want, got)
	}
	was := states(f.table)
	said.Set(health.PoolObject("app", "10.0.0.3"), health.Override{State: health.Disabled})
	if got := answers(mirror); got != "[10.0.0.4] 0 1" {
		t.Errorf("Expected the mirror to fail open, got %s", got)
	}
	if got := states(f.table); !slices.Equal(got, was) || answers(f) != "[10.0.0.3] 1 2" {
		t.Errorf("Expected the other table to stay, got %q, %s", got, answers(f))
	}
}

// counted counts how often a table judges: each rebuild asks for the time.
type counted struct {
	fakeChecks
	asked *atomic.Int64
}

func (c counted) Now() time.Time {
	c.asked.Add(1)
	return c.fakeChecks.Now()
}

func (c counted) Want(check *health.Check, wanted bool) { c.lease.Want(check, wanted) }

// TestAdminOfMany: what is said of all targets of a pool at once costs little more rebuilds than what is said of one.
func TestAdminOfMany(t *testing.T) {
	const targets = 300
	admin := health.NewAdmin(health.RealClock{})
	lease := health.NewEngine(health.Options{}).Lease(nil)
	defer lease.Release()
	checks := counted{fakeChecks{lease: lease, letters: map[netip.Addr]string{}}, &atomic.Int64{}}
	table := NewTable(quiet{}, admin)
	defer admin.Watch(table.AdminChanged)()
	stanzas, probers := parsed(t, poolOf(targets, "weighted"))
	for _, target := range stanzas[0].Pools[0].Targets {
		checks.letters[target.Addresses[0]] = "H"
	}
	if err := table.Compile(stanzas, probers, checks); err != nil {
		t.Fatal(err)
	}
	var objects []health.Object
	for _, r := range table.Pools()[0].Targets() {
		objects = append(objects, health.PoolObject("app", r.ID))
	}
	for _, state := range []health.AdminState{health.Disabled, health.Draining, health.Deregistered, health.Enabled, health.Always, health.Enabled} {
		before := checks.asked.Load()
		admin.SetAll(objects, health.Override{State: state})
		if n := checks.asked.Load() - before; n > 20 {
			t.Errorf("Expected a few rebuilds when %d targets are %s, got %d", targets, state, n)
		}
		for _, r := range table.Pools()[0].Targets() {
			if want := map[health.AdminState]health.AdminState{health.Deregistered: health.Draining}[state]; r.Admin() != state && r.Admin() != want {
				t.Fatalf("Expected %s to be %s, got %s", r.ID, state, r.Admin())
			}
		}
	}
	before := checks.asked.Load()
	table.together(func() {
		for _, r := range table.Pools()[0].Targets() {
			table.Changed(r.Checks()[0])
		}
		if n := checks.asked.Load(); n != before {
			t.Errorf("Expected no rebuild before the end, got %d", n-before)
		}
	})
	if n := checks.asked.Load() - before; n == 0 || n > 4 {
		t.Errorf("Expected a rebuild of each view, got %d", n)
	}
}
