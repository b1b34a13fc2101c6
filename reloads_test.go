package healthroute

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// TestReloadsUnderLoad is user report 29: fifty reloads, half of them broken, cost no query, and leave as many goroutines,
// sockets and checks as there were.
func TestReloadsUnderLoad(t *testing.T) {
	const reloads = 50
	kept := newBackend(t, "127.0.0.1", "0")
	coming := newBackend(t, "127.0.0.2", kept.Port)
	alone := listening("example.org", hourly("/", kept))
	both := listening("example.org", hourly("/", kept, coming))
	s := start(t, alone)
	s.mustReload(both) // everything that is made once has been made
	s.mustReload(alone)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)

	load := newLoad(s.address("udp"), 4)
	broken := []string{
		strings.Replace(both, "multivalue", "nonsense", 1),
		strings.Replace(both, "healthroute", "broken setup\nhealthroute", 1),
		strings.Replace(both, "healthroute", "broken start\nhealthroute", 1),
	}
	attempted := coming.count()
	for i := range reloads / 2 {
		b := broken[i%len(broken)]
		if err := s.reload(b); err == nil {
			t.Fatalf("Expected the reload to fail, got none for:\n%s", b)
		}
		if strings.Contains(b, "broken start") {
			attempted++ // our part of it had started
		}
		if i%2 == 0 {
			s.mustReload(both)
			attempted++
		} else {
			s.mustReload(alone)
		}
		load.step()
	}
	s.mustReload(alone)
	asked, unanswered := load.end()
	if unanswered > 0 || asked < reloads {
		t.Errorf("Expected an answer to each of at least %d queries, got none for %d of %d", reloads, unanswered, asked)
	}
	expectHits(t, kept, 1)
	expectChecks(t, 1)
	eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "no more open files than before", func() bool { return openFiles(t) <= files })
	if got := coming.count(); got > attempted {
		t.Errorf("Expected at most %d attempts of what came and went, got %d", attempted, got)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("Expected a list of open files, got: %v", err)
	}
	return len(files)
}

// load is clients that ask by UDP without a pause. By TCP CoreDNS itself drops what it has accepted and not read.
type load struct {
	asked, unanswered atomic.Int64
	stop              chan struct{}
	clients           sync.WaitGroup
}

func newLoad(address string, clients int) *load {
	l := &load{stop: make(chan struct{})}
	for range clients {
		l.clients.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				r, err := exchange("udp", address, question("www.example.org.", dns.TypeA))
				if err != nil || r.Rcode != dns.RcodeSuccess || len(r.Answer) == 0 {
					l.unanswered.Add(1)
				}
				l.asked.Add(1)
			}
		})
	}
	return l
}

// step waits until another query has been asked.
func (l *load) step() {
	for before := l.asked.Load(); l.asked.Load() == before; {
		select {
		case <-l.stop:
			return
		default:
		}
	}
}

func (l *load) end() (asked, unanswered int64) {
	close(l.stop)
	l.clients.Wait()
	return l.asked.Load(), l.unanswered.Load()
}
