package locate

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestRun(t *testing.T) {
	path := fileOf(t, "locations", []byte("192.0.2.0/24 country=CH\n"))
	synctest.Test(t, func(t *testing.T) {
		l := open(t, nil, path)
		ctx, cancel := context.WithCancel(t.Context())
		type told struct {
			at      time.Duration
			changed bool
			failed  bool
		}
		var got []told
		start := time.Now()
		over := make(chan struct{})
		go func() {
			defer close(over)
			l.Run(ctx, 10*time.Second, func(changed bool, err error) { got = append(got, told{time.Since(start), changed, err != nil}) })
		}()
		time.Sleep(25 * time.Second)
		write(t, path, []byte("192.0.2.0/24 country=AT\n"))
		time.Sleep(20 * time.Second)
		write(t, path, []byte("nonsense"))
		time.Sleep(30 * time.Second)
		cancel()
		<-over
		if want := []told{{30 * time.Second, true, false}, {50 * time.Second, false, true}}; !slices.Equal(got, want) {
			t.Errorf("Expected reports %v, got %v", want, got)
		}
	})
}

// TestRefreshUnderQueries replaces files while clients ask; the race detector looks on.
func TestRefreshUnderQueries(t *testing.T) {
	files := [][]byte{countries(t, "CH"), countries(t, "AT")}
	path := fileOf(t, "c.mmdb", files[0])
	l := open(t, []string{path}, "")
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if got := countryOf(l, "192.0.2.1/32"); got != "CH/24" && got != "AT/24" {
						t.Errorf("Expected one of both versions, got %s", got)
						return
					}
				}
			}
		})
	}
	for i := range 50 {
		write(t, path, files[(i+1)%2])
		if _, err := l.Refresh(); err != nil {
			t.Errorf("Expected good files, got %v", err)
		}
	}
	close(done)
	wg.Wait()
}
