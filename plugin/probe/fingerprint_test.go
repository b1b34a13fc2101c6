package probe

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// full is a probe with every list filled, so that a change can reach into it.
func full() *config.Probe {
	return probeOf(config.ProbeHTTPS, func(p *config.Probe) {
		p.HTTP.Headers = []config.Header{{Name: "X-A", Value: "a"}}
		p.Command = []string{"true"}
		p.Children.Probes = []string{"a"}
		p.Children.Records = []config.RecordRef{{Group: []string{"www.example.org."}, Record: "a"}}
	})
}

// Whoever adds an option to config.Probe need not think of the fingerprint, and this test proves it: each field is
// changed in turn, however deep, and must change the fingerprint.
func TestFingerprintCountsEveryOption(t *testing.T) {
	base := fingerprint(full(), files{})
	each(t, reflect.TypeFor[config.Probe](), "Probe", nil, func(name string, path []int) {
		p := full()
		change(t, name, dig(reflect.ValueOf(p).Elem(), path))
		same := fingerprint(p, files{}) == base
		if own := name == "Probe.Name" || strings.HasPrefix(name, "Probe.Places"); same != own {
			t.Errorf("Expected %s to count: %v, got %v", name, !own, !same)
		}
	})
}

// each calls do for every field that is no struct, below structs and in the first elements of lists; -1 in a path
// means the first element.
func each(t *testing.T, kind reflect.Type, name string, path []int, do func(string, []int)) {
	t.Helper()
	path = path[:len(path):len(path)]
	switch kind.Kind() {
	case reflect.Struct:
		for i := range kind.NumField() {
			each(t, kind.Field(i).Type, name+"."+kind.Field(i).Name, append(path, i), do)
		}
	case reflect.Slice:
		do(name, path)
		each(t, kind.Elem(), name+"[0]", append(path, -1), do)
	default:
		do(name, path)
	}
}

func dig(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		if i < 0 {
			v = v.Index(0)
		} else {
			v = v.Field(i)
		}
	}
	return v
}

// change gives a field another value. A kind that it does not know needs thought: pointers, maps and functions do not
// belong into a fingerprint as it is made now.
func change(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Uint16:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Map:
		if !strings.HasPrefix(name, "Probe.Places") {
			t.Fatalf("Expected no map in a probe, got %s: teach fingerprint and this test about it", name)
		}
		v.Set(reflect.MakeMap(v.Type()))
	default:
		t.Fatalf("Expected a plain field, got %s of kind %v: teach fingerprint and this test about it", name, v.Kind())
	}
}

func TestFingerprintIsStable(t *testing.T) {
	nothing, empty := full(), full()
	nothing.HTTP.Headers, empty.HTTP.Headers = nil, []config.Header{}
	nothing.HTTP.Expect, empty.HTTP.Expect = nil, []config.CodeRange{}
	if fingerprint(nothing, files{}) != fingerprint(empty, files{}) {
		t.Error("Expected an empty list to equal none, got another fingerprint")
	}
	if one, other := fingerprint(full(), files{}), fingerprint(full(), files{}); one != other {
		t.Error("Expected equal probes to have equal fingerprints, got two")
	}
}

// A file that changes makes another probe, though its name stays.
func TestFingerprintCountsFiles(t *testing.T) {
	old, renewed := certificate(t, issued{}), certificate(t, issued{})
	ca, cert, key := file(t, "ca.pem", certPEM(old)), file(t, "cert.pem", certPEM(old)), file(t, "key.pem", keyPEM(old))
	named := func(p *config.Probe) { p.TLS.CA, p.TLS.Cert, p.TLS.Key = ca, cert, key }
	seen := map[string]bool{proberOf(t, config.ProbeHTTPS, named).Fingerprint(): true}
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatalf("Expected to write %s, got %v", name, err)
		}
	}
	step := func(what string) {
		t.Helper()
		print := proberOf(t, config.ProbeHTTPS, named).Fingerprint()
		if seen[print] {
			t.Errorf("Expected another fingerprint after a new %s, got an old one", what)
		}
		seen[print] = true
	}
	write(ca, certPEM(renewed))
	step("ca")
	write(cert, certPEM(renewed))
	write(key, keyPEM(renewed))
	step("cert with its key")
	for i, f := range []files{{ca: []byte("x")}, {cert: []byte("x")}, {key: []byte("x")}} {
		print := fingerprint(full(), f)
		if seen[print] {
			t.Errorf("Expected the content of file %d to count, got a fingerprint seen before", i)
		}
		seen[print] = true
	}
}
