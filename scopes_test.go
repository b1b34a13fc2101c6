package healthroute

import (
	"slices"
	"testing"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// TestScopesAreScenarios holds how a server tells its blocks apart against how virtual time does, so that `check -against` says what a reload does.
func TestScopesAreScenarios(t *testing.T) {
	const some = "healthroute {\n}"
	text := listening("example.org Example.NET", some) + listening("10.1.0.0/23 example.com", some) + listening("10.0.0.0/23", some)
	start(t, text)
	var got, want []string
	for _, b := range running.all()[0].blocks {
		got = append(got, b.key)
	}
	blocks, problems := scenario.Load(scenario.Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(text)}})
	if problems.Errors() != nil {
		t.Fatal(problems)
	}
	for _, b := range blocks {
		want = append(want, b.Scope)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Expected the scopes\n%q, got\n%q", want, got)
	}
}
