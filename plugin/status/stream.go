package status

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// streams count those who listen to events.
type streams struct {
	most int
	open atomic.Int64
}

func (s *streams) count() int { return int(s.open.Load()) }

// enter counts one more, or refuses.
func (s *streams) enter() bool {
	if s.open.Add(1) > int64(s.most) {
		s.leave()
		return false
	}
	return true
}

func (s *streams) leave() { s.open.Add(-1) }

const (
	heartbeat  = 15 * time.Second // after so much silence a comment is sent, so that both ends notice when the other is gone
	listenable = 10 * time.Second // a listener who takes nothing for so long is gone
	batch      = 100              // most events that are written at once
)

// events tells what happens until the client leaves, from now on or after the event with the id that he names.
func (h *Handler) events(r *request) error {
	if p := onlyOnce(r.query, "after"); p != nil {
		return p
	}
	from, first, p := h.resume(r)
	if p != nil {
		return p
	}
	if !h.streams.enter() {
		r.w.Header().Set("Retry-After", "10")
		return problem(http.StatusServiceUnavailable, "too many listen to events already", fmt.Sprintf("at most %d", h.streams.most))
	}
	defer h.streams.leave()
	l := &listener{http.NewResponseController(r.w), r.w}
	if err := l.control.SetReadDeadline(time.Time{}); err != nil { // he has said all that he will
		return err
	}
	r.w.Header().Set("Content-Type", "text/event-stream")
	if !l.write([]byte(": healthroute\n\n"), first) {
		return nil
	}
	h.follow(r, l, from)
	return nil
}

// follow writes what happens after an event, until the client or the server leaves.
func (h *Handler) follow(r *request, l *listener, n uint64) {
	silence := time.NewTicker(heartbeat)
	defer silence.Stop()
	for {
		events, last, lost, wake := h.options.Events.after(n, batch)
		if lost > 0 && !l.write(h.options.Events.lost(last-uint64(len(events)), Lost{Count: lost})) {
			return
		}
		n = last
		if len(events) > 0 {
			if !l.write(events...) {
				return
			}
			silence.Reset(heartbeat)
			continue
		}
		select {
		case <-wake:
		case <-silence.C:
			if !l.write([]byte(":\n\n")) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// resume returns the number of the event after which the client wants to go on, and what he is told first.
func (h *Handler) resume(r *request) (from uint64, first []byte, p *Problem) {
	e := h.options.Events
	id := r.Header.Get("Last-Event-ID") // what a browser sends when it comes back; it is newer than what the page asked for
	if id == "" {
		id = r.query.Get("after")
	}
	if id == "" {
		return e.newest(), nil, nil
	}
	n, ours, ok := e.find(id)
	switch {
	case !ok:
		return 0, nil, invalid(fmt.Sprintf("%q is no id of an event", id), "the id of the last event that came")
	case !ours: // of an earlier process: what this one remembers is new to him
		return 0, e.lost(0, Lost{Restarted: true}), nil
	}
	return n, nil, nil
}

// lost tells that events up to a number are not there.
func (e *Events) lost(n uint64, what Lost) []byte {
	v := Event{ID: e.id(n), At: time.Now().UTC(), Lost: &what}
	v.Kind = v.kind()
	return encode(v)
}

// listener is who listens.
type listener struct {
	control *http.ResponseController
	w       http.ResponseWriter
}

// write sends events at once, and reports whether he takes them.
func (l *listener) write(events ...[]byte) bool {
	if l.control.SetWriteDeadline(time.Now().Add(listenable)) != nil {
		return false
	}
	for _, v := range events {
		if _, err := l.w.Write(v); err != nil {
			return false
		}
	}
	return l.control.Flush() == nil
}
