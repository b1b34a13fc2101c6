package healthroute

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/status"
)

// listenToEvents follows the API's events until the test ends.
func listenToEvents(t *testing.T) <-chan status.Event {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, apiURL(t)+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan status.Event, 1000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e status.Event
				if json.Unmarshal([]byte(text), &e) == nil {
					came <- e
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		stream.Body.Close()
		<-done
		http.DefaultClient.CloseIdleConnections()
	})
	return came
}

// awaitEvent waits for an event that fits.
func awaitEvent(t *testing.T, came <-chan status.Event, fits func(status.Event) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		select {
		case e := <-came:
			if fits(e) {
				return
			}
		case <-ctx.Done():
			t.Fatal("Expected an event, got none that fits")
		}
	}
}

// TestAPIEvents: what happens is told, over reloads too.
func TestAPIEvents(t *testing.T) {
	s := start(t, listening("example.org", shop()))
	c := apiClient(t)
	came := listenToEvents(t)
	push := func(health string) {
		t.Helper()
		if _, err := c.Push(t.Context(), status.Pushed{Probe: "release", Health: health}); err != nil {
			t.Fatal(err)
		}
	}
	push("unhealthy")
	awaitEvent(t, came, func(e status.Event) bool {
		return e.Transition != nil && e.Transition.Check == "release@push" && e.Transition.To == "unhealthy"
	})
	awaitEvent(t, came, func(e status.Event) bool {
		return e.LastResort != nil && e.LastResort.Group == "told.example.org." && e.LastResort.On
	})
	s.mustReload(listening("example.org", "log", shop()))
	awaitEvent(t, came, func(e status.Event) bool { return e.Reload != nil && e.Reload.Taken && len(e.Reload.Blocks) == 1 })
	say(t, c, status.Order{Objects: []string{"www/192.0.2.1"}, State: "disabled", Author: "alice"})
	awaitEvent(t, came, func(e status.Event) bool {
		return e.Admin != nil && e.Admin.Object == "www.example.org./192.0.2.1" && e.Admin.State == "disabled" && e.Admin.Author == "alice"
	})
	if err := s.reload(listening("example.org", shop("nonsense"))); err == nil {
		t.Fatal("Expected the reload to be refused")
	}
	awaitEvent(t, came, func(e status.Event) bool { return e.Reload != nil && !e.Reload.Taken })
	push("healthy")
	awaitEvent(t, came, func(e status.Event) bool { return e.LastResort != nil && !e.LastResort.On })
}
