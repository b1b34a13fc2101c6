package discover

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Lists remember the last good list of each source of a process, as plain data: what a restart has to keep. A source notes there what it finds,
// and one that begins with nothing recalls what is there. They may be used from any number of goroutines; the zero value is empty.
type Lists struct {
	mu      sync.Mutex
	known   map[Key]Known // guarded by mu
	changes uint64        // guarded by mu
}

// Key tells the sources of a process apart.
type Key struct {
	Scope  string // the server block
	Zone   string // the first of the stanza's
	Pool   string
	Source string // as the Corefile has it
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Scope, other.Scope), cmp.Compare(k.Zone, other.Zone), cmp.Compare(k.Pool, other.Pool), cmp.Compare(k.Source, other.Source))
}

// Known is what is known of one source. It must not be changed.
type Known struct {
	Good  time.Time // as State.Good when the list was read; zero if not all of the source ever was
	Parts []Part    // none is empty
}

// Part is what one file of a source says, or the name that is asked for.
type Part struct {
	From  string
	Found []config.Found
}

// Standing is what is known of a source, and of which.
type Standing struct {
	Key   Key
	Known Known
}

// note takes a list; other tells whether it differs from the one before.
func (l *Lists) note(key Key, k Known, other bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[Key]Known{}
	}
	l.known[key] = k
	if other {
		l.changes++
	}
}

// of is what is known of a source.
func (l *Lists) of(key Key) (Known, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.known[key]
	return k, ok
}

// Standing returns all that is known, in the order of the keys.
func (l *Lists) Standing() []Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Standing, 0, len(l.known))
	for key, k := range l.known {
		out = append(out, Standing{key, k})
	}
	slices.SortFunc(out, func(a, b Standing) int { return a.Key.compare(b.Key) })
	return out
}

// Restore takes in what was known before a restart, however old it is: a server that runs keeps a list as long as its source says no other, too. What is
// known already stays.
func (l *Lists) Restore(standing []Standing) {
	for _, s := range standing {
		if _, known := l.of(s.Key); !known {
			l.note(s.Key, s.Known, true)
		}
	}
}

// Keep forgets the lists of all sources but these.
func (l *Lists) Keep(keys map[Key]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.known {
		if !keys[key] {
			delete(l.known, key)
			l.changes++
		}
	}
}

// Changes counts the lists that came, changed or went so far.
func (l *Lists) Changes() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes
}

// Key is what Lists know the source by.
func (s *Source) Key() Key { return s.o.Key }

// Recall takes over what Lists have of the source and hands it to Take, as if it had been read, if the source knows nothing yet. It is called before Start.
func (s *Source) Recall() {
	if s.o.Lists == nil || s.Learned() {
		return
	}
	k, ok := s.o.Lists.of(s.o.Key)
	if !ok {
		return
	}
	parts := make([]part, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = part{from: p.From, found: p.Found}
	}
	known, _ := merge(s.d, parts)
	if len(known) == 0 || len(known) > s.o.Limit {
		return
	}
	s.reader.recall(parts)
	s.o.Take(known)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts, s.known, s.state.Known, s.state.Good = parts, known, len(known), k.Good
	s.learn()
}

// tellLists notes what is known now; it is called after a look.
func (s *Source) tellLists(other bool) {
	if s.o.Lists == nil {
		return
	}
	s.mu.Lock()
	k := Known{Good: s.state.Good}
	for _, p := range s.parts {
		if len(p.found) > 0 {
			k.Parts = append(k.Parts, Part{p.from, p.found})
		}
	}
	s.mu.Unlock()
	if len(k.Parts) > 0 {
		s.o.Lists.note(s.o.Key, k, other)
	}
}
