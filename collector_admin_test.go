package healthroute

import (
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/status"
)

// TestOverridesSeen: what operators say, and its end by itself, is in the metrics and the log.
func TestOverridesSeen(t *testing.T) {
	lines := captureLog(t)
	start(t, listening("example.org", shop()))
	c := apiClient(t)
	const end = "override_expiry_timestamp_seconds{object=site fra}"
	say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "always"})
	said := say(t, c, status.Order{Objects: []string{"site fra"}, State: "draining", For: "1h", Author: "alice", Reason: "power works"})
	samples := scrape(t)
	expectSamples(t, nil, samples, map[string]float64{
		"override{object=www.example.org./192.0.2.1,state=always}": 1, "override{object=site fra,state=draining}": 1,
		end: float64(said.Changed[0].Until.Unix()),
	})
	if _, there := samples["override_expiry_timestamp_seconds{object=www.example.org./192.0.2.1}"]; there {
		t.Error("Expected no end of what has none, got one")
	}
	for _, line := range []string{
		"an operator says that www.example.org./192.0.2.1 is always\n",
		"an operator says that site fra is draining until " + said.Changed[0].Until.Format(time.RFC3339) + ", by alice: power works\n",
	} {
		if strings.Count(lines.String(), line) != 1 {
			t.Errorf("Expected the line %q once, got:\n%s", line, lines)
		}
	}
	say(t, c, status.Order{Objects: []string{"site fra"}, State: "draining", For: "1ms"})
	eventually(t, "the end", func() bool { _, there := scrape(t)["override{object=site fra,state=draining}"]; return !there })
	eventually(t, "its line", func() bool { return strings.Contains(lines.String(), "operators say nothing of site fra any more\n") })
}
