package scenario

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	tm      = config.PresetTrafficManager
	route53 = config.PresetRoute53
)

// row writes a group of records from columns: what each record has of its own, and its state.
func row(head, each, states string) string {
	columns := strings.Fields(states)
	var out []string
	for i, own := range strings.Split(each, ";") {
		if i < len(columns) {
			out = append(out, fmt.Sprintf("r%d %s %s", i+1, own, strings.ReplaceAll(columns[i], ",", " ")))
		}
	}
	return head + ": " + strings.Join(out, ";")
}

// weightedCases are T-005 to T-036; the states of checks in T-029 to T-031 are written as what the check says in the end.
func weightedCases() []specCase {
	var all []specCase
	add := func(id string, preset config.Preset, weights, states, want string) {
		each := "w" + strings.ReplaceAll(weights, ",", ";w")
		all = append(all, specCase{id: id, preset: preset, text: row("www weighted", each, states), want: want})
	}
	add("T-005", "", "10,20,20", "H H H", "1/5 r1, 2/5 r2, 2/5 r3")
	add("T-006", "", "10,20,20", "H H U", "1/3 r1, 2/3 r2")
	add("T-007", "", "10,20,20", "H U U", "r1")
	add("T-008", "", "10,20,20", "U H U", "r2")
	add("T-009", "", "10,20,20", "U U U", "1/5 r1, 2/5 r2, 2/5 r3")
	add("T-010", "", "10,20,20", "U U -", "r3")
	add("T-011", "", "10,20,20", "H H -", "1/5 r1, 2/5 r2, 2/5 r3")
	add("T-012", "", "10,20,20", "- - -", "1/5 r1, 2/5 r2, 2/5 r3")
	add("T-013", "", "1,255", "H H", "1/256 r1, 255/256 r2")
	add("T-014", "", "0,0,0", "H H H", "1/3 r1, 1/3 r2, 1/3 r3")
	add("T-015", "", "0,0,0", "H H U", "1/2 r1, 1/2 r2")
	add("T-016", "", "0,0,0", "U U U", "1/3 r1, 1/3 r2, 1/3 r3")
	add("T-017", "", "1,1,0", "H H H", "1/2 r1, 1/2 r2")
	add("T-018", "", "1,1,0", "U U H", "r3")
	add("T-019", "", "1,1,0", "U U U", "1/2 r1, 1/2 r2")
	add("T-020", "", "1,1,0", "U H U", "r2")
	add("T-021", "", "1,1,0", "H H U", "1/2 r1, 1/2 r2")
	add("T-022", "", "1,1,0", "H H -", "1/2 r1, 1/2 r2")
	add("T-023", "", "1,1,0", "U U -", "r3")
	add("T-024", "", "1,1,0", "U H -", "r2")
	add("T-025", "", "10,0,0", "U H H", "1/2 r2, 1/2 r3")
	add("T-026", "", "10,0,0", "U U U", "r1")
	add("T-027", "", "5", "U", "r1")
	add("T-028", route53, "1,1", "H NEW", "1/2 r1, 1/2 r2")
	add("T-029", "", "1,1", "H U", "r1")
	add("T-030", "", "1,1", "H H", "1/2 r1, 1/2 r2")
	add("T-031", "", "1,1", "H U", "r1")
	add("T-032", tm, "1,1,1", "H NEW -", "1/3 r1, 1/3 r2, 1/3 r3")
	add("T-033", tm, "3,1,1", "H U H,off", "r1")
	add("T-034", tm, "3,1,1", "U U U,off", "3/4 r1, 1/4 r2")
	add("T-035", tm, "3,1,1", "U U,stopped U,off", "r1")
	add("T-219", tm, "1,1", "H,off H,off", "nxdomain")
	add("T-221", tm, "1,1", "H,off H,stopped", "nxdomain")
	add("T-222", tm, "1,1", "U H,off", "r1")
	add("T-223", tm, "1,1,1,1", "U U H,off H,stopped", "1/2 r1, 1/2 r2")
	add("T-224", tm, "1,1", "NEW U", "r1")
	add("T-225", tm, "1,1", "- H", "1/2 r1, 1/2 r2")
	add("T-226", tm, "1,1", "- U", "r1")
	add("T-227", tm, "1,1", "H U", "r1")
	add("T-293", "", "1,1,1", "H,draining U U", "1/2 r2, 1/2 r3")
	all = append(all, specCase{id: "T-218", preset: tm, text: "www weighted disabled: r1 H; r2 H", want: "nxdomain"})
	all = append(all, specCase{id: "T-218 none", text: "www weighted disabled: r1 H; r2 H", want: "nodata"})
	return all
}

// failoverCases are T-037 to T-067.
func failoverCases() []specCase {
	var all []specCase
	failover := func(id, states, want string) {
		all = append(all, specCase{id: id, text: row("www failover", "primary;secondary", states), want: want})
	}
	failover("T-037", "H H", "r1")
	failover("T-038", "H U", "r1")
	failover("T-039", "H -", "r1")
	failover("T-040", "U H", "r2")
	failover("T-041", "U U", "r1")
	failover("T-042", "U -", "r2")
	failover("T-043", "- H", "r1")
	failover("T-044", "- U", "r1")
	failover("T-045", "- -", "r1")
	failover("T-046", "U", "r1")
	failover("T-047", "NEW H", "r1")
	failover("T-048", "H H", "r1")
	failover("T-049", "U H", "r2")
	tree := func(id, primary, secondary, inner, want string) {
		all = append(all, specCase{id: id, text: "www failover: p primary " + primary + "; s secondary " + secondary + "\n" + inner, want: want})
	}
	tree("T-050", "v4=x:H v4=y:H", "H", "one simple: z H", "x+y")
	tree("T-051", ">w", "H", "w weighted: r1 w10 H; r2 w20 U; r3 w20 U", "r1")
	tree("T-052", ">w", ">v", "w weighted: r1 U; r2 U\nv weighted: x H; y U", "x")
	tree("T-053", ">w", ">v", "w weighted: r1 w10 U; r2 w20 U; r3 w20 U\nv weighted: x U; y U", "1/5 r1, 2/5 r2, 2/5 r3")
	tree("T-054", "~w", "H", "w weighted: r1 U; r2 U", "1/2 r1, 1/2 r2")
	tree("T-055", ">w U", "H", "w weighted: r1 H; r2 H", "s")
	tree("T-056", "U", "~w", "w weighted: r1 U; r2 U", "1/2 r1, 1/2 r2")
	priority := func(id, states, want string) {
		all = append(all, specCase{id: id, preset: tm, text: row("www priority", "p1;p2;p3", states), want: want})
	}
	priority("T-058", "H H H", "r1")
	priority("T-059", "U H H", "r2")
	priority("T-060", "U U H", "r3")
	priority("T-061", "U U U", "r1")
	priority("T-062", "H,off U H", "r3")
	priority("T-063", "H,off U U", "r2")
	priority("T-064", "H,stopped U U", "r2")
	priority("T-065", "NEW H", "r1")
	priority("T-066", "- H", "r1")
	priority("T-067", "U NEW H", "r2")
	for i, c := range [][2]string{{"H H H", "r1+r2"}, {"U H H", "r2"}, {"U U H", "r3"}, {"U U U", "r1+r2"}} {
		all = append(all, specCase{id: "T-294 " + string(rune('a'+i)), text: row("www priority", "p1;p1;p2", c[0]), want: c[1]})
	}
	return all
}
