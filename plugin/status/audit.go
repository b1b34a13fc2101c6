package status

import (
	"errors"
	"fmt"
	"net/http"
)

// audit says in the log who wrote what, or what he was refused. Of a client that has not logged in, no more is told than it may fail, so that nobody can
// fill the log who may do nothing.
func (h *Handler) audit(r *request, err error) {
	by := r.by.Remote
	if r.by.Login != "" {
		by += " (" + r.by.Login + ")"
	}
	done := r.done
	if done == "" {
		done = r.URL.Path
	}
	line := fmt.Sprintf("audit: %q by %q from %q", done, r.by.Author, by)
	var p *Problem
	switch {
	case err == nil:
		h.options.Log.Infof("%s: done", line)
	case !errors.As(err, &p):
		h.options.Log.Warningf("%s: failed", line)
	case p.InForce:
		h.options.Log.Warningf("%s: done, %q", line, p.Message)
	case p.Status == http.StatusTooManyRequests:
	case p.Status == http.StatusUnauthorized && !h.guard.login.told.another(clientOf(r.Request)):
	default:
		h.options.Log.Warningf("%s: refused, %d %q", line, p.Status, p.Message)
	}
}
