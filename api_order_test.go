package healthroute

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// TestAPIForceOfPools: what leaves a pool or a balancer with nothing usable says what would answer, and needs force.
func TestAPIForceOfPools(t *testing.T) {
	s := start(t, listening("example.org", stanza(shownAt, dead, "probe fine tcp {\nport 1\nassume healthy\n}",
		"pool app {\nprobe fine\ntarget 10.0.1.1 site a\ntarget 10.0.1.2 site a\ntarget 10.0.2.1 site b probe dead\ntarget 10.0.2.2 site b probe dead\n}",
		"pool api {\nprobe fine\ntarget 10.1.1.1 site a\n}",
		"pool one {\nprobe fine\ntarget 10.2.1.1\n}",
		"balancer shop {\npools app,api\nsite a address 203.0.113.1\nsite b address 203.0.113.2\n}",
		"group app multivalue {\nalias pool app\n}", "group shop simple {\nalias balancer shop\n}",
		"group one failover {\nalias pool one primary\nrecord 192.0.2.1 secondary\n}",
		"group asis simple {\nalias pool app {\nevaluate off\n}\n}")))
	c := apiClient(t)
	app := "app.example.org. A: last_resort all, would answer app -> 10.0.2.1, app -> 10.0.2.2"
	pool := "pool app A: nothing in it is usable, would answer 10.0.2.1, 10.0.2.2"
	bad := "balancer shop A: nothing in it is usable, would answer site b (203.0.113.2)"
	both := "balancer shop A: nothing in it is usable, would answer site a (203.0.113.1), site b (203.0.113.2)"
	shop := func(sites ...string) string {
		for i, site := range sites {
			sites[i] = "shop -> site " + site
		}
		return "shop.example.org. A: last_resort all, would answer " + strings.Join(sites, ", ")
	}
	a, b := "a (203.0.113.1)", "b (203.0.113.2)"
	for _, order := range []struct {
		what    string
		objects []string
		state   string
		emptied []string
	}{
		{"the last usable targets of a pool", []string{"pool app/10.0.1.*"}, "disabled", []string{app, both, pool, shop(a, b)}},
		{"the same, deregistered", []string{"pool app/10.0.1.*"}, "deregistered", []string{app, both, pool, shop(a, b)}},
		{"one of two", []string{"pool app/10.0.1.1"}, "draining", nil},
		{"a whole pool", []string{"pool app"}, "draining", []string{"app.example.org. A: last_resort all, nothing is left to answer",
			"asis.example.org. A: last_resort all, nothing is left to answer", both, "pool app A: nothing in it is usable, nothing is left to answer", shop(a, b)}},
		{"one of a balancer's pools", []string{"pool api"}, "disabled", []string{both, shop(a, b)}},
		{"the good site", []string{"site a"}, "disabled", []string{app, bad, pool, shop(b)}},
		{"the bad site", []string{"site b"}, "disabled", nil},
		{"a shift from the good site", []string{"shift shop/a"}, "shifted", []string{bad, shop(b)}},
		{"a shift of a pool from it", []string{"shift app/a"}, "shifted", []string{app, pool}},
		{"a shift from the bad site", []string{"shift shop/b"}, "shifted", nil},
		{"a pool whose alias has a secondary", []string{"pool one"}, "disabled", []string{"pool one A: nothing in it is usable, nothing is left to answer"}},
	} {
		t.Run(order.what, func(t *testing.T) {
			o := status.Order{Objects: order.objects, State: order.state, For: "1h"}
			_, err := c.Say(t.Context(), o)
			var got []string
			if order.emptied != nil {
				expectRefused(t, err, http.StatusConflict, "nothing usable would be left: expected force")
				var p *status.Problem
				errors.As(err, &p)
				for _, r := range p.Emptied {
					got = append(got, r.String())
				}
			} else if err != nil {
				t.Fatalf("Expected the order to be taken, got: %v", err)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(order.emptied))
			if !slices.Equal(got, want) {
				t.Errorf("Expected\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			if order.emptied != nil && len(admin.Objects()) > 0 {
				t.Errorf("Expected nothing to be said, got %v", admin.Objects())
			}
			o.Force = true
			if say(t, c, o); order.what == "the last usable targets of a pool" {
				expectData(t, s.ask("app.example.org.", dns.TypeA), "10.0.2.1", "10.0.2.2")
				expectData(t, s.ask("shop.example.org.", dns.TypeA), "203.0.113.1", "203.0.113.2")
			}
			forgetOverrides()
		})
	}
}

// TestAPIShift: one site of a balancer at a time, longer or shorter, and never in vain without a word.
func TestAPIShift(t *testing.T) {
	s := start(t, listening("example.org", market(t)))
	c := apiClient(t)
	shift := func(object, lasts string) (status.Said, error) {
		return c.Say(t.Context(), status.Order{Objects: []string{object}, State: "shifted", For: lasts})
	}
	expectData(t, s.ask("www.example.org.", dns.TypeA), "203.0.113.1", "203.0.113.2")
	said, err := shift("shift shop/a", "1h")
	if err != nil || said.Changed[0].Before != "" || said.Changed[0].State != "shifted" || said.Changed[0].Note != "" {
		t.Errorf("Expected the site to be shifted, got %+v, %v", said, err)
	}
	expectData(t, s.ask("www.example.org.", dns.TypeA), "203.0.113.2")
	said, err = shift("shift SHOP/A", "2h")
	if err != nil || said.Changed[0].Before != "shifted" || len(admin.Objects()) != 1 {
		t.Errorf("Expected the shift to be longer, got %+v, %v", said, err)
	}
	_, err = shift("shift shop/b", "1h")
	expectRefused(t, err, http.StatusConflict, "site a of shop is shifted already, until ")
	expectRefused(t, err, http.StatusConflict, "expected one site at a time; `enabled` of shift shop/a ends that shift")
	if _, err = shift("shift app/b", "1h"); err != nil {
		t.Errorf("Expected another balancer's site to be shifted, got: %v", err)
	}
	say(t, c, status.Order{Objects: []string{"shift *"}, State: "enabled"})
	expectData(t, s.ask("www.example.org.", dns.TypeA), "203.0.113.1", "203.0.113.2")
	_, err = shift("shift shop/*", "1h") // both
	expectRefused(t, err, http.StatusConflict, "one site at a time")
	_, err = c.Say(t.Context(), status.Order{Objects: []string{"shift lone/z", "shift shop/a", "shift shop/b"}, State: "shifted", For: "1h"})
	expectRefused(t, err, http.StatusConflict, "one site at a time")
	if left := admin.Objects(); len(left) > 0 {
		t.Errorf("Expected nothing to be said, got %v", left)
	}
	said, err = shift("shift lone/z", "1h")
	if err != nil || said.Changed[0].Note != "lone has no other site, so it still answers" {
		t.Errorf("Expected to be told that this changes nothing, got %+v, %v", said, err)
	}
	expectData(t, s.ask("lone.example.org.", dns.TypeA), "10.0.4.1")
	_, err = shift("shift shop/c", "1h")
	expectRefused(t, err, http.StatusNotFound, `did you mean "shift shop/a"?`)
	_, err = shift("shift shop/a", "")
	expectRefused(t, err, http.StatusUnprocessableEntity, `expected "for" from 1m to 72h`)
}

// TestAPIPrecedence: for a target, what stands over it says so.
func TestAPIPrecedence(t *testing.T) {
	start(t, listening("example.org", market(t, "pool own {\ntarget 10.0.6.1 site y disabled\ntarget 10.0.6.2 site y\n}\ngroup own multivalue {\nalias pool own\n}")))
	c := apiClient(t)
	for _, test := range []struct {
		said  []string // OBJECT STATE
		note  string   // of the last, which is of a target
		state string
	}{
		{[]string{"pool own draining", "pool own/10.0.6.2 always"}, "pool own is draining", "draining"},
		{[]string{"site y disabled", "pool own/10.0.6.2 always"}, "site y is disabled", "disabled"},
		{[]string{"pool own draining", "site y disabled", "pool own/10.0.6.2 enabled"}, "pool own is draining", "draining"},
		{[]string{"pool own/10.0.6.1 enabled"}, "the Corefile says disabled", "disabled"},
		{[]string{"pool own always", "pool own/10.0.6.1 enabled"}, "the Corefile says disabled", "disabled"},
		{[]string{"pool own always", "pool own/10.0.6.2 enabled"}, "pool own is always", "always"},
		{[]string{"site y always", "pool own/10.0.6.2 draining"}, "", "draining"},
		{[]string{"pool own/10.0.6.1 always"}, "", "always"},
		{[]string{"pool own/10.0.6.2 always", "pool own/10.0.6.2 disabled", "pool own/10.0.6.2 enabled"}, "what was said before has come back: it stood under what has ended", "always"},
		{[]string{"pool off always", "pool off/10.0.5.1 enabled"}, "pool off is always", "always"},
		{[]string{"pool off/10.0.5.1 always"}, "the Corefile says disabled of all of it", "disabled"},
	} {
		t.Run(strings.Join(test.said, ", "), func(t *testing.T) {
			defer forgetOverrides()
			var last status.Change
			for _, words := range test.said {
				i := strings.LastIndexByte(words, ' ')
				last = say(t, c, status.Order{Objects: []string{words[:i]}, State: words[i+1:], Force: true}).Changed[0]
			}
			if last.Note != test.note || last.State != test.state {
				t.Errorf("Expected %s: %s, got %+v", test.state, test.note, last)
			}
		})
	}
}

// TestAPISaysWhatHolds says states of objects at random. What is answered as in force is what the table says afterwards; an order that is refused
// changes nothing; and nobody loses the last that is usable unasked.
func TestAPISaysWhatHolds(t *testing.T) {
	start(t, listening("example.org", market(t)))
	b := apiBackend{}
	words := []string{"pool app/*", "www/*", "*", "pool *", "site *", "shift *", "shift shop/*", "pool app/10.0.2.1", "pool gone"}
	for _, k := range marketKinds {
		words = append(words, k.word)
	}
	defer forgetOverrides()
	rapid.Check(t, func(t *rapid.T) {
		forgetOverrides()
		for range rapid.IntRange(1, 6).Draw(t, "orders") {
			o := status.Order{
				Objects: rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "objects"),
				State:   rapid.SampledFrom([]string{"enabled", "enabled", "disabled", "draining", "always", "deregistered", "shifted", "shifted"}).Draw(t, "state"),
				For:     rapid.SampledFrom([]string{"", "1h"}).Draw(t, "for"), Force: rapid.Bool().Draw(t, "force"),
			}
			before, usable := fmt.Sprint(admin.Standing()), usableNow()
			said, err := b.Say(context.Background(), o, status.By{Author: "kim"})
			if err != nil {
				if after := fmt.Sprint(admin.Standing()); after != before {
					t.Fatalf("Expected %+v, which is refused (%v), to change nothing; before\n%s\nafter\n%s", o, err, before, after)
				}
				continue
			}
			for name, was := range usable {
				if now := usableNow()[name]; was && !now && !o.Force {
					t.Fatalf("Expected %+v to be refused, which empties %s", o, name)
				}
				told := slices.ContainsFunc(said.Emptied, func(r status.Remainder) bool { return r.Group+" "+r.Type == name })
				if now := usableNow()[name]; was && !now && !told {
					t.Fatalf("Expected to be told that %+v empties %s, got %v", o, name, said.Emptied)
				}
			}
			for _, change := range said.Changed {
				if now := holds(change.Object); now != change.State {
					t.Fatalf("Expected %s to be %s as %+v was answered, got %s", change.Object, change.State, o, now)
				}
				if (change.Note == "") != (change.State == o.State) && o.State != "shifted" {
					t.Fatalf("Expected a reason if and only if something else holds, got %+v for %s", change, o.State)
				}
			}
		}
	})
}

// choosers are all groups of the newest instance, those of pools and balancers too.
func choosers() []*route.Group {
	var out []*route.Group
	for _, block := range (apiBackend{}).blocks() {
		out = append(out, block.table.Choosers()...)
	}
	return out
}

// usableNow tells for each group and type whether anything is usable.
func usableNow() map[string]bool {
	out := map[string]bool{}
	for _, g := range choosers() {
		for _, s := range g.View().Sets() {
			out[g.Name+" "+dns.Type(s.Type).String()] = s.Usable()
		}
	}
	return out
}

// holds is what the table says of an object, as it is told: a group, a pool and a site by the override alone.
func holds(name string) string {
	for _, block := range (apiBackend{}).blocks() {
		for _, g := range block.table.Groups() {
			for _, r := range g.Records {
				if health.GroupObject(g.Name, r.ID).String() == name {
					return string(r.Admin())
				}
			}
		}
		for _, p := range block.table.Pools() {
			for _, r := range p.Targets() {
				if health.PoolObject(p.Name, r.ID).String() == name {
					return string(r.Admin())
				}
			}
		}
		for _, g := range block.table.Balancers() {
			for _, s := range g.View().Sets() {
				for _, site := range s.Balance.Sites {
					if health.ShiftObject(g.Balancer().Name, site.Site).String() == name && site.Shifted {
						return "shifted"
					}
				}
			}
		}
	}
	for _, s := range admin.Standing() {
		if s.Object.String() == name {
			return string(s.Override.State)
		}
	}
	if name == "pool off" {
		return "disabled"
	}
	return "enabled"
}
