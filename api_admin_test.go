package healthroute

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/status"
)

// say says a state and fails if it is refused.
func say(t *testing.T, c *status.Client, o status.Order) status.Said {
	t.Helper()
	said, err := c.Say(t.Context(), o)
	if err != nil {
		t.Fatalf("Expected %+v to be taken, got: %v", o, err)
	}
	return said
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

// TestAPIVanished: a record that is not there any more goes by the names that it had, and is in nobody's way who says something of all that are there.
func TestAPIVanished(t *testing.T) {
	s := start(t, listening("example.org", shop("group old multivalue {\nrecord 192.0.2.71\nrecord 192.0.2.72\n}")))
	c := apiClient(t)
	gone := []string{"old/192.0.2.72"}
	say(t, c, status.Order{Objects: gone, State: "draining"})
	s.mustReload(listening("example.org", shop("group old multivalue {\nrecord 192.0.2.71\n}")))
	for _, state := range []string{"draining", "enabled"} {
		for _, word := range []string{"old/*", "old.example.org./*"} {
			said := say(t, c, status.Order{Objects: []string{word}, State: state, For: "1h", Force: true})
			if want := map[string]int{"draining": 1, "enabled": 2}[state]; len(said.Changed) != want {
				t.Errorf("Expected %s of %s to change %d, got %+v", state, word, want, said)
			}
		}
	}
	for _, word := range []string{gone[0], "old/*2"} {
		_, err := c.Say(t.Context(), status.Order{Objects: []string{word}, State: "draining"})
		expectRefused(t, err, http.StatusNotFound, "is not there any more")
	}
	say(t, c, status.Order{Objects: gone, State: "enabled"})
	if left := fmt.Sprint(admin.Objects()); left != "[old.example.org./192.0.2.71]" {
		t.Errorf("Expected the record that is there, got %s", left)
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
