package status

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/answer"
)

// document is openapi.json, as far as the tests look at it.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	Parameters  []struct{ Name string }
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
}

// schema is what the document uses of JSON Schema.
type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Format     string
	Enum       []string
	Properties map[string]*schema
	Required   []string
	Items      *schema
	More       json.RawMessage `json:"additionalProperties"`

	Description string
	MaxLength   int
	Minimum     int
	Maximum     int
}

func readDocument(t testing.TB) *document {
	t.Helper()
	d := &document{}
	if err := json.Unmarshal(openAPI, d); err != nil {
		t.Fatalf("Expected openapi.json to be JSON, got: %v", err)
	}
	return d
}

// operation returns what the document says of a route.
func (d *document) operation(r route) (operation, bool) {
	o, ok := d.Paths["/"+r.path][strings.ToLower(r.method)]
	return o, ok
}

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
	}
}

// expect holds a JSON text against a schema. Stricter than JSON Schema, it takes no fields that are not described.
func (d *document) expect(t *testing.T, s *schema, text []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("Expected JSON, got %s", text)
	}
	if fault := d.fault(s, value); fault != "" {
		t.Errorf("Expected what openapi.json says, got %s in %s", fault, text)
	}
}

// fault says how a value differs from a schema; "" if it does not.
func (d *document) fault(s *schema, value any) string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		if s = d.Components.Schemas[name]; s == nil {
			return "no schema " + name
		}
	}
	switch v := value.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, v); s.Format == "date-time" && err != nil || s.Type != "string" ||
			len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			return fmt.Sprintf("string %q for %s %v", v, s.Type, s.Enum)
		}
	case bool:
		if s.Type != "boolean" {
			return fmt.Sprintf("a boolean for %s", s.Type)
		}
	case float64:
		if s.Type != "number" && (s.Type != "integer" || v != float64(int64(v))) {
			return fmt.Sprintf("number %v for %s", v, s.Type)
		}
	case []any:
		if s.Type != "array" {
			return fmt.Sprintf("an array for %s", s.Type)
		}
		for _, item := range v {
			if fault := d.fault(s.Items, item); fault != "" {
				return fault
			}
		}
	case map[string]any:
		return d.objectFault(s, v)
	default:
		return fmt.Sprintf("%v for %s", value, s.Type)
	}
	return ""
}

func (d *document) objectFault(s *schema, fields map[string]any) string {
	if s.Type != "object" {
		return fmt.Sprintf("an object for %s", s.Type)
	}
	var more *schema
	if len(s.More) > 0 && s.More[0] == '{' {
		more = &schema{}
		if json.Unmarshal(s.More, more) != nil {
			return "a schema that cannot be read"
		}
	}
	for name, value := range fields {
		of := s.Properties[name]
		switch {
		case s.Properties == nil && more == nil:
			return "" // any object
		case of == nil && more != nil:
			of = more
		case of == nil:
			return fmt.Sprintf("field %q, which is not described", name)
		}
		if fault := d.fault(of, value); fault != "" {
			return name + ": " + fault
		}
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			return fmt.Sprintf("no field %q", name)
		}
	}
	return ""
}

// TestOpenAPITypes: the fields of each schema are those of its Go type, and those that may be absent there need not be in the document.
func TestOpenAPITypes(t *testing.T) {
	d := readDocument(t)
	types := map[string]any{
		"Problem": Problem{}, "Group": Group{}, "TypeState": TypeState{}, "Record": Record{}, "CheckRef": CheckRef{}, "Pool": Pool{}, "Site": Site{},
		"Target": Target{}, "Check": Check{}, "Attempt": Attempt{}, "Explanation": Explanation{}, "Reason": answer.Reason{},
		"CandidateReason": answer.CandidateReason{}, "CheckReason": answer.CheckReason{}, "Stanza": Stanza{}, "State": State{}, "EventState": EventState{},
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

// fieldsOn are the fields of a type, with those of an embedded one.
func fieldsOn(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.Anonymous {
				if !yield(f) {
					return
				}
				continue
			}
			for inner := range fieldsOn(f.Type) {
				if !yield(inner) {
					return
				}
			}
		}
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
