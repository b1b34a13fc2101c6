package healthroute

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/status"
)

// shownAt is a free port of 127.0.0.1.
const shownAt = "status 127.0.0.1:0"

// apiURL is where the API is now.
func apiURL(t *testing.T) string {
	t.Helper()
	api.mu.Lock()
	defer api.mu.Unlock()
	if api.server == nil || api.server.Address() == nil {
		t.Fatal("Expected an API, got none")
	}
	return "http://" + api.server.Address().String()
}

// apiClient asks the API that runs. What operators have said is forgotten when the test ends.
func apiClient(t *testing.T) *status.Client {
	t.Helper()
	c, err := status.NewClient(status.Place{URL: apiURL(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		forgetOverrides()
	})
	return c
}

func forgetOverrides() {
	for _, o := range admin.Objects() {
		admin.Clear(o)
	}
	engine.Latches().ClearAll()
}

// say says a state and fails if it is refused.
func say(t *testing.T, c *status.Client, o status.Order) status.Said {
	t.Helper()
	said, err := c.Say(t.Context(), o)
	if err != nil {
		t.Fatalf("Expected %+v to be taken, got: %v", o, err)
	}
	return said
}

// expectRefused wants a problem with the code and words.
func expectRefused(t *testing.T, err error, code int, words string) {
	t.Helper()
	var p *status.Problem
	if !errors.As(err, &p) || p.Status != code || !strings.Contains(p.Error(), words) {
		t.Errorf("Expected %d with %q, got: %v", code, words, err)
	}
}

// shop is a stanza with something of everything that needs no attempt.
func shop(more ...string) string {
	return stanza(append([]string{shownAt, "ttl 7s", dead,
		"probe fine tcp {\nport 1\nassume healthy\n}", "probe release push {\nmax_age 1h\n}",
		"probe secret http {\nheader Authorization hunter2\nheader X-Plain visible\nassume healthy\n}",
		"group www failover {\nprobe fine\nrecord 192.0.2.1 primary site fra\nrecord 192.0.2.2 secondary site ams\n}",
		"group pair multivalue {\nrecord 192.0.2.11 probe dead site fra\nrecord 192.0.2.12,2001:db8::12 probe fine site ams\n}",
		"group told simple {\nrecord 192.0.2.21 probe release\n}",
		"group outer failover {\nalias www primary\nrecord 192.0.2.31 secondary probe secret\n}",
		"group turn roundrobin {\nrecord 192.0.2.41\nrecord 192.0.2.42\n}",
		"group near subnet {\nrecord 192.0.2.51 from 198.51.100.0/24\nrecord 192.0.2.52 default\n}",
		"group back failover {\nfailback manual\nrecord 192.0.2.61 primary probe release\nrecord 192.0.2.62 secondary\n}",
	}, more...)...)
}

// TestAPIGroups shows groups and records as queries see them.
func TestAPIGroups(t *testing.T) {
	start(t, listening("example.org", shop()))
	c := apiClient(t)
	groups, err := c.Groups(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range groups {
		for _, r := range g.Records {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %s %s %s %v", g.Group, g.State, r.Record, r.Admin, r.Health, r.Site, r.Alias, r.Shares))
		}
	}
	want := []string{
		"back.example.org. online 192.0.2.61 enabled healthy   map[A:1]",
		"back.example.org. online 192.0.2.62 enabled unmonitored   map[A:0]",
		"near.example.org. online 192.0.2.51 enabled unmonitored   map[]",
		"near.example.org. online 192.0.2.52 enabled unmonitored   map[]",
		"outer.example.org. online www enabled healthy  www.example.org. map[A:1]",
		"outer.example.org. online 192.0.2.31 enabled healthy   map[A:0]",
		"pair.example.org. degraded 192.0.2.11 enabled unhealthy fra  map[A:0]",
		"pair.example.org. degraded 192.0.2.12 enabled healthy ams  map[A:1 AAAA:1]",
		"told.example.org. online 192.0.2.21 enabled healthy   map[A:1]",
		"turn.example.org. online 192.0.2.41 enabled unmonitored   map[A:1/2]",
		"turn.example.org. online 192.0.2.42 enabled unmonitored   map[A:1/2]",
		"www.example.org. online 192.0.2.1 enabled healthy fra  map[A:1]",
		"www.example.org. online 192.0.2.2 enabled healthy ams  map[A:0]",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("Expected\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(lines, "\n"))
	}
	for _, name := range []string{"www", "www.example.org", "www.example.org.", "WWW", "w?w"} {
		if found, err := c.Groups(t.Context(), name); err != nil || len(found) != 1 || found[0].Group != "www.example.org." {
			t.Errorf("Expected %s to be www.example.org., got %v, %v", name, found, err)
		}
	}
	_, err = c.Groups(t.Context(), "wwww")
	expectRefused(t, err, http.StatusNotFound, `did you mean "www"?`)
}

// apiGet reads a path of the API.
func apiGet(t *testing.T, path string) string {
	t.Helper()
	r, err := http.Get(apiURL(t) + "/api/v1/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("Expected %s, got %s %s, %v", path, r.Status, text, err)
	}
	return string(text)
}

// TestAPIReads: everything that can be read is there, with no null, whatever runs.
func TestAPIReads(t *testing.T) {
	for name, corefile := range map[string]string{"full": shop(), "empty": stanza(shownAt)} {
		start := start(t, listening("example.org", corefile))
		for path, want := range map[string]string{
			"groups": `"groups":[`, "records?site=fra": `"records":[`, "records?health=unhealthy": `"records":[`, "pools": `"pools":[]`,
			"checks": `"checks":[`, "state": `"ready":true`, "admin": `"overrides":[]`, "configuration": `"zones":["example.org."]`,
			"explain?name=gone.example.org&type=A": `"found":"in our zone, but not a name of ours"`, "openapi.json": `"openapi"`,
		} {
			if text := apiGet(t, path); !strings.Contains(text, want) || strings.Contains(text, "null") {
				t.Errorf("Expected %s with %s and no null, got %s", path, want, text)
			}
		}
		if name == "full" {
			if text := apiGet(t, "records?site=FRA&health=unhealthy"); strings.Count(text, `"record":`) != 1 || !strings.Contains(text, `"record":"192.0.2.11"`) {
				t.Errorf("Expected one record, got %s", text)
			}
			text := apiGet(t, "configuration")
			if strings.Contains(text, "hunter2") || !strings.Contains(text, "header Authorization (hidden)") || !strings.Contains(text, "X-Plain visible") {
				t.Errorf("Expected the configuration without secrets, got %s", text)
			}
		}
		start.stop()
	}
}

// TestAPIChecks shows checks with their attempts, and makes them attempt.
func TestAPIChecks(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", b.Port)
	down.status.Store(500)
	start(t, listening("example.org", stanza(shownAt, "probe web http {\nport "+b.Port+"\ninterval 1h\n}",
		groupOf("multivalue", "www", "probe web", b.Address, down.Address), groupOf("simple", "dead", "probe dead", "192.0.2.1"), dead)))
	c := apiClient(t)
	name := "web@127.0.0.2:" + down.Port
	checks, err := c.Checks(t.Context(), name)
	if err != nil || len(checks) != 1 {
		t.Fatalf("Expected one check, got %v, %v", checks, err)
	}
	check := checks[0]
	if check.Health != "unhealthy" || check.Usable || check.Fails != 1 || check.Next == nil || check.Host != "www.example.org" || len(check.Last) != 1 ||
		check.Last[0].Outcome != "fail" || check.Last[0].Reason != "status 500, expected 200-399" || check.Last[0].Steps["connect"] <= 0 {
		t.Errorf("Expected an unhealthy check with its attempt, got %+v", check)
	}
	for _, word := range []string{check.ID, name, "web@*.2:*"} {
		before := down.count()
		reached, err := c.Attempt(t.Context(), status.AttemptOrder{Checks: []string{word}})
		if err != nil || len(reached.Checks) != 1 || reached.Checks[0].ID != check.ID {
			t.Fatalf("Expected %s to be attempted, got %v, %v", word, reached, err)
		}
		eventually(t, "an attempt", func() bool {
			again, err := c.Checks(t.Context(), name)
			return err == nil && len(again[0].Last) > len(check.Last) && down.count() == before+1
		})
		again, _ := c.Checks(t.Context(), name)
		check = again[0]
	}
	_, err = c.Attempt(t.Context(), status.AttemptOrder{Checks: []string{"wep@127.0.0.2:" + down.Port}})
	expectRefused(t, err, http.StatusNotFound, `did you mean "web@127.0.0.2:`)
	_, err = c.Attempt(t.Context(), status.AttemptOrder{Checks: []string{"dead@192.0.2.1:1"}})
	expectRefused(t, err, http.StatusUnprocessableEntity, "none of these checks makes attempts now")
}

// TestAPIExplain gives the answer that a query gets, for the client that is named, and takes nobody's turn.
func TestAPIExplain(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	explain := func(name string, qtype uint16, client string) status.Explanation {
		t.Helper()
		x, err := c.Explain(t.Context(), status.Question{Name: name, Type: qtype, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, name := range []string{"www", "outer", "told", "near", "gone"} {
		x := explain(name, dns.TypeA, "")
		r := s.ask(name+".example.org.", dns.TypeA)
		if got := data(r.Answer); fmt.Sprint(got) != fmt.Sprint(x.Answer) || x.Rcode != dns.RcodeToString[r.Rcode] {
			t.Errorf("Expected %v %s for %s, got %v %s", got, dns.RcodeToString[r.Rcode], name, x.Answer, x.Rcode)
		}
	}
	for client, want := range map[string]string{"198.51.100.7": "192.0.2.51", "198.51.100.0/24": "192.0.2.51", "203.0.113.1": "192.0.2.52", "2001:db8::1": "192.0.2.52"} {
		if x := explain("near.example.org.", dns.TypeA, client); x.Answer[0] != want {
			t.Errorf("Expected %s for %s, got %v", want, client, x.Answer)
		}
	}
	first := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]
	for range 5 {
		explain("turn", dns.TypeA, "")
	}
	if second := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]; second == first {
		t.Errorf("Expected explanations to take no turn, got %s twice", first)
	}
	_, err := c.Explain(t.Context(), status.Question{Name: "www.example.com.", Type: dns.TypeA})
	expectRefused(t, err, http.StatusNotFound, "no server block with healthroute is asked for")
	_, err = c.Explain(t.Context(), status.Question{Name: "www", Type: dns.TypeA, Block: running.newest().blocks[0].key + "1"})
	expectRefused(t, err, http.StatusNotFound, "; did you mean")
}

// TestAPIExplainPlace finds the client's place as queries do, by our files and by plugin geoip.
func TestAPIExplainPlace(t *testing.T) {
	file := mmdb(t, map[string]string{"198.51.100.0/24": "CH"})
	for _, lines := range [][]string{
		{stanza(shownAt, "geoip "+file, byCountry)},
		{"metadata", "geoip " + file + " {\nedns-subnet\n}", stanza(shownAt, byCountry)},
	} {
		start(t, listening("example.org", lines...))
		c := apiClient(t)
		for client, want := range map[string]string{"198.51.100.7": "192.0.2.1", "198.51.100.0/25": "192.0.2.1", "203.0.113.1": "192.0.2.3"} {
			x, err := c.Explain(t.Context(), status.Question{Name: "www", Type: dns.TypeA, Client: client})
			if err != nil || len(x.Answer) != 1 || x.Answer[0] != want {
				t.Errorf("Expected %s for %s, got %+v, %v", want, client, x, err)
			}
		}
	}
}

// TestAPIAdmin takes records out and in; what is said holds for the next query, and over reloads.
func TestAPIAdmin(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	answers := func(name string, want ...string) {
		t.Helper()
		expectData(t, s.ask(name+".example.org.", dns.TypeA), want...)
	}
	said := say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "disabled", Reason: "power", Author: "alice", For: "1h"})
	if got := said.Changed[0]; got.Object != "www.example.org./192.0.2.1" || got.State != "disabled" || got.Before != "" || got.Until == nil || got.Note != "" {
		t.Errorf("Expected the change, got %+v", got)
	}
	answers("www", "192.0.2.2")
	answers("outer", "192.0.2.2")
	s.mustReload(listening("example.org", "log", shop()))
	answers("www", "192.0.2.2")
	if err := s.reload(listening("example.org", shop("nonsense"))); err == nil {
		t.Fatal("Expected the reload to be refused")
	}
	answers("www", "192.0.2.2")
	overrides, err := c.Overrides(t.Context())
	if err != nil || len(overrides) != 1 || overrides[0].Author != "alice" || overrides[0].Reason != "power" || overrides[0].Age <= 0 || overrides[0].Until == nil ||
		!slices.Equal(overrides[0].Matches, []string{"www.example.org./192.0.2.1"}) {
		t.Errorf("Expected one override, got %+v, %v", overrides, err)
	}
	said = say(t, c, status.Order{Objects: []string{"www/*"}, State: "enabled"})
	if len(said.Changed) != 1 || said.Changed[0].Before != "disabled" || said.Changed[0].State != "enabled" {
		t.Errorf("Expected the record of which something was said to be enabled, got %+v", said)
	}
	answers("www", "192.0.2.1")

	say(t, c, status.Order{Objects: []string{"site fra"}, State: "draining"})
	answers("www", "192.0.2.2")
	overrides, _ = c.Overrides(t.Context())
	if want := []string{"www.example.org./192.0.2.1", "pair.example.org./192.0.2.11"}; !slices.Equal(overrides[0].Matches, want) {
		t.Errorf("Expected the site to match %v, got %v", want, overrides[0].Matches)
	}
	said = say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "always"})
	if got := said.Changed[0]; got.State != "draining" || got.Note != "site fra is draining" {
		t.Errorf("Expected to be told that the site stands over the record, got %+v", got)
	}
	say(t, c, status.Order{Objects: []string{"site fra"}, State: "always"})
	answers("pair", "192.0.2.11", "192.0.2.12") // also what fails
	say(t, c, status.Order{Objects: []string{"site *", "www/192.0.2.1"}, State: "enabled"})
	answers("pair", "192.0.2.12")

	s.mustReload(listening("example.org", shop("group old simple {\ndisabled\nrecord 192.0.2.71\n}")))
	said = say(t, c, status.Order{Objects: []string{"old"}, State: "enabled"})
	if got := said.Changed[0]; got.State != "disabled" || got.Note != "the Corefile says disabled" {
		t.Errorf("Expected to be told what the Corefile says, got %+v", got)
	}
	say(t, c, status.Order{Objects: []string{"old"}, State: "enabled", For: "1h"})
	answers("old", "192.0.2.71")
	s.mustReload(listening("example.org", shop()))
	overrides, _ = c.Overrides(t.Context())
	if len(overrides) != 1 || len(overrides[0].Matches) != 0 {
		t.Errorf("Expected an override that waits, got %+v", overrides)
	}
	_, err = c.Say(t.Context(), status.Order{Objects: []string{"old.example.org."}, State: "draining"})
	expectRefused(t, err, http.StatusNotFound, "is not there any more")
	say(t, c, status.Order{Objects: []string{"old.example.org."}, State: "enabled"})
	if overrides, _ = c.Overrides(t.Context()); len(overrides) != 0 {
		t.Errorf("Expected no override, got %+v", overrides)
	}
	for _, refused := range []struct {
		order status.Order
		code  int
		words string
	}{
		{status.Order{Objects: []string{"www/192.0.2.1", "www/192.0.2.9"}, State: "disabled"}, http.StatusNotFound, `nothing is called "www/192.0.2.9"`},
		{status.Order{Objects: []string{"outer/www"}, State: "always"}, http.StatusUnprocessableEntity, "is an alias"},
		{status.Order{Objects: []string{"site fra"}, State: "shifted"}, http.StatusUnprocessableEntity, "cannot be shifted"},
		{status.Order{Objects: []string{"shift shop/fra"}, State: "shifted", For: "1h"}, http.StatusNotFound, "nothing is called"},
	} {
		_, err := c.Say(t.Context(), refused.order)
		expectRefused(t, err, refused.code, refused.words)
	}
	if left := admin.Objects(); len(left) > 0 {
		t.Errorf("Expected nothing to be said, got %v", left)
	}
}

// TestAPIExpiry: an override ends by itself.
func TestAPIExpiry(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "disabled", For: "1ms"})
	eventually(t, "the end of the override", func() bool { return len(admin.Objects()) == 0 })
	eventually(t, "the record", func() bool { return data(s.ask("www.example.org.", dns.TypeA).Answer)[0] == "192.0.2.1" })
}

// TestAPIForce: what leaves nothing usable says what would remain, in all groups that it reaches, and needs force.
func TestAPIForce(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	for _, order := range []struct {
		objects []string
		emptied []string
	}{
		{[]string{"www"}, []string{"www.example.org. A: last_resort all, nothing is left to answer"}}, // outer has its secondary
		{[]string{"www", "outer/192.0.2.31"}, []string{"outer.example.org. A: last_resort all, nothing is left to answer",
			"www.example.org. A: last_resort all, nothing is left to answer"}},
		{[]string{"pair/192.0.2.12"}, []string{"pair.example.org. A: last_resort all, would answer 192.0.2.11",
			"pair.example.org. AAAA: last_resort all, nothing is left to answer"}},
		{[]string{"site ams"}, []string{"pair.example.org. A: last_resort all, would answer 192.0.2.11", "pair.example.org. AAAA: last_resort all, nothing is left to answer"}},
		{[]string{"pair/192.0.2.11"}, nil},
		{[]string{"site fra"}, nil},
	} {
		o := status.Order{Objects: order.objects, State: "disabled"}
		_, err := c.Say(t.Context(), o)
		if order.emptied != nil {
			expectRefused(t, err, http.StatusConflict, "nothing usable would be left: expected force")
			var p *status.Problem
			errors.As(err, &p)
			var got []string
			for _, r := range p.Emptied {
				got = append(got, r.String())
			}
			if !slices.Equal(got, order.emptied) {
				t.Errorf("Expected %v to leave %q, got %q", order.objects, order.emptied, got)
			}
			if len(admin.Objects()) > 0 {
				t.Errorf("Expected nothing to be said, got %v", admin.Objects())
			}
		}
		o.Force = true
		if said := say(t, c, o); len(said.Emptied) != len(order.emptied) {
			t.Errorf("Expected what was emptied to be told, got %+v", said)
		}
		forgetOverrides()
	}
	say(t, c, status.Order{Objects: []string{"pair/192.0.2.11"}, State: "always"})
	say(t, c, status.Order{Objects: []string{"pair/192.0.2.12"}, State: "disabled", Force: true}) // there is no other AAAA
	_, err := c.Say(t.Context(), status.Order{Objects: []string{"pair/192.0.2.11"}, State: "enabled"})
	expectRefused(t, err, http.StatusConflict, "pair.example.org. A: last_resort all, would answer 192.0.2.11")
	expectData(t, s.ask("pair.example.org.", dns.TypeA), "192.0.2.11")
	if n := engine.Checks(); n != len(running.newest().blocks[0].lease.Checks()) {
		t.Errorf("Expected the checks of the server alone, got %d", n)
	}
}

// TestAPITooMany: an order is about so many objects at most, unless it takes back what was said.
func TestAPITooMany(t *testing.T) {
	records := make([]string, maxObjects+1)
	for i := range records {
		records[i] = fmt.Sprintf("record 10.0.%d.%d", i/250, i%250)
	}
	start(t, listening("example.org", stanza(shownAt, "group big multivalue {\n"+strings.Join(records, "\n")+"\nrecord 192.0.2.1\n}")))
	c := apiClient(t)
	_, err := c.Say(t.Context(), status.Order{Objects: []string{"big/10.*"}, State: "disabled"})
	expectRefused(t, err, http.StatusUnprocessableEntity, "that is about 1001 objects at once: expected at most 1000")
	say(t, c, status.Order{Objects: []string{"big/10.*0"}, State: "disabled"})
	say(t, c, status.Order{Objects: []string{"big/10.*1", "big/10.*2", "big/10.*3", "big/10.*4", "big/10.*5", "big/10.*6", "big/10.*7", "big/10.*8", "big/10.*9"}, State: "disabled"})
	if said := say(t, c, status.Order{Objects: []string{"*/*"}, State: "enabled"}); len(said.Changed) != maxObjects+1 {
		t.Errorf("Expected all to be taken back, got %d", len(said.Changed))
	}
	if said := say(t, c, status.Order{Objects: []string{"*/*"}, State: "enabled"}); len(said.Changed) != 0 {
		t.Errorf("Expected nothing to be left, got %d", len(said.Changed))
	}
}

// TestAPITwoClients: of two who take out one of the last two records each, at the same time, one is told that nothing would be left.
func TestAPITwoClients(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	for range 20 {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, record := range []string{"turn/192.0.2.41", "turn/192.0.2.42"} {
			both.Go(func() {
				_, errs[i] = c.Say(t.Context(), status.Order{Objects: []string{record}, State: "disabled"})
			})
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("Expected one of the two to be taken, got %v", errs)
		}
		if r := s.ask("turn.example.org.", dns.TypeA); len(r.Answer) != 1 {
			t.Fatalf("Expected an answer, got\n%v", r)
		}
		say(t, c, status.Order{Objects: []string{"turn/*"}, State: "enabled"})
	}
}

// TestAPIPush tells a check what it is, and lets what `failback manual` keeps out answer again.
func TestAPIPush(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	push := func(health string) {
		t.Helper()
		reached, err := c.Push(t.Context(), status.Pushed{Probe: "Release", Health: health, Reason: "deploy 5"})
		if err != nil || len(reached.Checks) != 1 || reached.Checks[0].Health != health {
			t.Fatalf("Expected the check to be %s, got %+v, %v", health, reached, err)
		}
	}
	push("unhealthy")
	expectData(t, s.ask("back.example.org.", dns.TypeA), "192.0.2.62")
	if checks, err := c.Checks(t.Context(), "release@push"); err != nil || len(checks[0].Last) != 1 || checks[0].Last[0].Reason != "deploy 5" {
		t.Errorf("Expected what was told, got %+v, %v", checks, err)
	}
	push("healthy")
	expectData(t, s.ask("back.example.org.", dns.TypeA), "192.0.2.62") // failback manual
	back, err := c.Failback(t.Context(), status.FailbackOrder{Groups: []string{"*"}})
	if err != nil || len(back.Groups) != 1 || !back.Groups[0].Held {
		t.Errorf("Expected one group to fail back, got %+v, %v", back, err)
	}
	expectData(t, s.ask("back.example.org.", dns.TypeA), "192.0.2.61")
	_, err = c.Failback(t.Context(), status.FailbackOrder{Groups: []string{"www"}})
	expectRefused(t, err, http.StatusUnprocessableEntity, "www keeps nothing out")
	_, err = c.Push(t.Context(), status.Pushed{Probe: "releases", Health: "healthy"})
	expectRefused(t, err, http.StatusNotFound, `did you mean "release"?`)
	_, err = c.Push(t.Context(), status.Pushed{Probe: "fine", Health: "healthy"})
	expectRefused(t, err, http.StatusUnprocessableEntity, `probe "fine" is told nothing`)
}

// listenToEvents follows the API's events until the test ends.
func listenToEvents(t *testing.T) <-chan status.Event {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, apiURL(t)+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan status.Event, 1000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e status.Event
				if json.Unmarshal([]byte(text), &e) == nil {
					came <- e
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		stream.Body.Close()
		<-done
		http.DefaultClient.CloseIdleConnections()
	})
	return came
}

// awaitEvent waits for an event that fits.
func awaitEvent(t *testing.T, came <-chan status.Event, fits func(status.Event) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		select {
		case e := <-came:
			if fits(e) {
				return
			}
		case <-ctx.Done():
			t.Fatal("Expected an event, got none that fits")
		}
	}
}

// TestAPIEvents: what happens is told, over reloads too.
func TestAPIEvents(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	came := listenToEvents(t)
	push := func(health string) {
		t.Helper()
		if _, err := c.Push(t.Context(), status.Pushed{Probe: "release", Health: health}); err != nil {
			t.Fatal(err)
		}
	}
	push("unhealthy")
	awaitEvent(t, came, func(e status.Event) bool {
		return e.Transition != nil && e.Transition.Check == "release@push" && e.Transition.To == "unhealthy"
	})
	awaitEvent(t, came, func(e status.Event) bool {
		return e.LastResort != nil && e.LastResort.Group == "told.example.org." && e.LastResort.On
	})
	s.mustReload(listening("example.org", "log", shop()))
	awaitEvent(t, came, func(e status.Event) bool { return e.Reload != nil && e.Reload.Taken && len(e.Reload.Blocks) == 1 })
	say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "disabled", Author: "alice"})
	awaitEvent(t, came, func(e status.Event) bool {
		return e.Admin != nil && e.Admin.Object == "www.example.org./192.0.2.1" && e.Admin.State == "disabled" && e.Admin.Author == "alice"
	})
	if err := s.reload(listening("example.org", shop("nonsense"))); err == nil {
		t.Fatal("Expected the reload to be refused")
	}
	awaitEvent(t, came, func(e status.Event) bool { return e.Reload != nil && !e.Reload.Taken })
	push("healthy")
	awaitEvent(t, came, func(e status.Event) bool { return e.LastResort != nil && !e.LastResort.On })
}

// TestAPILife: one server for all blocks, which a reload leaves alone unless it says otherwise.
func TestAPILife(t *testing.T) {
	log := captureLog(t)
	two := func(first, second string) string {
		return listening("example.org", stanza(first)) + listening("example.net", stanza(second))
	}
	s := start(t, two("", shownAt))
	url := apiURL(t)
	if text := apiGet(t, "state"); strings.Count(text, " #0") != 2 {
		t.Errorf("Expected both blocks, got %s", text)
	}
	s.mustReload(two(shownAt, "ttl 9s"))
	if got := apiURL(t); got != url {
		t.Errorf("Expected the API to stay at %s, got %s", url, got)
	}
	if err := s.reload(two(shownAt, shownAt)); err == nil || !strings.Contains(err.Error(), `"status" is about the whole process`) {
		t.Errorf("Expected two to be refused, got %v", err)
	}
	if err := s.reload(two("status 127.0.0.2:0\n}\nbroken start\nhealthroute {", "")); err == nil {
		t.Error("Expected the reload to fail late")
	}
	if !strings.HasPrefix(apiURL(t), "http://127.0.0.1:") {
		t.Errorf("Expected the API to be back, got %s", apiURL(t))
	}
	path := filepath.Join(t.TempDir(), "api.sock")
	s.mustReload(two("status unix:"+path, ""))
	c, err := status.NewClient(status.Place{URL: "unix:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if state, err := c.State(t.Context()); err != nil || len(state.Blocks) != 2 {
		t.Errorf("Expected the API at the socket, got %+v, %v", state, err)
	}
	s.mustReload(two("", ""))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Expected no socket to be left, got %v", err)
	}
	port := occupied(t)
	s.mustReload(two("status 127.0.0.1:"+port+"\ngroup www simple {\nrecord 192.0.2.1\n}", ""))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
	if want := "status 127.0.0.1:" + port + ": listen tcp"; !strings.Contains(log.String(), want) {
		t.Errorf("Expected a line with %q, got:\n%s", want, log)
	}
}

// TestAPIFiles: a file of `status` that is missing refuses the Corefile, with its place.
func TestAPIFiles(t *testing.T) {
	s := start(t, listening("example.org", stanza("")))
	err := s.reload(listening("example.org", stanza("status 127.0.0.1:0 {\ntoken missing\n}")))
	if err == nil || !strings.Contains(err.Error(), "Corefile:4: status: open missing: no such file") {
		t.Errorf("Expected the file to be missed, got %v", err)
	}
}

// TestAPIViews: a group that stands in two server blocks is one object, and each block explains itself.
func TestAPIViews(t *testing.T) {
	block := func(address string) string { return stanza("group www simple {\nrecord " + address + " id one\n}") }
	start(t, listening("example.org", stanza(shownAt))+listening("a.example.org", block("192.0.2.9"))+listening("example.net", block("192.0.2.1")))
	c := apiClient(t)
	_, err := c.Say(t.Context(), status.Order{Objects: []string{"www"}, State: "draining", Force: true})
	expectRefused(t, err, http.StatusConflict, `"www" is the name of several: expected www.a.example.org. or www.example.net.`)
	x, err := c.Explain(t.Context(), status.Question{Name: "www.a.example.org", Type: dns.TypeA})
	if err != nil || !strings.Contains(x.Block, "a.example.org") || x.Answer[0] != "192.0.2.9" {
		t.Errorf("Expected the longest zone's block, got %+v, %v", x, err)
	}
}

// TestAPIRecordHealth names the check that decides.
func TestAPIRecordHealth(t *testing.T) {
	start(t, listening("example.org", shop()))
	for name, want := range map[string]string{"pair/192.0.2.12": "healthy", "pair/192.0.2.11": "unhealthy", "turn/192.0.2.41": ""} {
		group, id, _ := strings.Cut(name, "/")
		for _, g := range (apiBackend{}).allGroups() {
			for _, r := range g.Records {
				if g.Name != group+".example.org." || r.ID != id {
					continue
				}
				got := ""
				if c := deciding(r.Checks()); c != nil {
					got = c.State().Status.String()
				}
				if got != want {
					t.Errorf("Expected %q to decide about %s, got %q", want, name, got)
				}
			}
		}
	}
}
