package healthroute

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
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

// TestAPIPushOfSharedName: a probe of another stanza that has the name is in nobody's way.
func TestAPIPushOfSharedName(t *testing.T) {
	other := stanza("probe release tcp {\nport 1\nassume healthy\n}", "group www simple {\nrecord 192.0.2.1 probe release\n}")
	start(t, listening("example.net", other)+listening("example.org", shop())+listening("example.com", other))
	c := apiClient(t)
	reached, err := c.Push(t.Context(), status.Pushed{Probe: "release", Health: "healthy"})
	if err != nil || len(reached.Checks) != 1 || reached.Checks[0].Check != "release@push" {
		t.Errorf("Expected the push probe to be told, got %+v, %v", reached, err)
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
