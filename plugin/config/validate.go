package config

import (
	"fmt"
	"time"
)

// Validate returns everything that is wrong with the stanza, in the order of the declarations.
func (s *Stanza) Validate() Problems {
	v := &validator{stanza: s}
	return v.problems
}

type validator struct {
	stanza   *Stanza
	problems Problems
}

var _ = fmt.Sprint
var _ = time.Second

