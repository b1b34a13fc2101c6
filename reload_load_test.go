package healthroute

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// reloadLoad is clients that ask a reloading server without a pause, and hold each answer against what may be said at that moment.
type reloadLoad struct {
	t       *testing.T
	holds   atomic.Int64 // the configuration in force
	coming  atomic.Int64 // the one that may be: a reload to it has begun
	asked   atomic.Int64
	stop    chan struct{}
	halt    func() // ends the clients
	clients sync.WaitGroup
}

func newReloadLoad(t *testing.T, r *reloading, n int) *reloadLoad {
	l := &reloadLoad{t: t, stop: make(chan struct{})}
	l.halt = sync.OnceFunc(func() {
		close(l.stop)
		l.clients.Wait()
	})
	t.Cleanup(l.halt)
	l.holds.Store(int64(n))
	l.coming.Store(int64(n))
	for i := range 5 {
		network := []string{"udp", "udp", "udp", "tcp", "tcp"}[i]
		address := r.address(network)
		l.clients.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				if fault := l.ask(network, address, r); fault != "" {
					t.Errorf("%s by %s", fault, network)
					return
				}
				l.asked.Add(1)
			}
		})
	}
	return l
}

func (l *reloadLoad) end() {
	l.halt()
	if asked := l.asked.Load(); asked < manyReloads {
		l.t.Errorf("Expected at least a round of questions for each reload, got %d", asked)
	}
}

// ask asks all names once and returns what is wrong.
func (l *reloadLoad) ask(network, address string, r *reloading) (fault string) {
	for name, want := range map[string]string{
		"steady": r.up.address, "redefined": "192.0.2.9", "bulk7": "192.0.2.1 192.0.2.2 192.0.2.3", "flip": r.flip.address + " 192.0.2.9",
	} {
		if got := askOnce(network, address, name+".example.org.", "A"); got == "" || !strings.Contains(want, got) {
			return fmt.Sprintf("Expected %s of %s, got %q", want, name, got)
		}
	}
	if got := askOnce(network, address, "steady.example.org.", "AAAA"); got != "NOERROR" {
		return fmt.Sprintf("Expected no data, got %q", got)
	}
	least := l.holds.Load()
	marker := askOnce(network, address, "marker.example.org.", "TXT")
	most := l.coming.Load()
	if n, err := strconv.ParseInt(strings.Trim(marker, `"`), 10, 64); err != nil || n < least || n > most {
		return fmt.Sprintf("Expected an answer of one of the configurations %d to %d, got %s", least, most, marker)
	}
	least = l.holds.Load()
	got := askOnce(network, address, "coming.example.org.", "A")
	most = l.coming.Load()
	want := r.coming.address
	if least%2 == 0 {
		want = "NXDOMAIN"
	}
	if got != want && (least == most || got != "NXDOMAIN" && got != r.coming.address) {
		return fmt.Sprintf("Expected %s under the configurations %d to %d, got %s", want, least, most, got)
	}
	return ""
}

// askOnce returns the data of the answer, or the code of one without; "" for none. By TCP CoreDNS itself drops what it has accepted and not read when it
// closes a server, so there a question whose connection was closed is asked again.
func askOnce(network, address, name, word string) string {
	tries := 1
	if network == "tcp" {
		tries = 20
	}
	for range tries {
		reply, err := exchange(network, address, question(name, dns.StringToType[word]))
		switch {
		case err != nil:
		case len(reply.Answer) == 0:
			return dns.RcodeToString[reply.Rcode]
		default:
			return strings.Join(data(reply.Answer), " ")
		}
	}
	return ""
}
