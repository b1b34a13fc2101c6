package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// The whole demo, its seconds as fast as they go: every second has its row, every event its line.
func TestPlayDemo(t *testing.T) {
	ticks := make(chan time.Time)
	close(ticks)
	var out strings.Builder
	if err := playDemo(t.Context(), ticks, &out); err != nil {
		t.Fatal(err)
	}
	for second := 1; second <= demoSeconds; second++ {
		if row := fmt.Sprintf("\n%4ds  127.0.0.1", second); !strings.Contains(out.String(), row) {
			t.Errorf("Expected a row for second %d", second)
		}
	}
	for _, e := range demoScript {
		if !strings.Contains(out.String(), eventLine(e)) {
			t.Errorf("Expected the line %q", eventLine(e))
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestDemoEndsWithItsContext(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	ticks := make(chan time.Time) // never
	out := &notifyingWriter{text: tableHead(), found: interrupt}
	if err := playDemo(ctx, ticks, out); err != nil {
		t.Errorf("Expected an end without an error, got %v", err)
	}
}

// notifyingWriter calls found when the text is written.
type notifyingWriter struct {
	text  string
	found func()
}

func (w *notifyingWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.found()
	}
	return len(p), nil
}

func TestStartServerRefuses(t *testing.T) {
	if _, _, err := startServer("demo", "example.org:0 {\n    no_such_directive\n}\n"); err == nil {
		t.Error("Expected an error for an unknown directive")
	}
}
