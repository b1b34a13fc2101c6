package config

import "fmt"

// Position is where something was declared. The zero value means that it was not declared in a file.
type Position struct {
	File string
	Line int // from 1
}

func (p Position) String() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Places remembers where a declaration and each of its options stand, so that a fault found after parsing
// can still name the line.
type Places struct {
	Own     Position
	Options map[string]Position // by option word; a line of a repeatable option also by the word and its data
	Faulty  bool                // it has a fault that was reported; what only follows from that is not reported again
}

// Of returns the position of an option, or of the declaration itself if the option was not written.
func (p Places) Of(option string) Position {
	if at, ok := p.Options[option]; ok {
		return at
	}
	return p.Own
}

// Has reports whether the option was written.
func (p Places) Has(option string) bool {
	_, ok := p.Options[option]
	return ok
}

// Note remembers where an option was written.
func (p *Places) Note(option string, at Position) {
	if p.Options == nil {
		p.Options = map[string]Position{}
	}
	p.Options[option] = at
}
