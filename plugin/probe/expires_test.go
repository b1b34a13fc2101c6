package probe

import (
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

func lasting(d time.Duration) func(*config.Probe) {
	return func(p *config.Probe) { p.TLS.Expires = d }
}

// A certificate that has less left than asked for fails, whether or not it is verified, and the result says until when it is valid.
func TestExpires(t *testing.T) {
	now := time.Now()
	from := now.AddDate(0, -1, 0)
	day := config.Day
	tests := []struct {
		name   string
		left   time.Duration
		probe  []func(*config.Probe)
		reason string // TILL is the day of the end
	}{
		{"long enough", 15 * day, []func(*config.Probe){trusting(t), lasting(14 * day)}, ""},
		{"too short", 3*day + 2*time.Hour, []func(*config.Probe){trusting(t), lasting(14 * day)},
			"certificate expires on TILL, in 3d1h, expected 14d at least"},
		{"too short, not verified", 3*day + 2*time.Hour, []func(*config.Probe){careless, lasting(14 * day)},
			"certificate expires on TILL, in 3d1h, expected 14d at least"},
		{"expired, not verified", -day, []func(*config.Probe){careless, lasting(time.Hour)}, "certificate expired on TILL"},
		{"expired, nobody looks", -day, []func(*config.Probe){careless}, ""},
		{"expired, verified", -day, []func(*config.Probe){trusting(t), lasting(14 * day)}, "certificate expired on TILL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			own := certificate(t, issued{names: []string{"a.example"}, from: from, till: now.Add(test.left)})
			target := at(serve(t, overTLS(t, own, says(reply("", "OK")))))
			target.SNI = "a.example"
			outcome, reason := Pass, ""
			if test.reason != "" {
				outcome = Fail
				reason = replaceTill(test.reason, own.Leaf.NotAfter)
			}
			got := attempt(t, proberOf(t, config.ProbeHTTPS, test.probe...), target, patience)
			expect(t, got, outcome, reason)
			if got.Expires != own.Leaf.NotAfter.Unix() {
				t.Errorf("Expected a certificate until %v, got %v", own.Leaf.NotAfter, time.Unix(got.Expires, 0))
			}
		})
	}
}

func replaceTill(reason string, till time.Time) string {
	return strings.ReplaceAll(reason, "TILL", till.UTC().Format(time.DateOnly))
}
