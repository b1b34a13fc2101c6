package healthroute

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// market is a stanza with pools and balancers that need no attempt. Its targets that are found are in a file.
func market(t *testing.T, more ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "targets.json")
	if err := os.WriteFile(name, []byte(`[{"targets": ["10.0.2.7:83"]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	return stanza(append([]string{shownAt, "ttl 7s", dead, "probe fine tcp {\nport 1\nassume healthy\n}",
		"pool app {\nprobe fine\ntarget 10.0.1.1 site a\ntarget 10.0.1.2 site a id two\ntarget 10.0.2.1 port 81 site b\ntarget 10.0.2.1 port 82 site b\n" +
			"target 10.0.3.1 site b probe dead weight 0\ndiscover file " + name + " site b\ndrain 1h\n}",
		"pool lone {\nprobe fine\ntarget 10.0.4.1 site z\ntarget 2001:db8::4 site z\n}",
		"pool off {\ndisabled\ntarget 10.0.5.1\n}",
		"balancer shop {\npools app\nsite a address 203.0.113.1\nsite b address 203.0.113.2 probe fine\n}",
		"group www failover {\nalias balancer shop primary\nrecord 192.0.2.9 secondary\n}",
		"group raw weighted {\nalias pool app\n}",
		"group lone multivalue {\nalias pool lone\n}",
		"group off failover {\nalias pool off primary\nrecord 192.0.2.7 secondary\n}",
		"group there simple {\nrecord 192.0.2.8 site a\n}",
	}, more...)...)
}

// targetLines writes pools with their targets and sites as the API shows them.
func targetLines(t *testing.T, c *status.Client, name string) []string {
	t.Helper()
	pools, err := c.Pools(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range pools {
		lines = append(lines, fmt.Sprintf("pool %s %s %v", p.Pool, p.Admin, p.Balancers))
		for _, s := range p.Sites {
			lines = append(lines, fmt.Sprintf("site %s %s %d/%d failover %t open %t shifted %t answers %t", s.Site, s.Family, s.Usable, s.Registered,
				s.DNSFailover, s.FailOpen, s.Shifted, s.Answers))
		}
		for _, target := range p.Targets {
			found := "declared"
			if target.Found != "" {
				found, _, _ = strings.Cut(target.Found, "/")
			}
			lines = append(lines, fmt.Sprintf("target %s %v %s %s %s %s%v", target.Target, target.Values, target.Site, target.Admin, target.Health, found, target.Shares))
		}
	}
	return lines
}

func expectLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("Expected\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// TestAPIPools shows pools, targets, sites and balancers as queries see them.
func TestAPIPools(t *testing.T) {
	start(t, listening("example.org", market(t, "group drawn weighted {\nalias pool lone\n}")))
	c := apiClient(t)
	expectLines(t, targetLines(t, c, "app"), "pool app enabled [shop app]",
		"site a ipv4 2/2 failover false open false shifted false answers true", "site b ipv4 3/4 failover false open false shifted false answers true",
		"target 10.0.1.1 [10.0.1.1] a enabled healthy declaredmap[]", "target two [10.0.1.2] a enabled healthy declaredmap[]",
		"target 10.0.2.1:81 [10.0.2.1] b enabled healthy declaredmap[]", "target 10.0.2.1:82 [10.0.2.1] b enabled healthy declaredmap[]",
		"target 10.0.3.1 [10.0.3.1] b enabled unhealthy declaredmap[]", "target 10.0.2.7:83 [10.0.2.7] b enabled healthy discover file map[]")
	// All targets of `lone` answer, one of a family: an alias that draws gets the same.
	expectLines(t, targetLines(t, c, "l*"), "pool lone enabled [lone]",
		"site z ipv4 1/1 failover false open false shifted false answers true", "site z ipv6 1/1 failover false open false shifted false answers true",
		"target 10.0.4.1 [10.0.4.1] z enabled healthy declaredmap[A:1]", "target 2001:db8::4 [2001:db8::4] z enabled healthy declaredmap[AAAA:1]")
	expectLines(t, targetLines(t, c, "off"), "pool off disabled [off]", "site  ipv4 0/0 failover true open true shifted false answers true",
		"target 10.0.5.1 [10.0.5.1]  disabled unmonitored declaredmap[A:0]")
	pools, _ := c.Pools(t.Context(), "off")
	if got := pools[0].Targets[0].Reason; got != "the Corefile says disabled of all of it" {
		t.Errorf("Expected the reason, got %q", got)
	}
	pools, _ = c.Pools(t.Context(), "app")
	if s := pools[0].Sources; len(s) != 1 || s[0].Known != 1 || s[0].Fortune != "good" || s[0].Good == nil {
		t.Errorf("Expected the source, got %+v", s)
	}
	if dead := pools[0].Targets[4]; dead.Since == nil || dead.Weight != 0 || dead.Checks[0].Check != "dead@10.0.3.1:1" {
		t.Errorf("Expected the check of the target, got %+v", dead)
	}
	say(t, c, status.Order{Objects: []string{"shift shop/a"}, State: "shifted", For: "2h", Reason: "drill"})
	say(t, c, status.Order{Objects: []string{"site b"}, State: "always", Author: "kim"})
	balancers, err := c.Balancers(t.Context(), "shop")
	if err != nil || len(balancers) != 1 {
		t.Fatalf("Expected one balancer, got %v, %v", balancers, err)
	}
	b := balancers[0]
	if b.Shift == nil || b.Shift.Object != "shift shop/a" || b.Shift.Until == nil || b.Shift.Reason != "drill" || !b.Declared || !slices.Equal(b.Pools, []string{"app"}) ||
		len(b.Families) != 1 || !b.Families[0].Healthy {
		t.Errorf("Expected the balancer with its shift, got %+v", b)
	}
	var lines []string
	for _, s := range b.Sites {
		lines = append(lines, fmt.Sprintf("%s %s %v %t %s %t %t %d %v", s.Site, s.Family, s.Addresses, s.Answers, s.Why, s.Shifted, s.Override != nil, len(s.Checks), s.Pools))
	}
	expectLines(t, lines, "a ipv4 [203.0.113.1] false shifted away true false 0 [{app 2 2 false false}]",
		"b ipv4 [203.0.113.2] true enough works false true 1 [{app 4 4 false false}]")
	_, err = c.Pools(t.Context(), "ap")
	expectRefused(t, err, http.StatusNotFound, `did you mean "pool app"?`)
	_, err = c.Balancers(t.Context(), "shot")
	expectRefused(t, err, http.StatusNotFound, `did you mean "shop"?`)
	state, err := c.State(t.Context())
	if err != nil || state.Pools != 3 || state.Targets != 9 || state.Overrides != 2 {
		t.Errorf("Expected 3 pools with 9 targets, got %+v, %v", state, err)
	}
	x, err := c.Explain(t.Context(), status.Question{Name: "www", Type: dns.TypeA})
	if err != nil || len(x.Groups) != 2 || len(x.Groups[1].Sites) != 2 || !x.Groups[1].Sites[0].Shifted || x.Groups[1].Sites[1].Pools[0].Registered != 4 {
		t.Errorf("Expected the sites to be explained, got %+v, %v", x, err)
	}
}

// kind is an object of the market, and what an order can say of it.
type kind struct {
	object  string // as it is told
	word    string // as it is named
	says    string // the states that can be said, beside enabled
	target  string // a target that it is about, POOL/ID; "" for none
	matches int
}

var marketKinds = []kind{
	{"www.example.org.", "www", "disabled draining always", "", 2},
	{"www.example.org./192.0.2.9", "www/192.0.2.9", "disabled draining always", "", 1},
	{"www.example.org./shop", "www/shop", "disabled draining", "", 1}, // an alias
	{"pool app", "pool app", "disabled draining always", "app/two", 6},
	{"pool off", "pool OFF", "disabled draining always", "off/10.0.5.1", 1},
	{"pool app/two", "pool app/two", "disabled draining always deregistered", "app/two", 1},
	{"pool app/two", "pool app/10.0.1.2", "disabled draining always deregistered", "app/two", 1},
	{"pool app/10.0.2.1:82", "pool app/10.0.2.1:82", "disabled draining always deregistered", "app/10.0.2.1:82", 1},
	{"pool app/10.0.2.7:83", "pool app/10.0.2.7", "disabled draining always deregistered", "app/10.0.2.7:83", 1}, // found
	{"pool lone/2001:db8::4", "pool lone/2001:DB8:0::4", "disabled draining always deregistered", "lone/2001:db8::4", 1},
	{"site a", "site A", "disabled draining always", "app/two", 4},
	{"site z", "site z", "disabled draining always", "lone/10.0.4.1", 2}, // targets only
	{"shift shop/b", "shift shop/b", "shifted", "", 1},
	{"shift app/b", "shift app/b", "shifted", "", 1}, // a pool that is aliased by itself
}

// TestAPIAdminOfAll says each state of each kind of object, sees it in force everywhere, and takes it back.
func TestAPIAdminOfAll(t *testing.T) {
	start(t, listening("example.org", market(t)))
	c := apiClient(t)
	for _, k := range marketKinds {
		for _, state := range []string{"disabled", "draining", "always", "deregistered", "shifted"} {
			t.Run(k.word+" "+state, func(t *testing.T) {
				o := status.Order{Objects: []string{k.word}, State: state, Force: true, Reason: "test", For: "1h"}
				if !slices.Contains(strings.Fields(k.says), state) {
					_, err := c.Say(t.Context(), o)
					expectRefused(t, err, http.StatusUnprocessableEntity, "cannot be "+state)
					return
				}
				before := targetLines(t, c, "")
				said := say(t, c, o)
				want := status.Change{Object: k.object, State: state}
				if state == "deregistered" {
					want.State, want.Note = "draining", "deregistered; it drains until "
				}
				if got := said.Changed; len(got) != 1 || got[0].Object != want.Object || got[0].State != want.State || got[0].Before != "" || got[0].Until == nil ||
					!strings.HasPrefix(got[0].Note, want.Note) || want.Note == "" && got[0].Note != "" {
					t.Errorf("Expected %+v, got %+v", want, got)
				}
				expectOverride(t, c, k, state)
				if k.target != "" {
					expectTarget(t, c, k.target, want.State)
				}
				said = say(t, c, status.Order{Objects: []string{k.word}, State: "enabled", Force: true})
				if got := said.Changed; len(got) != 1 || got[0].Before != state || got[0].State != "enabled" && k.object != "pool off" {
					t.Errorf("Expected it to be taken back, got %+v", got)
				}
				expectLines(t, targetLines(t, c, ""), before...)
			})
		}
	}
}

// expectOverride sees the one override that is in force.
func expectOverride(t *testing.T, c *status.Client, k kind, state string) {
	t.Helper()
	all, err := c.Overrides(t.Context())
	if err != nil || len(all) != 1 || all[0].Object != k.object || all[0].State != state || all[0].Reason != "test" || len(all[0].Matches) != k.matches {
		t.Errorf("Expected %s of %s about %d, got %+v, %v", state, k.object, k.matches, all, err)
	}
}

// expectTarget sees the state of a target, why it is so, and that it is out of answers or in.
func expectTarget(t *testing.T, c *status.Client, object, state string) {
	t.Helper()
	pool, id, _ := strings.Cut(object, "/")
	pools, err := c.Pools(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range pools[0].Targets {
		if target.Target != id {
			continue
		}
		if target.Admin != state || target.Reason == "" {
			t.Errorf("Expected %s to be %s, got %+v", object, state, target)
		}
		for qtype, part := range target.Shares {
			if out := part == "0"; out != (state != "always") {
				t.Errorf("Expected %s with %s in %s to fit %s", object, part, qtype, state)
			}
		}
		return
	}
	t.Errorf("Expected a target %s, got none", object)
}

// TestAPIPoolsAtOnce reads everything while targets come and go and operators say this and that: what is read is one consistent list.
func TestAPIPoolsAtOnce(t *testing.T) {
	start(t, listening("example.org", market(t)))
	c := apiClient(t)
	table := running.newest().blocks[0].table
	pool := table.Pools()[slices.IndexFunc(table.Pools(), func(p *route.Pool) bool { return p.Name == "app" })]
	found := func(last ...byte) (out []config.Found) {
		for _, n := range last {
			out = append(out, config.Found{Address: netip.AddrFrom4([4]byte{10, 0, 2, n}), Site: "b", Weight: 1})
		}
		return out
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		for i := range 30 {
			if err := table.Discovered(pool, 0, found(20, 21, byte(22+i%3))); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for i := range 30 {
			state := []string{"disabled", "enabled", "deregistered", "enabled"}[i%4]
			if _, err := c.Say(t.Context(), status.Order{Objects: []string{"pool app/*"}, State: state, Force: true}); err != nil {
				t.Error(err)
			}
		}
	})
	for range 30 {
		pools, err := c.Pools(t.Context(), "app")
		if err != nil || len(pools[0].Targets) < 5 {
			t.Errorf("Expected the pool with its targets, got %+v, %v", pools, err)
		}
		if _, err := c.Balancers(t.Context(), ""); err != nil {
			t.Error(err)
		}
		if _, err := c.Overrides(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
