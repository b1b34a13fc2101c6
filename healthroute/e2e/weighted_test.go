package e2e

import (
	"fmt"
	"math"
	"sync"
	"testing"
)

// TestWeights asks 20,000 times and finds each record in its share of the answers; none goes to a dead one.
func TestWeights(t *testing.T) {
	hosts := []string{"127.0.0.61", "127.0.0.62", "127.0.0.63"}
	first := newBackend(t, hosts[0], 0)
	newBackend(t, hosts[1], first.port())
	third := newBackend(t, hosts[2], first.port())
	s := start(t, "", webProbe("http", first.port())+
		"group www weighted {\nprobe web\nrecord 127.0.0.61 weight 10\nrecord 127.0.0.62 weight 20\nrecord 127.0.0.63 weight 20\n}")
	expectShares(t, s, hosts, 1.0/5, 2.0/5, 2.0/5)
	third.set("refuse")
	s.until("the verdict on the third", func() bool {
		return s.metric(`coredns_healthroute_check_healthy{host="www.example.org",probe="web",target="`+third.address+`"}`) == 0
	})
	expectShares(t, s, hosts, 1.0/3, 2.0/3, 0)
}

func expectShares(t *testing.T, s *server, hosts []string, want ...float64) {
	t.Helper()
	const askers, each = 4, 5_000
	counts := make([]map[string]int, askers)
	var wg sync.WaitGroup
	for i := range askers {
		counts[i] = map[string]int{}
		wg.Go(func() {
			for range each {
				counts[i][s.ask("www.example.org.")]++
			}
		})
	}
	wg.Wait()
	sum := map[string]int{}
	for _, c := range counts {
		for host, n := range c {
			sum[host] += n
		}
	}
	for i, host := range hosts {
		got := float64(sum[host]) / (askers * each)
		if math.Abs(got-want[i]) > 0.02 || want[i] == 0 && got != 0 {
			t.Errorf("Expected %s in %.3f of the answers, got %s", host, want[i], fmt.Sprint(sum))
		}
	}
}
