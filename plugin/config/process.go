package config

// What is process-wide stands in one stanza of a Corefile only, and is about the checks of all of them.

// processWide are the options of that kind, and whether a stanza has them.
var processWide = []struct {
	word string
	has  func(*Stanza) bool
}{
	{"max_attempts", func(s *Stanza) bool { return s.MaxAttempts != 0 }},
	{"canary", func(s *Stanza) bool { return len(s.Canary) > 0 }},
	{"state", func(s *Stanza) bool { return s.State != "" }},
	{"status", func(s *Stanza) bool { return s.Status != nil }},
}

// ValidateProcess finds options of the stanzas that are process-wide and stand in an earlier stanza already: one of another server block, or one before
// them.
func ValidateProcess(earlier, stanzas []*Stanza) Problems {
	var ps Problems
	for _, option := range processWide {
		var first *Stanza
		for i, s := range append(earlier[:len(earlier):len(earlier)], stanzas...) {
			switch {
			case !option.has(s):
			case first == nil:
				first = s
			case i >= len(earlier):
				ps = append(ps, Problem{
					Position: s.Places.Of(option.word),
					Message:  "\"" + option.word + "\" is about the whole process and stands at " + first.Places.Of(option.word).String() + " already",
					Expected: "it in one healthroute of the Corefile",
				})
			}
		}
	}
	return ps
}
