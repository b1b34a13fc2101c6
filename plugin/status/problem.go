package status

import (
	"fmt"
	"net/http"
)

// Problem is why a request is refused, worded so that whoever made it can mend it.
type Problem struct {
	Status   int    `json:"-"`     // of the reply
	Message  string `json:"error"` // what is wrong, with the offending word quoted; lower case, no full stop
	Expected string `json:"expected,omitempty"`
	Nearest  string `json:"nearest,omitempty"` // the nearest word that would do
	// InForce tells that a write was done all the same: what failed is that a restart knows of it, or that we saw all answers follow it in time.
	InForce bool `json:"in_force,omitempty"`
	// Emptied are the groups that would have nothing usable left, and what they would answer: why a write needs force.
	Emptied []Remainder `json:"emptied,omitempty"`
}

// Error is one line, and one more for each group that would be emptied.
func (p *Problem) Error() string {
	text := p.Message
	if p.Expected != "" {
		text += ": expected " + p.Expected
	}
	if p.Nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", p.Nearest)
	}
	for _, r := range p.Emptied {
		text += "\n  " + r.String()
	}
	return text
}

// problem refuses a request with a code.
func problem(code int, message, expected string) *Problem {
	return &Problem{Status: code, Message: message, Expected: expected}
}

// invalid is what is wrong with a request by itself.
func invalid(message, expected string) *Problem {
	return problem(http.StatusBadRequest, message, expected)
}
