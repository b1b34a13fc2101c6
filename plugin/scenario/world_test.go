package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// seconds makes a virtual time of a decimal number of seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func newWorld(t *testing.T, corefile string, files ...string) *World {
	t.Helper()
	s := Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(corefile)}}
	for i := 0; i < len(files); i += 2 {
		s.Files[files[i]] = []byte(files[i+1])
	}
	w, problems := NewWorld(s)
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a world, got: %v", errs)
	}
	t.Cleanup(w.Close)
	return w
}

const failoverCorefile = `
example.org:53 {
    errors
    healthroute {
        probe web http {
            interval 30s
            timeout 10s
            tolerate 3
            rise 1
            initial included
        }
        group www failover {
            probe web
            record 192.0.2.1 primary
            record 192.0.2.2 secondary
        }
    }
    file zone
}
`

const zoneText = `
$ORIGIN example.org.
@ 3600 IN SOA ns1 hostmaster 7 7200 1800 86400 300
@ 3600 IN NS ns1
@ 3600 IN MX 10 mail
ns1 3600 IN A 192.0.2.53
mail 3600 IN A 192.0.2.25
`

func (w *World) mustAsk(t *testing.T, name string, qtype uint16) []Outcome {
	t.Helper()
	out, err := w.Ask(Question{Name: name, Type: qtype})
	if err != nil {
		t.Fatalf("Expected an answer to %s, got: %v", name, err)
	}
	return out
}

// TestTimeline is spec 5.1, told to the world step by step.
func TestTimeline(t *testing.T) {
	w := newWorld(t, failoverCorefile, "zone", zoneText)
	for _, step := range []struct {
		at     float64
		do     string
		answer string
	}{
		{0, "", "192.0.2.1"},
		{0.05, "", "192.0.2.1"},
		{45, "hang", "192.0.2.1"},
		{159.99, "", "192.0.2.1"},
		{160, "", "192.0.2.2"},
		{195, "up", "192.0.2.2"},
		{210.04, "", "192.0.2.2"},
		{210.05, "", "192.0.2.1"},
		{240.05, "", "192.0.2.1"},
	} {
		w.AdvanceTo(seconds(step.at))
		if step.do != "" {
			if err := w.SetTarget("192.0.2.1", Behaviour{Kind: BehaviourKind(step.do)}); err != nil {
				t.Fatal(err)
			}
		}
		out := w.mustAsk(t, "www", dns.TypeA)
		if got := strings.Join(Values(out[0].Result.Msg), " "); len(out) != 1 || got != step.answer {
			t.Errorf("Expected %s at %gs, got %s of %d answers", step.answer, step.at, got, len(out))
		}
	}
	if n := w.Attempts("192.0.2.1"); n != 9 {
		t.Errorf("Expected 9 attempts, got %d", n)
	}
	if n, err := w.Transitions("web@192.0.2.1"); n != 2 || err != nil {
		t.Errorf("Expected 2 transitions, got %d, %v", n, err)
	}
}

// TestZoneFileBehind answers what we do not own, and the SOA of what we own, from the file behind us.
func TestZoneFileBehind(t *testing.T) {
	w := newWorld(t, failoverCorefile, "zone", zoneText)
	if got := Values(w.mustAsk(t, "@", dns.TypeMX)[0].Result.Msg); len(got) != 1 || got[0] != "10 mail.example.org." {
		t.Errorf("Expected the file's MX, got %v", got)
	}
	msg := w.mustAsk(t, "www", dns.TypeAAAA)[0].Result.Msg
	if len(msg.Ns) != 1 || msg.Ns[0].(*dns.SOA).Serial != 7 || msg.Ns[0].Header().Ttl != 30 {
		t.Errorf("Expected NODATA with the file's SOA and a TTL of 30, got %v", msg.Ns)
	}
	if msg := w.mustAsk(t, "nowhere", dns.TypeA)[0].Result.Msg; msg.Rcode != dns.RcodeNameError {
		t.Errorf("Expected the file's NXDOMAIN, got %s", dns.RcodeToString[msg.Rcode])
	}
}

// TestAdmin takes records out and in: at once, whatever their health, and with an end.
func TestAdmin(t *testing.T) {
	w := newWorld(t, failoverCorefile, "zone", zoneText)
	expect := func(at float64, want string) {
		t.Helper()
		w.AdvanceTo(seconds(at))
		if got := strings.Join(Values(w.mustAsk(t, "www", dns.TypeA)[0].Result.Msg), " "); got != want {
			t.Errorf("Expected %q at %gs, got %q", want, at, got)
		}
	}
	say := func(object, state string, lasts time.Duration) {
		t.Helper()
		if err := w.Admin(object, state, lasts); err != nil {
			t.Fatal(err)
		}
	}
	expect(10, "192.0.2.1")
	say("www/192.0.2.1", "disabled", 0)
	expect(10, "192.0.2.2")
	expect(100, "192.0.2.2")
	if n := w.Attempts("192.0.2.1"); n != 1 {
		t.Errorf("Expected no attempt on a disabled record, got %d in all", n)
	}
	say("www/192.0.2.1", "enabled", 0)
	expect(100, "192.0.2.1")
	expect(100.05, "192.0.2.1")
	if n := w.Attempts("192.0.2.1"); n != 2 {
		t.Errorf("Expected an attempt at once when the record is enabled, got %d in all", n)
	}
	say("www/192.0.2.1", "draining", seconds(60))
	expect(160.04, "192.0.2.2")
	expect(160.05, "192.0.2.1")
	if n := w.Attempts("192.0.2.1"); n != 4 {
		t.Errorf("Expected attempts to go on while draining, got %d in all", n)
	}
	say("www", "disabled", 0)
	expect(161, "")
	say("www", "enabled", 0)
	if err := w.SetTarget("192.0.2.1", Behaviour{Kind: Refuse}); err != nil {
		t.Fatal(err)
	}
	say("www/192.0.2.1", "always", 0)
	expect(1000, "192.0.2.1")
	if err := w.Admin("www/192.0.2.9", "disabled", 0); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("Expected an error with the nearest object, got %v", err)
	}
}

// TestReload keeps what stayed, and changes nothing when the new Corefile is refused.
func TestReload(t *testing.T) {
	w := newWorld(t, failoverCorefile, "zone", zoneText)
	if err := w.SetTarget("192.0.2.1", Behaviour{Kind: Refuse}); err != nil {
		t.Fatal(err)
	}
	w.AdvanceTo(seconds(91))
	attempts := w.Attempts("192.0.2.1")
	broken := Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte("example.org {\nhealthroute {\nttll 3s\n}\n}\n")}}
	if problems := w.Reload(broken); problems.Errors() == nil {
		t.Error("Expected a broken Corefile to be refused")
	}
	same := Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(failoverCorefile), "zone": []byte(zoneText)}}
	if problems := w.Reload(same); problems.Errors() != nil {
		t.Errorf("Expected the same Corefile to be taken, got: %v", problems)
	}
	if n := w.Attempts("192.0.2.1"); n != attempts {
		t.Errorf("Expected no attempt because of reloads, got %d", n-attempts)
	}
	if got := Values(w.mustAsk(t, "www", dns.TypeA)[0].Result.Msg)[0]; got != "192.0.2.2" {
		t.Errorf("Expected the secondary to go on answering, got %s", got)
	}
}
