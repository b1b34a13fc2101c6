package status

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/answer"
)

// TestOpenAPIRoutes: every route is in the document, and everything in the document is a route.
func TestOpenAPIRoutes(t *testing.T) {
	d := readDocument(t)
	described := map[string]bool{}
	for path, methods := range d.Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, r := range routes {
		key := r.method + " /" + r.path
		if !described[key] {
			t.Errorf("Expected %s in openapi.json", key)
		}
		delete(described, key)
	}
	if len(described) > 0 {
		t.Errorf("Expected routes for %v", slices.Collect(maps.Keys(described)))
	}
}

// TestOpenAPIReplies holds what every route answers against the document: its code and all fields, none more.
func TestOpenAPIReplies(t *testing.T) {
	d := readDocument(t)
	b := newBench(t, local())
	for _, r := range finite() {
		t.Run(r.method+" "+r.path, func(t *testing.T) {
			o, _ := d.operation(r)
			w := b.answer(r.ask())
			response, ok := o.Responses[fmt.Sprint(w.Code)]
			if !ok {
				t.Fatalf("Expected one of the codes of openapi.json, got %d %s", w.Code, w.Body)
			}
			d.expect(t, response.Content["application/json"].Schema, w.Body.Bytes())
			if r.method == http.MethodPost {
				d.expect(t, o.RequestBody.Content["application/json"].Schema, []byte(bodies[r.path]))
			}
			d.expect(t, &schema{Ref: "#/components/schemas/Problem"}, b.answer(r.ask(hosted("other.example"))).Body.Bytes())
		})
	}
}

// TestOpenAPIParameters: the parameters of the document are taken, and no others.
func TestOpenAPIParameters(t *testing.T) {
	d := readDocument(t)
	b := newBench(t, local())
	values := map[string]string{"name": "www.example.org", "health": "healthy", "site": "fra", "after": "x", "limit": "5", "type": "A", "client": "192.0.2.1", "block": "x"}
	for _, r := range finite() {
		if r.method == http.MethodPost || r.path == "openapi.json" {
			continue
		}
		o, _ := d.operation(r)
		var all []string
		for _, p := range o.Parameters {
			all = append(all, p.Name+"="+values[p.Name])
		}
		w := b.answer(r.ask(func(req *http.Request) { req.URL.RawQuery = strings.Join(all, "&") }))
		if w.Code != http.StatusOK {
			t.Errorf("Expected %s to take %v, got %d %s", r.path, all, w.Code, w.Body)
		}
		w = b.answer(r.ask(func(req *http.Request) { req.URL.RawQuery += "&nonsense=1" }))
		expectProblem(t, w, http.StatusBadRequest, `there is no parameter "nonsense"`)
		for _, name := range []string{"health", "limit"} {
			if slices.ContainsFunc(all, func(p string) bool { return strings.HasPrefix(p, name) }) {
				w = b.answer(r.ask(func(req *http.Request) { req.URL.RawQuery = name + "=helthy" }))
				expectProblem(t, w, http.StatusBadRequest, fmt.Sprintf("%q", name))
			}
		}
	}
}

// TestOpenAPITypes: the fields of each schema are those of its Go type, and those that may be absent there need not be in the document.
func TestOpenAPITypes(t *testing.T) {
	d := readDocument(t)
	types := map[string]any{
		"Problem": Problem{}, "Group": Group{}, "TypeState": TypeState{}, "Record": Record{}, "CheckRef": CheckRef{}, "Pool": Pool{}, "PoolSite": PoolSite{}, "Source": Source{}, "Site": Site{},
		"Balancer": Balancer{}, "BalancerFamily": BalancerFamily{}, "SitePool": SitePool{}, "Balancers": Balancers{},
		"Target": Target{}, "Check": Check{}, "Attempt": Attempt{}, "Explanation": Explanation{}, "Reason": answer.Reason{},
		"CandidateReason": answer.CandidateReason{}, "CheckReason": answer.CheckReason{}, "SiteReason": answer.SiteReason{},
		"PoolReason": answer.PoolReason{}, "Threshold": answer.Threshold{}, "FilterReason": answer.FilterReason{}, "AddressReason": answer.AddressReason{}, "Stanza": Stanza{}, "State": State{}, "EventState": EventState{}, "StateFile": StateFile{},
		"Override": Override{}, "Order": Order{}, "Said": Said{}, "Change": Change{}, "Remainder": Remainder{}, "FailbackOrder": FailbackOrder{},
		"FailedBack": FailedBack{}, "Pushed": Pushed{}, "AttemptOrder": AttemptOrder{}, "Reached": Reached{}, "Groups": Groups{}, "Records": Records{},
		"Pools": Pools{}, "Checks": Checks{}, "Overrides": Overrides{}, "Configuration": Configuration{}, "Event": Event{},
	}
	for name, s := range d.Components.Schemas {
		value, ok := types[name]
		if !ok {
			t.Errorf("Expected a type for schema %s", name)
			continue
		}
		var fields, required []string
		for f := range fieldsOn(reflect.TypeOf(value)) {
			word, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if word == "-" {
				continue
			}
			fields = append(fields, word)
			if options == "" {
				required = append(required, word)
			}
		}
		slices.Sort(fields)
		slices.Sort(required)
		if got := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(got, fields) {
			t.Errorf("Expected %s to have the fields %v, got %v", name, fields, got)
		}
		if got := slices.Sorted(slices.Values(s.Required)); !slices.Equal(got, required) {
			t.Errorf("Expected %s to require %v, got %v", name, required, got)
		}
		delete(types, name)
	}
	if len(types) > 0 {
		t.Errorf("Expected schemas for %v", slices.Collect(maps.Keys(types)))
	}
}

// TestOpenAPIEvents holds events of all kinds against the document.
func TestOpenAPIEvents(t *testing.T) {
	d := readDocument(t)
	e := NewEvents(10)
	for _, v := range []Event{
		{Transition: &Transition{ID: "0011", Check: "web@192.0.2.1:80", From: "healthy", To: "unhealthy", Lasted: 1.5, Run: 3, Reason: "refused"}},
		{LastResort: &LastResort{Block: "example.org. #0", Group: "www.example.org.", Type: "A", Word: "all", On: true}},
		{Admin: &Admin{Object: "www.example.org.", State: "disabled", Reason: "power", Author: "alice", Until: &then}},
		{Frozen: &Frozen{On: true, Canaries: []string{"gateway@192.0.2.254:179"}}},
		{Reload: &Reload{Taken: true, Blocks: []string{"example.org. #0"}}},
	} {
		e.Publish(v)
	}
	texts, _, _, _ := e.after(0, 10)
	texts = append(texts, e.lost(0, Lost{Count: 3}))
	kinds := map[string]bool{}
	for _, text := range texts {
		lines := strings.Split(string(text), "\n")
		d.expect(t, &schema{Ref: "#/components/schemas/Event"}, []byte(strings.TrimPrefix(lines[2], "data: ")))
		kinds[strings.TrimPrefix(lines[1], "event: ")] = true
	}
	for _, kind := range d.Components.Schemas["Event"].Properties["kind"].Enum {
		if !kinds[kind] {
			t.Errorf("Expected an event of kind %s, got none", kind)
		}
	}
}
