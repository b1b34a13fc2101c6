package healthroute

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/status"
)

// manyTargets is a pool of so many targets that are tested by the probe.
func manyTargets(n int, options string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("target 10.%d.%d.%d site %c", i/62500, i/250%250, i%250, 'a'+rune(i%2))
	}
	return "pool app {\n" + options + "\n" + strings.Join(lines, "\n") + "\n}\ngroup www multivalue {\nalias pool app\n}"
}

func TestMeasureMany(t *testing.T) {
	for _, n := range []int{1000, 10000} {
		start(t, listening("example.org", stanza(shownAt, "probe web tcp {\nport 9\ninterval 1h\ntimeout 100ms\n}", manyTargets(n, "probe web"))))
		c := apiClient(t)
		for _, o := range []status.Order{
			{Objects: []string{"pool app/10.0.0.*", "pool app/10.0.1.*", "pool app/10.0.2.*", "pool app/10.0.3.*"}, State: "disabled"},
			{Objects: []string{"pool app/*"}, State: "enabled"},
			{Objects: []string{"pool app/10.0.0.*", "pool app/10.0.1.*", "pool app/10.0.2.*", "pool app/10.0.3.*"}, State: "deregistered"},
			{Objects: []string{"pool app/*"}, State: "enabled"},
		} {
			o.Force = true
			began := time.Now()
			said := say(t, c, o)
			fmt.Println(n, o.State, len(said.Changed), time.Since(began))
		}
		began := time.Now()
		_, err := c.Pools(t.Context(), "")
		fmt.Println("pools", time.Since(began), err)
		began = time.Now()
		_, err = c.Overrides(t.Context())
		fmt.Println("overrides", time.Since(began), err)
		var words []string
		for i := range 1000 {
			words = append(words, fmt.Sprintf("pool app/10.0.%d.%d", i/250, i%250))
		}
		began = time.Now()
		said := say(t, c, status.Order{Objects: words, State: "draining", Force: true})
		fmt.Println("words", len(said.Changed), time.Since(began), err)
		running.newest()
	}
}
