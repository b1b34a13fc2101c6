package status

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
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
