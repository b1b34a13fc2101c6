//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"math"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// TestWeights draws often enough that 0.02 is about six standard deviations. It is the only test that keeps the processors busy, so
// it runs alone: an attempt of another test must not miss its timeout.
func TestWeights(t *testing.T) {
	const draws = 20_000
	backends := newBackends(t, 3)
	a, b, c := backends[0], backends[1], backends[2]
	s := start(t, fmt.Sprintf("healthroute {\n%sgroup www weighted {\nprobe web\n"+
		"record %s weight 10\nrecord %s weight 20\nrecord %s weight 20\n}\n}",
		probe("web", "http", a, quick, "fall 1", "rise 1"), a.host, b.host, c.host))

	expectShares(t, s.draw(draws), map[string]float64{a.host: 0.2, b.host: 0.4, c.host: 0.4})

	c.set(modeError)
	c.await(2) // the second attempt begins when everybody knows that the first failed
	answered := func() int { return s.metric("answers_total", `record="`+c.host+`"`) }
	before := answered()
	expectShares(t, s.draw(draws), map[string]float64{a.host: 1. / 3, b.host: 2. / 3})
	if got := answered(); got != before {
		t.Errorf("Expected no answer of the dead record after %d, got %d", before, got)
	}
}

// draw asks so often for www, several at a time, and counts the outcomes.
func (s *server) draw(times int) map[string]int {
	s.t.Helper()
	const askers = 8
	var (
		mu    sync.Mutex
		drawn = map[string]int{}
		wait  sync.WaitGroup
	)
	for range askers {
		wait.Go(func() {
			own, err := drawFrom(s.dns, times/askers)
			if err != nil {
				s.t.Errorf("Expected %d answers, got: %v", times/askers, err)
			}
			mu.Lock()
			defer mu.Unlock()
			for got, n := range own {
				drawn[got] += n
			}
		})
	}
	wait.Wait()
	return drawn
}

// drawFrom asks through one socket. Few datagrams are under way, so none should be lost, but one may.
func drawFrom(address string, times int) (map[string]int, error) {
	client := &dns.Client{Timeout: patience / 6}
	conn, err := client.Dial(address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	drawn := map[string]int{}
	for range times {
		reply, _, err := client.ExchangeWithConn(question("www"), conn)
		if err != nil {
			reply, _, err = client.ExchangeWithConn(question("www"), conn)
		}
		if err != nil {
			return nil, err
		}
		drawn[outcome(reply)]++
	}
	return drawn, nil
}

// expectShares holds what was drawn against the probabilities; nothing else may have been drawn.
func expectShares(t *testing.T, drawn map[string]int, want map[string]float64) {
	t.Helper()
	total := 0
	for n := range maps.Values(drawn) {
		total += n
	}
	for got, n := range drawn {
		share := float64(n) / float64(total)
		if expected, ok := want[got]; !ok || math.Abs(share-expected) > 0.02 {
			t.Errorf("Expected a share of %.3f for %s, got %.3f", expected, got, share)
		}
	}
	if len(drawn) != len(want) {
		t.Errorf("Expected %d different answers, got %v", len(want), drawn)
	}
}
