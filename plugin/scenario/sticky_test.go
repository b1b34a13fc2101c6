package scenario

import (
	"net/netip"
	"testing"

	"github.com/miekg/dns"
)

// What sticky promises is about many clients, which a scenario file cannot count.

// stickyWorld is a sticky weighted group of the records, all of them healthy.
func stickyWorld(t *testing.T, option string, records ...string) *World {
	t.Helper()
	text := "example.org {\nhealthroute {\nprobe web http\ngroup www weighted {\n" + option + "\nprobe web\n"
	for _, r := range records {
		text += "record " + r + "\n"
	}
	w, problems := NewWorld(Source{Name: corefileName, Files: map[string][]byte{corefileName: []byte(text + "}\n}\n}\n")}})
	if w == nil {
		t.Fatal(problems.Errors())
	}
	t.Cleanup(w.Close)
	return w
}

// certain is the one answer that a client of the network gets, whichever it is.
func certain(t *testing.T, w *World, qtype uint16, from netip.Addr) string {
	t.Helper()
	outcomes, err := w.Ask(Question{Name: "www", Type: qtype, From: from})
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 1 {
		t.Fatalf("Expected one possible answer for %s, got %s", from, describe(outcomes))
	}
	return key(outcomes[0])
}

// clientIn is a client of the n-th /24.
func clientIn(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 7})
}

// TestStickyOneRecord is T-266 and T-289: one network has one record, and for both families the same one if it has both.
func TestStickyOneRecord(t *testing.T) {
	w := stickyWorld(t, "sticky ipv4 24", "192.0.2.1,2001:db8::1 id a", "192.0.2.2,2001:db8::2 id b", "192.0.2.3,2001:db8::3 id c")
	seen := map[string]bool{}
	for n := range 100 {
		client := clientIn(n)
		four, six := certain(t, w, dns.TypeA, client), certain(t, w, dns.TypeAAAA, client)
		if four[len(four)-1] != six[len(six)-1] {
			t.Errorf("Expected one record for both families of %s, got %s and %s", client, four, six)
		}
		if neighbour := certain(t, w, dns.TypeA, client.Next()); neighbour != four {
			t.Errorf("Expected %s for the neighbour of %s too, got %s", four, client, neighbour)
		}
		seen[four] = true
	}
	if len(seen) != 3 {
		t.Errorf("Expected every record for some of 100 networks, got %v", seen)
	}
}

// TestStickyMovesOnlyItsOwn is T-290: a record that fails moves its own clients, and they come back.
func TestStickyMovesOnlyItsOwn(t *testing.T) {
	w := stickyWorld(t, "sticky", "192.0.2.1", "192.0.2.2", "192.0.2.3")
	const networks = 1000
	var before [networks]string
	for n := range networks {
		before[n] = certain(t, w, dns.TypeA, clientIn(n))
	}
	set := func(state string) {
		if err := w.SetHealth("www/192.0.2.3", state); err != nil {
			t.Fatal(err)
		}
	}
	set("unhealthy")
	moved := map[string]int{}
	for n := range networks {
		switch after := certain(t, w, dns.TypeA, clientIn(n)); {
		case before[n] == "192.0.2.3":
			moved[after]++
		case after != before[n]:
			t.Errorf("Expected %s to stay at %s, got %s", clientIn(n), before[n], after)
		}
	}
	if moved["192.0.2.3"] > 0 || moved["192.0.2.1"] == 0 || moved["192.0.2.2"] == 0 {
		t.Errorf("Expected the clients of the failed record at both others, got %v", moved)
	}
	set("healthy")
	for n := range networks {
		if again := certain(t, w, dns.TypeA, clientIn(n)); again != before[n] {
			t.Errorf("Expected %s back at %s, got %s", clientIn(n), before[n], again)
		}
	}
}

// TestStickyShares is T-291: over many networks the shares are those of the weights.
func TestStickyShares(t *testing.T) {
	w := stickyWorld(t, "sticky", "192.0.2.1 weight 1", "192.0.2.2 weight 3")
	const networks = 20_000
	first := 0
	for n := range networks {
		if certain(t, w, dns.TypeA, clientIn(n)) == "192.0.2.1" {
			first++
		}
	}
	if share := float64(first) / networks; share < 0.23 || share > 0.27 {
		t.Errorf("Expected a share of 1/4 within 0.02, got %.4f", share)
	}
}
