package main

import (
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
)

// screen is where the demo prints. Lines of its own and of the server's log, which come from other goroutines, do not mix.
type screen struct {
	mu  sync.Mutex
	out io.Writer // guarded by mu
}

func (s *screen) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, text) // the terminal is gone: there is nobody left to tell
}

// captureLog shows what the plugin logs on the screen, and nothing else of the process's log, until the returned
// function is called.
func (s *screen) captureLog() (restore func()) {
	writer, flags := log.Writer(), log.Flags()
	log.SetOutput(logLines{s})
	log.SetFlags(0)
	return func() {
		log.SetOutput(writer)
		log.SetFlags(flags)
	}
}

// logLines takes what package log writes: one line a call.
type logLines struct{ screen *screen }

func (l logLines) Write(p []byte) (int, error) {
	if text := logLine(string(p)); text != "" {
		l.screen.print(text)
	}
	return len(p), nil
}

// logLine is how the demo shows a line of the server's log; "" is not at all.
func logLine(text string) string {
	level, text, ours := strings.Cut(text, "plugin/healthroute: ")
	if !ours {
		return ""
	}
	return fmt.Sprintf("       log: %s%s\n", strings.TrimPrefix(level, "[INFO] "), strings.TrimSpace(text))
}
