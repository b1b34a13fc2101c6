package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// show writes targets as "10.0.0.1:80 a 2", one a line.
func show(found []config.Found) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s %d\n", config.DefaultTargetID(f.Address, f.Port), f.Site, f.Weight)
	}
	return b.String()
}

func TestParseFile(t *testing.T) {
	tests := []struct{ name, json, yaml, want string }{
		{"the form of the issue",
			`[{"targets": ["10.0.1.1:8080", "[2001:db8::1]:80", "10.0.1.2"], "labels": {"site": "a", "weight": "2"}}]`,
			"- targets: ['10.0.1.1:8080', '[2001:db8::1]:80', 10.0.1.2]\n  labels: {site: a, weight: \"2\"}\n",
			"10.0.1.1:8080 a 2\n10.0.1.2 a 2\n[2001:db8::1]:80 a 2\n"},
		{"labels before targets, and others' labels",
			`[{"labels": {"env": "prod", "weight": 0, "up": true, "none": null, "site": "A.b-c_1"}, "targets": ["10.0.0.1"]}]`,
			"- labels:\n    env: prod\n    weight: 0\n    up: true\n    none:\n    site: A.b-c_1\n  targets:\n  - 10.0.0.1\n",
			"10.0.0.1 a.b-c_1 0\n"},
		{"no labels, empty ones, null", `[{"targets": ["10.0.0.2"]}, {"targets": ["10.0.0.1"], "labels": {"site": "", "weight": ""}}, {"targets": null, "labels": null}, {}]`,
			"- targets: [10.0.0.2]\n- targets: [10.0.0.1]\n  labels: {site: '', weight: ~}\n- targets:\n  labels:\n- {}\n",
			"10.0.0.1  1\n10.0.0.2  1\n"},
		{"IPv6, bare and in brackets", `[{"targets": ["2001:db8::1", "[2001:db8::2]", "[::1]:65535", "2001:DB8::3"]}]`,
			"- targets:\n  - 2001:db8::1\n  - '[2001:db8::2]'\n  - '[::1]:65535'\n  - 2001:DB8::3\n",
			"[::1]:65535  1\n2001:db8::1  1\n2001:db8::2  1\n2001:db8::3  1\n"},
		{"twice is once", `[{"targets": ["10.0.0.1:80", "10.0.0.1:80"]}, {"targets": ["10.0.0.1:80"], "labels": {"weight": "1", "env": "x"}}]`,
			"- targets: ['10.0.0.1:80', '10.0.0.1:80']\n- targets: ['10.0.0.1:80']\n  labels: {weight: 1, env: x}\n",
			"10.0.0.1:80  1\n"},
		{"the same address with two ports", `[{"targets": ["10.0.0.1:81", "10.0.0.1", "10.0.0.1:80"]}]`,
			"- targets: ['10.0.0.1:81', 10.0.0.1, '10.0.0.1:80']\n",
			"10.0.0.1  1\n10.0.0.1:80  1\n10.0.0.1:81  1\n"},
		{"aliases", `[{"targets": ["10.0.0.1"], "labels": {"site": "a"}}, {"targets": ["10.0.0.2"], "labels": {"site": "a"}}]`,
			"- targets: [10.0.0.1]\n  labels: &common {site: a}\n- targets: [10.0.0.2]\n  labels: *common\n",
			"10.0.0.1 a 1\n10.0.0.2 a 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, text := range map[string]string{"t.json": tt.json, "t.yml": tt.yaml, "T.YAML": tt.yaml} {
				found, err := ParseFile(name, []byte(text), 100)
				if err != nil || show(found) != tt.want {
					t.Errorf("Expected of %s\n%s, got\n%s and %v", name, tt.want, show(found), err)
				}
			}
		})
	}
}

func TestParseFileFaults(t *testing.T) {
	const expected = ": expected "
	tests := []struct{ name, file, text, want string }{
		{"other name", "t.txt", "[]", `t.txt:1: the file's name ends in ".txt": expected .json, .yml or .yaml`},
		{"no extension", "t", "[]", `t:1: the file's name ends in "": expected .json, .yml or .yaml`},
		{"empty", "t.json", " \n", `t.json:1: the file is empty: expected a list of {targets: [...], labels: {...}}, or [] if there are no targets`},
		{"comments", "t.yml", "# none\n", `t.yml:1: the file has comments only: expected a list of {targets: [...], labels: {...}}, or [] if there are no targets`},
		{"object", "t.json", `{"targets": []}`, `t.json:1: the file is an object: expected a list`},
		{"mapping", "t.yml", "targets: []\n", `t.yml:1: the file is a mapping: expected a list of {targets: [...], labels: {...}}`},
		{"list of strings", "t.json", "[\n\"10.0.0.1\"]", `t.json:2: group 1 is the string "10.0.0.1": expected an object`},
		{"list of words", "t.yml", "- 10.0.0.1\n", `t.yml:1: group 1 is the word "10.0.0.1": expected a mapping with targets or labels`},
		{"null group", "t.yml", "- {targets: []}\n-\n", `t.yml:2: group 2 is null: expected a mapping with targets or labels`},
		{"misspelt key", "t.json", `[{}, {"target": []}]`, `t.json:1: group 2 has an unknown key "target": expected targets or labels; did you mean "targets"?`},
		{"misspelt key", "t.yml", "- lables: {}\n", `t.yml:1: group 1 has an unknown key "lables": expected targets or labels; did you mean "labels"?`},
		{"key twice", "t.json", `[{"targets": [], "targets": []}]`, `t.json:1: group 1 has "targets" twice: expected targets or labels, once`},
		{"key twice", "t.yml", "- targets: []\n  targets: []\n", `t.yml:2: group 1 has "targets" twice: expected targets or labels, once`},
		{"targets no list", "t.json", `[{"targets": "10.0.0.1"}]`, `t.json:1: targets of group 1 are the string "10.0.0.1": expected a list of addresses`},
		{"targets no list", "t.yml", "- targets: {}\n", `t.yml:1: targets of group 1 are a mapping: expected a list of addresses`},
		{"number as target", "t.json", `[{"targets": ["10.0.0.1", 7]}]`, `t.json:1: group 1, target 2 is the number "7": expected a string: ` + expectedTarget},
		{"list as target", "t.yml", "- targets: [[10.0.0.1]]\n", `t.yml:1: group 1, target 1 is a list` + expected + expectedTarget},
		{"labels no object", "t.json", `[{"labels": []}]`, `t.json:1: labels of group 1 are a list: expected an object {"site": "a"}`},
		{"label no string", "t.json", `[{"labels": {"x": {}}}]`, `t.json:1: label "x" of group 1 is an object: expected a string`},
		{"label no string", "t.yml", "- labels:\n    x: []\n", `t.yml:2: label "x" of group 1 is a list: expected a string`},
		{"label twice", "t.json", `[{"labels": {"site": "a", "site": "b"}}]`, `t.json:1: group 1: label "site" is there twice: expected each label once`},
		{"merge key", "t.yml", "- labels: &a {site: a}\n- labels:\n    <<: *a\n", `t.yml:3: labels of group 2 have a merge key: expected the labels themselves, or an alias for all of them`},
		{"second document", "t.yml", "[]\n---\n[]\n", `t.yml:2: a second document begins: expected one list`},
		{"more behind", "t.json", "[]\n[]", `t.json:2: there is more behind the list: expected one list`},
		{"no JSON", "t.json", "[\n\n  targets]", `t.json:3: this is not JSON: invalid character 'a' in literal true (expecting 'r'): expected a list of {targets: [...], labels: {...}}`},
		{"cut in half", "t.json", "[{\"targets\":\n[\"10.0.0.1\",\n", `t.json:3: the file ends in the middle of the list: expected a whole one`},
		{"cut in a word", "t.json", "[{\"targets\":\n[\"10.0.", `t.json:2: the file ends in the middle of the list: expected a whole one`},
		{"cut behind a group", "t.json", "[{\"targets\":[\"10.0.0.1\"]}\n", `t.json:2: the file ends in the middle of the list: expected a whole one`},
		{"no YAML", "t.yml", "- targets: [\n", `t.yml:1: this is not YAML: did not find expected node content: expected a list of {targets: [...], labels: {...}}`},

		{"host name", "t.json", `[{"targets": ["web1.example.org:80"]}]`, "t.json:1: group 1, target 1: \"web1.example.org\" is a host name: expected an address: `discover dns` looks up names"},
		{"host name without port", "t.yml", "- targets: [localhost]\n", "t.yml:1: group 1, target 1: \"localhost\" is a host name: expected an address: `discover dns` looks up names"},
		{"URL", "t.json", `[{"targets": ["http://10.0.0.1"]}]`, `t.json:1: group 1, target 1: "http" is a host name: expected an address: ` + "`discover dns` looks up names"},
		{"nothing", "t.json", `[{"targets": [""]}]`, `t.json:1: group 1, target 1: "" is no target` + expected + expectedTarget},
		{"blank", "t.json", `[{"targets": [" 10.0.0.1"]}]`, `t.json:1: group 1, target 1: " 10.0.0.1" is no target` + expected + expectedTarget},
		{"misspelt address", "t.json", `[{"targets": ["10.0.0.256:80"]}]`, `t.json:1: group 1, target 1: "10.0.0.256:80" is no target` + expected + expectedTarget},
		{"prefix", "t.json", `[{"targets": ["10.0.0.0/24"]}]`, `t.json:1: group 1, target 1: "10.0.0.0/24" is no target` + expected + expectedTarget},
		{"open bracket", "t.json", `[{"targets": ["[::1:80"]}]`, `t.json:1: group 1, target 1: "[::1:80" is no target` + expected + expectedTarget},
		{"behind the bracket", "t.json", `[{"targets": ["[::1]80"]}]`, `t.json:1: group 1, target 1: "[::1]80" is no target` + expected + expectedTarget},
		{"IPv4 in brackets", "t.json", `[{"targets": ["[10.0.0.1]:80"]}]`, `t.json:1: group 1, target 1: "[10.0.0.1]:80" has an IPv4 address in brackets` + expected + expectedTarget},
		{"port 0", "t.json", `[{"targets": ["10.0.0.1:0"]}]`, `t.json:1: group 1, target 1: "10.0.0.1:0" has port "0": expected a port from 1 to 65535`},
		{"port 65536", "t.json", `[{"targets": ["10.0.0.1:65536"]}]`, `t.json:1: group 1, target 1: "10.0.0.1:65536" has port "65536": expected a port from 1 to 65535`},
		{"no port", "t.json", `[{"targets": ["[::1]:"]}]`, `t.json:1: group 1, target 1: "[::1]:" has port "": expected a port from 1 to 65535`},
		{"word as port", "t.json", `[{"targets": ["10.0.0.1:http"]}]`, `t.json:1: group 1, target 1: "10.0.0.1:http" has port "http": expected a port from 1 to 65535`},
		{"unspecified", "t.json", `[{"targets": ["0.0.0.0:80"]}]`, `t.json:1: group 1, target 1: address "0.0.0.0" is the unspecified address: expected the unicast address of a host`},
		{"unspecified IPv6", "t.json", `[{"targets": ["[::]:80"]}]`, `t.json:1: group 1, target 1: address "::" is the unspecified address: expected the unicast address of a host`},
		{"multicast", "t.json", `[{"targets": ["224.0.0.1"]}]`, `t.json:1: group 1, target 1: address "224.0.0.1" is multicast: expected the unicast address of a host`},
		{"zone", "t.json", `[{"targets": ["fe80::1%eth0"]}]`, `t.json:1: group 1, target 1: address "fe80::1%eth0" has a zone: expected the unicast address of a host`},
		{"weight above", "t.json", `[{"labels": {"weight": "65536"}}]`, `t.json:1: group 1: weight "65536" is out of range: expected a whole number from 0 to 65535`},
		{"weight below", "t.yml", "- labels: {weight: -1}\n", `t.yml:1: group 1: weight "-1" is out of range: expected a whole number from 0 to 65535`},
		{"weight with a point", "t.json", `[{"labels": {"weight": 1.5}}]`, `t.json:1: group 1: weight "1.5" is out of range: expected a whole number from 0 to 65535`},
		{"site", "t.json", `[{"labels": {"site": "a/b"}}]`, `t.json:1: group 1: site "a/b" cannot be used: expected at most 63 letters, digits, hyphens, underscores and dots`},
		{"another weight", "t.json", "[{\"targets\": [\"10.0.0.1:80\"], \"labels\": {\"site\": \"a\"}},\n{\"targets\": [\"10.0.0.1:080\"]}]",
			`t.json:2: group 2, target 1: "10.0.0.1:080" is on line 1 already, with site a and weight 1 and not no site and weight 1: expected one site and one weight of a target`},
		{"two faults", "t.yml", "- targets:\n  - a\n  - 10.0.0.1\n  - 10.0.0.1:0\n", "t.yml:2: group 1, target 1: \"a\" is a host name: expected an address: `discover dns` looks up names\n" +
			`t.yml:4: group 1, target 3: "10.0.0.1:0" has port "0": expected a port from 1 to 65535`},
		{"too many", "t.json", "[{\"targets\": [\"10.0.0.1\", \"10.0.0.1\"]},\n{\"targets\": [\"10.0.0.1\", \"10.0.0.1\"]}]",
			"t.json:2: the file has more than 3 targets: expected at most as many as the pool's `limit`"},
		{"long word", "t.json", `[{"targets": ["` + strings.Repeat("/", 200) + `"]}]`, `t.json:1: group 1, target 1: "` + strings.Repeat("/", 100) + `" and 100 bytes more is no target` + expected + expectedTarget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := ParseFile(tt.file, []byte(tt.text), 3)
			if found != nil || err == nil {
				t.Fatalf("Expected a fault, got %v", found)
			}
			if err.Error() != tt.want {
				t.Errorf("Expected\n%s, got\n%s", tt.want, err)
			}
			var problems config.Problems
			if !errors.As(err, &problems) {
				t.Errorf("Expected problems, got %T", err)
			}
		})
	}
}

func TestParseFileWithoutTargets(t *testing.T) {
	for name, text := range map[string]string{"a.json": "[]", "b.json": `[{"targets": [], "labels": {"site": "a"}}]`, "a.yml": "[]\n", "b.yml": "- labels: {site: a}\n"} {
		if found, err := ParseFile(name, []byte(text), 10); !errors.Is(err, ErrEmpty) || found != nil {
			t.Errorf("Expected ErrEmpty of %s, got %v and %v", name, found, err)
		}
	}
}

// fileGroup is a group as it is written.
type fileGroup struct {
	Targets []string          `json:"targets" yaml:"targets"`
	Labels  map[string]string `json:"labels,omitempty" yaml:"labels,omitempty"`
}

// TestParseFileProperties holds both forms against a map: however targets are spread over groups, in whatever order, each is found once
// with what was said of it.
func TestParseFileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := map[netip.AddrPort]config.Found{}
		var groups []fileGroup
		for range rapid.IntRange(1, 40).Draw(t, "targets") {
			address := netip.AddrFrom4([4]byte{10, 0, 0, rapid.Byte().Draw(t, "v4")})
			if rapid.Bool().Draw(t, "IPv6") {
				address = netip.MustParseAddr("2001:db8::" + strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "v6")))
			}
			at := netip.AddrPortFrom(address, uint16(rapid.IntRange(0, 3).Draw(t, "port")))
			f, twice := model[at]
			if !twice {
				f = config.Found{Address: address, Port: at.Port(), Site: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "site"), Weight: rapid.IntRange(0, 3).Draw(t, "weight")}
				model[at] = f
			}
			labels := map[string]string{"site": f.Site, "weight": strconv.Itoa(f.Weight), "env": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "env")}
			g := fileGroup{[]string{config.DefaultTargetID(f.Address, f.Port)}, labels}
			if last := len(groups) - 1; last >= 0 && rapid.Bool().Draw(t, "joined") && groups[last].Labels["site"] == f.Site && groups[last].Labels["weight"] == labels["weight"] {
				groups[last].Targets = append(groups[last].Targets, g.Targets...)
			} else {
				groups = append(groups, g)
			}
		}
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		var first []config.Found
		for range 3 {
			asJSON, _ := json.Marshal(groups)
			asYAML, _ := yaml.Marshal(groups)
			for name, text := range map[string][]byte{"t.json": asJSON, "t.yaml": asYAML} {
				found, err := ParseFile(name, text, 100)
				if err != nil || len(found) != len(model) {
					t.Fatalf("Expected %d targets of\n%s, got %v and %v", len(model), text, found, err)
				}
				for _, f := range found {
					if model[netip.AddrPortFrom(f.Address, f.Port)] != f {
						t.Fatalf("Expected what was written of\n%s, got %v", text, f)
					}
				}
				if first == nil {
					first = found
				} else if !slices.Equal(first, found) {
					t.Fatalf("Expected %v in any order and form, got %v", first, found)
				}
			}
			shuffle.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
			for _, g := range groups {
				shuffle.Shuffle(len(g.Targets), func(i, j int) { g.Targets[i], g.Targets[j] = g.Targets[j], g.Targets[i] })
			}
		}
	})
}

// FuzzParseFile feeds whatever a file may hold, in both forms: no panic, either faults with a line or targets that can be used; and
// what is cut short is never taken for a whole JSON file.
func FuzzParseFile(f *testing.F) {
	for _, text := range []string{
		`[{"targets": ["10.0.1.1:8080", "[2001:db8::1]:80", "10.0.1.2"], "labels": {"site": "a", "weight": "2"}}]`,
		"- targets: ['10.0.1.1:8080', 10.0.1.2]\n  labels: {site: a, weight: 2}\n", "- targets: &x [10.0.0.1]\n- targets: *x\n", "[]", "", "# x\n",
		"a:\n  - b\n  #c\n #d\n", "- &a [*a]\n", "%YAML 1.1\n--- !!seq\n- !!map {targets: !!seq [!!str 10.0.0.1]}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"t.json", "t.yml"} {
			found, err := ParseFile(name, text, 20)
			var problems config.Problems
			switch {
			case err == nil:
				if len(found) == 0 || len(found) > 20 {
					t.Errorf("Expected 1 to 20 targets, got %d", len(found))
				}
				for i, target := range found {
					if _, err := config.ParseAddress(target.Address.String()); err != nil || target.Weight < 0 || target.Weight > 65535 {
						t.Errorf("Expected a target that can be used, got %+v", target)
					}
					if i > 0 && Compare(found[i-1], target) >= 0 {
						t.Errorf("Expected each target once and in order, got %v", found)
					}
				}
				if name == "t.json" {
					whole := bytes.TrimRight(text, " \t\r\n")
					if cut, err := ParseFile(name, whole[:len(whole)-1], 20); err == nil {
						t.Errorf("Expected a cut file to be refused, got %v", cut)
					}
				}
			case errors.Is(err, ErrEmpty):
			case !errors.As(err, &problems):
				t.Errorf("Expected problems, got %T: %v", err, err)
			default:
				for _, p := range problems {
					if p.Position.File != name || p.Position.Line < 1 || p.Position.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+bytes.Count(text, []byte("\xc2\x85"))+bytes.Count(text, []byte("\xe2\x80"))+2 || p.Message == "" {
						t.Errorf("Expected a line of the file and a message, got %+v", p)
					}
				}
				if len(problems) > maxProblems+2 {
					t.Errorf("Expected at most ten faults and the number of the others, got %d", len(problems))
				}
			}
		}
	})
}

func BenchmarkParseFile(b *testing.B) {
	var groups []fileGroup
	for i := range 10_000 {
		groups = append(groups, fileGroup{[]string{netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}).String() + ":8080"}, map[string]string{"site": "a", "weight": "2", "env": "production"}})
	}
	asJSON, _ := json.Marshal(groups)
	asYAML, _ := yaml.Marshal(groups)
	for name, text := range map[string][]byte{"t.json": asJSON, "t.yaml": asYAML} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if found, err := ParseFile(name, text, 10_000); err != nil || len(found) != 10_000 {
					b.Fatalf("Expected 10,000 targets, got %d and %v", len(found), err)
				}
			}
		})
	}
}
