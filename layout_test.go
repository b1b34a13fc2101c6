package healthroute

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const module = "github.com/healthroute/healthroute"

// allowed says which parts of ours each part may import (ARCHITECTURE.md, Packages): one way only.
var allowed = map[string][]string{
	"config":   {},
	"corefile": {"config"},
	"probe":    {"config"},
	"health":   {"config", "probe"},
	"state":    {"config", "discover", "probe", "health"},
	"watched":  {"config"},
	"locate":   {"config", "watched"},
	"discover": {"config", "health", "watched"},
	"route":    {"config", "discover", "locate", "probe", "health"},
	"answer":   {"config", "locate", "health", "route"},
	"status":   {"config", "locate", "probe", "health", "route", "answer"},
	"scenario": {"config", "corefile", "discover", "locate", "probe", "health", "route", "answer", "state"},
	"compare":  {"config", "corefile", "locate", "probe", "health", "route", "scenario"},
}

// forbidden are the packages that belong to the root and the command alone. A part that needs no server can be tested
// in virtual time and used by the offline commands.
var forbidden = []string{
	module,
	"github.com/coredns/coredns/core/dnsserver",
	"github.com/coredns/coredns/coremain",
	"github.com/coredns/caddy",
	"github.com/prometheus/client_golang",
}

func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	eachGoFile(t, "plugin", func(file string, imports []string) {
		part := strings.Split(filepath.ToSlash(file), "/")[1]
		seen[part] = true
		edges, known := allowed[part]
		if !known {
			t.Errorf("Expected %s to be a part that ARCHITECTURE.md and this test know", part)
		}
		for _, imported := range imports {
			for _, f := range forbidden {
				if imported == f || f == "github.com/prometheus/client_golang" && strings.HasPrefix(imported, f) {
					t.Errorf("Expected %s not to import %s", file, imported)
				}
			}
			if other, ours := strings.CutPrefix(imported, module+"/plugin/"); ours && other != part && !slices.Contains(edges, other) {
				t.Errorf("Expected %s to import only %v of ours, got %s", file, edges, other)
			}
		}
	})
	for part := range allowed {
		if !seen[part] {
			t.Errorf("Expected a part plugin/%s, got none", part)
		}
	}
}

// eachGoFile parses the imports of every Go file below the folder, tests aside.
func eachGoFile(t *testing.T, folder string, visit func(file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			imports = append(imports, imported)
		}
		visit(file, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestModulesAreCoreDNSs holds our go.mod against CoreDNS's: a plugin must be built with the versions that CoreDNS was tested with.
func TestModulesAreCoreDNSs(t *testing.T) {
	ours := readModFile(t, "go.mod")
	versions := map[string]string{}
	for _, r := range ours.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	theirs := readModFile(t, filepath.Join(moduleDir(t, "github.com/coredns/coredns"), "go.mod"))
	for _, r := range theirs.Require {
		if got, shared := versions[r.Mod.Path]; shared && got != r.Mod.Version {
			t.Errorf("Expected CoreDNS's %s %s, got %s", r.Mod.Path, r.Mod.Version, got)
		}
	}
}

func readModFile(t *testing.T, name string) *modfile.File {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse(name, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// moduleDir is where the sources of a module are, as the go command says.
func moduleDir(t *testing.T, modulePath string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		t.Fatalf("Expected the go command to know %s: %v", modulePath, err)
	}
	return strings.TrimSpace(string(out))
}
