package healthroute

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// discovering is a server whose pool finds its targets in a file and in a zone of *file* behind it, and one real listener for each target. Attempts are so
// far apart that each target gets one: whatever resets a check makes another.
type discovering struct {
	*server
	t        *testing.T
	dir      string
	corefile string
	backends map[string]*backend // by address
	port     string
	serial   int
}

func newDiscovering(t *testing.T) *discovering {
	hurry(t)
	d := &discovering{t: t, dir: t.TempDir(), backends: map[string]*backend{}}
	first := newBackend(t, "127.0.0.81", "0")
	d.port = first.Port
	d.backends[first.Address] = first
	for n := 82; n <= 86; n++ {
		address := fmt.Sprintf("127.0.0.%d", n)
		d.backends[address] = newBackend(t, address, d.port)
	}
	d.write("targets.json", d.list(81, 82))
	d.zone(83)
	d.corefile = listening("example.org example.net",
		"healthroute example.org {",
		"probe web http {", "port "+d.port, "interval 1h", "}",
		"pool app {", "probe web", "drain 1m", "discover file "+filepath.Join(d.dir, "targets.json"), "discover dns _web._tcp.example.net. SRV site dns", "}",
		"group www simple {", "alias pool app", "}",
		"}",
		"file "+filepath.Join(d.dir, "example.net.zone")+" example.net {", "reload 20ms", "}")
	d.server = start(t, d.corefile)
	return d
}

// hurry makes files be looked at without delay.
func hurry(t *testing.T) {
	before := rereadEvery
	rereadEvery = 5 * time.Millisecond
	t.Cleanup(func() { rereadEvery = before })
}

// list is a file of targets.
func (d *discovering) list(last ...int) string {
	var targets []string
	for _, n := range last {
		targets = append(targets, fmt.Sprintf("%q", fmt.Sprintf("127.0.0.%d", n)))
	}
	return `[{"targets": [` + strings.Join(targets, ", ") + `], "labels": {"site": "file"}}]`
}

// write replaces a file whole.
func (d *discovering) write(name, text string) {
	d.t.Helper()
	finished := filepath.Join(d.dir, name)
	if err := os.WriteFile(finished+".new", []byte(text), 0o600); err != nil {
		d.t.Fatalf("Expected to write %s, got: %v", name, err)
	}
	if err := os.Rename(finished+".new", finished); err != nil {
		d.t.Fatalf("Expected to replace %s, got: %v", name, err)
	}
}

// zone makes the zone behind us name these targets.
func (d *discovering) zone(last ...int) {
	d.t.Helper()
	d.serial++
	text := fmt.Sprintf("$ORIGIN example.net.\n@ 1 IN SOA ns hostmaster %d 3600 600 86400 1\n@ 1 IN NS ns\nns 1 IN A 127.0.0.1\n", d.serial)
	for _, n := range last {
		text += fmt.Sprintf("_web._tcp 1 IN SRV 0 1 %s t%d\nt%d 1 IN A 127.0.0.%d\n", d.port, n, n, n)
	}
	d.write("example.net.zone", text)
}

// await waits until exactly these targets answer.
func (d *discovering) await(last ...int) {
	d.t.Helper()
	var want []string
	for _, n := range last {
		want = append(want, fmt.Sprintf("127.0.0.%d", n))
	}
	var got []string
	eventually(d.t, fmt.Sprintf("targets %v", want), func() bool {
		got = data(d.ask("www.example.org.", dns.TypeA).Answer)
		slices.Sort(got)
		return slices.Equal(got, want)
	})
}

// attemptedOnce expects that each of the targets has been attempted once, whatever happened since.
func (d *discovering) attemptedOnce(last ...int) {
	d.t.Helper()
	for _, n := range last {
		address := fmt.Sprintf("127.0.0.%d", n)
		if got := d.backends[address].count(); got != 1 {
			d.t.Errorf("Expected one attempt at %s, got %d", address, got)
		}
	}
}

// TestDiscovery edits a file of targets and a zone behind us while queries run: answers follow, and no target that stays, or comes back while it
// drains, is attempted anew.
func TestDiscovery(t *testing.T) {
	d := newDiscovering(t)
	d.await(81, 82, 83)
	stop, failed := d.queries()

	d.write("targets.json", d.list(82, 84))
	d.await(82, 83, 84)
	d.zone(83, 85)
	d.await(82, 83, 84, 85)
	d.write("targets.json", d.list(84, 81)) // 81 comes back, 82 goes
	d.await(81, 83, 84, 85)

	for name, bad := range map[string]string{
		"cut in half": d.list(81, 84)[:20], "empty": "", "no list": "{}", "no targets": "[]", "a name": `[{"targets": ["host.example.org:80"]}]`,
		"a bad address": `[{"targets": ["127.0.0.300"]}]`,
	} {
		d.write("targets.json", bad)
		awaitFault(t, name)
		d.await(81, 83, 84, 85)
	}
	d.write("targets.json", d.list(81, 84))
	d.zone()    // nobody there any more: what was known stays
	close(stop) // a reload opens another port
	if n := <-failed; n > 0 {
		t.Errorf("Expected an answer to every query, got %d without", n)
	}
	d.mustReload(d.corefile)
	d.await(81, 83, 84, 85)
	if err := d.reload(strings.Replace(d.corefile, "port "+d.port, "prot 1", 1)); err == nil {
		t.Error("Expected the broken Corefile to be refused")
	}
	d.zone(83)
	d.await(81, 83, 84)
	d.attemptedOnce(81, 82, 83, 84, 85)
	if n := d.backends["127.0.0.86"].count(); n != 0 {
		t.Errorf("Expected no attempt at a target that nobody names, got %d", n)
	}
}

// queries asks again and again until stop is closed, and then tells how many queries had no address.
func (d *discovering) queries() (stop chan struct{}, failed chan int) {
	stop, failed = make(chan struct{}), make(chan int, 1)
	address := d.address("udp")
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				failed <- n
				return
			default:
			}
			r, err := exchange("udp", address, question("www.example.org.", dns.TypeA))
			if err != nil || r.Rcode != dns.RcodeSuccess || len(r.Answer) == 0 {
				n++
			}
		}
	}()
	return stop, failed
}

// awaitFault waits until the file is known to be unusable.
func awaitFault(t *testing.T, what string) {
	t.Helper()
	eventually(t, "a fault of the source: "+what, func() bool {
		for _, i := range running.all() {
			for _, s := range i.blocks[0].sources.All() {
				if strings.HasSuffix(s.String(), "targets.json") && s.State().Fault != "" {
					return true
				}
			}
		}
		return false
	})
}

// TestDiscoveryOfTooMany refuses a list that is longer than the pool's limit, and loses nothing that was there.
func TestDiscoveryOfTooMany(t *testing.T) {
	d := newDiscovering(t)
	d.await(81, 82, 83)
	var many strings.Builder
	many.WriteString(`[{"targets": [`)
	for i := range 1_000_000 {
		fmt.Fprintf(&many, `"127.%d.%d.%d",`, 1+i>>16, i>>8&255, i&255)
	}
	many.WriteString(`"127.0.0.86"]}]`)
	d.write("targets.json", many.String())
	awaitFault(t, "a million targets")
	d.await(81, 82, 83)
	d.write("targets.json", d.list(81))
	d.await(81, 83)
	d.attemptedOnce(81, 82, 83)
}
