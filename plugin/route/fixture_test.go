package route

import (
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// fixture is a compiled stanza for example.org. whose addresses have the health that the test says.
type fixture struct {
	t     *testing.T
	table *Table
}

// compile builds the stanza body. health is a list of "ADDRESS LETTER" with the letters of the spec: H healthy,
// U unhealthy, N new (checking). Addresses that it does not name are not probed, whatever the stanza says.
func compile(t *testing.T, body, healthOf string) *fixture {
	t.Helper()
	return compileUnder(t, nil, body, healthOf)
}

// compileUnder is compile under an admin layer, which the table follows; nil for none.
func compileUnder(t *testing.T, admin *health.Admin, body, healthOf string) *fixture {
	t.Helper()
	stanzas, probers := parsed(t, body)
	checks := fakeChecks{lease: health.NewEngine(health.Options{}).Lease(nil), letters: map[netip.Addr]string{}}
	for _, pair := range strings.Split(healthOf, ",") {
		if words := strings.Fields(pair); len(words) == 2 {
			checks.letters[netip.MustParseAddr(words[0])] = words[1]
		}
	}
	f := &fixture{t: t, table: NewTable(quiet{}, admin)}
	if admin != nil {
		t.Cleanup(admin.Watch(f.table.AdminChanged))
	}
	if err := f.table.Compile(stanzas, probers, checks); err != nil {
		t.Fatalf("Expected the stanza to compile, got: %v", err)
	}
	t.Cleanup(checks.lease.Release)
	return f
}

// parsed reads the stanza body.
func parsed(t *testing.T, body string) ([]*config.Stanza, map[*config.Probe]*probe.Prober) {
	t.Helper()
	text := "healthroute {\nprobe p tcp {\nport 80\n}\n" + body + "\n}"
	stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a good stanza, got: %v", errs)
	}
	probers, err := Probers(stanzas[0])
	if err != nil {
		t.Fatalf("Expected probers, got: %v", err)
	}
	return stanzas, probers
}

type quiet struct{}

func (quiet) LastResort(*Group, uint16, bool) {}
func (quiet) ShowsAll(*Group, uint16, bool)   {}

func (quiet) FilterFull(*Filter) {}

func (quiet) FilterForgot(*Filter, []*health.Check) {}

// fakeChecks gives real checks that never attempt anything and have the health that a letter says.
type fakeChecks struct {
	lease   *health.Lease
	letters map[netip.Addr]string
}

func (f fakeChecks) Want(*health.Check, bool) {}

func (f fakeChecks) Start() {}

func (f fakeChecks) Drop(c *health.Check) { f.lease.Drop(c) }

func (f fakeChecks) Now() time.Time { return f.lease.Now() }

func (f fakeChecks) After(d time.Duration, g func()) func() { return f.lease.After(d, g) }

func (f fakeChecks) Latch(key string) int { return f.lease.Latch(key) }

func (f fakeChecks) SetLatch(key string, rank int) { f.lease.SetLatch(key, rank) }

func (f fakeChecks) Check(s health.Spec) *health.Check {
	assumed := *s.Probe
	switch f.letters[s.Target.Address] {
	case "H":
		assumed.Assume = config.AssumeHealthy
	case "U":
		assumed.Assume = config.AssumeUnhealthy
	case "N":
	default:
		return nil
	}
	s.Probe = &assumed
	s.User += string(assumed.Assume) + s.Target.Address.String()
	s.Target.Headers = []config.Header{{Name: "X-Assume", Value: s.User}} // a check of its own
	return f.lease.Check(s)
}

// set returns the group's choice for the type.
func (f *fixture) set(name string, qtype uint16) *Set {
	f.t.Helper()
	e := f.table.Find(name + ".example.org.").Entry
	if e == nil {
		f.t.Fatalf("Expected an entry for %s, got none", name)
	}
	g := e.Member(qtype)
	if g == nil {
		f.t.Fatalf("Expected a group for %s %s, got none", name, dns.Type(qtype))
	}
	return g.View().Set(qtype)
}

// shares writes the exact distribution as "ID P, ID P" in the order of declaration, with "-" for a record that cannot answer.
func (f *fixture) shares(name string, qtype uint16) string {
	f.t.Helper()
	s := f.set(name, qtype)
	if s == nil {
		return "no data"
	}
	parts := map[*Candidate]*big.Rat{}
	for _, share := range s.Shares(&Query{}) {
		parts[share.Candidate] = share.Part
	}
	out := make([]string, 0, len(s.Candidates))
	for _, c := range s.Candidates {
		part := "0"
		if p, ok := parts[c]; ok {
			part = p.RatString()
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}

// answered returns what the chosen records of one draw hold, sorted.
func answered(s *Set, rnd Rand) []string {
	choice := s.Choose(&Query{Rand: rnd})
	var out []string
	for i := range choice.Len() {
		c := choice.At(i)
		for j := range c.Len(s.Type) {
			out = append(out, data(c.RR(s.Type, j, "example.org.")))
		}
	}
	slices.Sort(out)
	return out
}

// data is the rdata of a record as in a zone file.
func data(rr dns.RR) string {
	fields := strings.SplitN(rr.String(), "\t", 5)
	return fields[len(fields)-1]
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
