package healthroute

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin/file"
	"github.com/miekg/dns"
)

// fileZone is a zone of the tests of CoreDNS's file.
type fileZone struct {
	constant string // what its text is called there
	origin   string
	text     string
}

// fileTests reads the zones out of the sources of file's tests, and the names that its cases ask for.
func fileTests(t *testing.T) (zones []fileZone, names []string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(moduleDir(t, "github.com/coredns/coredns"), "plugin", "file", "*_test.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("Expected the tests of file beside its sources, got none: %v", err)
	}
	for _, source := range sources {
		parsed, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatalf("Expected Go, got: %v", err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if text, ok := literal(value); ok {
						if origin := originOf(text); origin != "" {
							zones = append(zones, fileZone{n.Names[i].Name, origin, text})
						}
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Qname" {
					if name, ok := literal(n.Value); ok {
						names = append(names, name)
					}
				}
			}
			return true
		})
	}
	return zones, names
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// originOf is the owner of the SOA of a text that file takes as a zone, else "".
func originOf(text string) string {
	zone := dns.NewZoneParser(strings.NewReader(text), "example.org.", "")
	for rr, ok := zone.Next(); ok; rr, ok = zone.Next() {
		if rr.Header().Rrtype == dns.TypeSOA {
			origin := strings.ToLower(rr.Header().Name)
			if _, err := file.Parse(strings.NewReader(text), origin, "", 0); err != nil {
				return ""
			}
			return origin
		}
	}
	return ""
}

// near are the names of the zone's records and cases, and names beside and below them.
func (z fileZone) near(names []string) []string {
	all := map[string]bool{}
	zone := dns.NewZoneParser(strings.NewReader(z.text), z.origin, "")
	for rr, ok := zone.Next(); ok; rr, ok = zone.Next() {
		names = append(names, rr.Header().Name)
	}
	for _, name := range names {
		if dns.IsSubDomain(z.origin, name) {
			all[name], all["gone."+name] = true, true
		}
	}
	all["*."+z.origin] = true
	return slices.Sorted(maps.Keys(all))
}

// TestZonesOfFileTests puts us above file with each zone of its own tests, owning nothing that is asked for: what comes is what comes without
// us, byte for byte.
func TestZonesOfFileTests(t *testing.T) {
	types := []uint16{
		dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeMX, dns.TypeTXT, dns.TypeSRV, dns.TypeCNAME, dns.TypeDNAME, dns.TypeDS,
		dns.TypeDNSKEY, dns.TypeNSEC, dns.TypeRRSIG, dns.TypeHTTPS, dns.TypeSVCB, dns.TypeANY, 65280,
	}
	zones, names := fileTests(t)
	if len(zones) < 15 || len(names) < 80 {
		t.Fatalf("Expected the zones and cases of file's tests, got %d and %d", len(zones), len(names))
	}
	for _, z := range zones {
		t.Run(z.constant, func(t *testing.T) {
			rest := zoneFile(t, z.origin, z.text)
			without := start(t, listening(".", rest))
			var questions []*dns.Msg
			for _, name := range z.near(names) {
				for i, qtype := range types {
					m := question(name, qtype)
					m.Id = 0
					if i%2 == len(name)%2 {
						m.SetEdns0(1232, true)
					}
					questions = append(questions, m)
				}
			}
			want := without.wires(questions)
			for above, own := range map[string]string{
				"owns nothing":      stanzaOf(z.origin),
				"owns another zone": stanzaOf("example.com.healthroute", weightedGroups),
				"owns other names":  stanzaOf(z.origin, "group healthroute *.healthroute simple {\nrecord 192.0.2.1\n}"),
			} {
				got := start(t, listening(".", own, rest)).wires(questions)
				for i, q := range questions {
					if above == "owns other names" && strings.EqualFold(q.Question[0].Name, z.origin) && isNXDomain(want[i]) {
						continue // file denies an apex that has nothing but SOA and NS, and with it our names below (RFC 8020)
					}
					if !bytes.Equal(want[i], got[i]) {
						t.Fatalf("Expected with a plugin that %s:\n%s\ngot:\n%s\nfor:\n%s", above, unpacked(want[i]), unpacked(got[i]), q)
					}
				}
			}
		})
	}
}

func isNXDomain(raw []byte) bool { return raw[3]&0xf == dns.RcodeNameError }
