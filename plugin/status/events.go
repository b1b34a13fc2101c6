package status

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is something that happened. One of the pointers is set, the one that Kind names.
type Event struct {
	ID   string    `json:"id"` // to go on after it; later events of one process have larger numbers behind the dash
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`

	Transition *Transition `json:"transition,omitempty"`
	LastResort *LastResort `json:"last_resort,omitempty"`
	Admin      *Admin      `json:"admin,omitempty"`
	Frozen     *Frozen     `json:"frozen,omitempty"`
	Reload     *Reload     `json:"reload,omitempty"`
	Lost       *Lost       `json:"lost,omitempty"`
}

// Transition is a change of a check's health.
type Transition struct {
	ID     string  `json:"id"`
	Check  string  `json:"check"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Lasted float64 `json:"lasted_seconds"` // how long From had stood
	Run    int     `json:"run"`            // attempts in a row that made it; 0 if something else did
	Reason string  `json:"reason,omitempty"`
}

// LastResort tells that a group ran out of usable records for a type, or has one again.
type LastResort struct {
	Block string `json:"block"`
	Group string `json:"group"`
	Type  string `json:"type"`
	Word  string `json:"last_resort"`
	On    bool   `json:"on"`
}

// Admin tells what an operator's word on an object is now.
type Admin struct {
	Object string     `json:"object"`
	State  string     `json:"state"` // enabled: nobody says anything of it any more
	Reason string     `json:"reason,omitempty"`
	Author string     `json:"author,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
}

// Frozen tells that verdicts stand still because all canaries fail, or move again.
type Frozen struct {
	On       bool     `json:"on"`
	Canaries []string `json:"canaries"`
}

// Reload tells that another configuration was taken, or refused.
type Reload struct {
	Taken  bool     `json:"taken"`
	Blocks []string `json:"blocks"` // server blocks that run now
}

// Lost tells a listener that there were events which are not there any more: whatever he knows, he should read anew.
type Lost struct {
	Count     uint64 `json:"count"` // 0 if nobody knows
	Restarted bool   `json:"restarted"`
}

// Events are the last ones of a process. Publishing never waits for a listener: each listener reads the ring at his own pace, and learns what he was
// too slow for.
type Events struct {
	run string // tells processes apart

	mu   sync.Mutex
	ring [][]byte      // guarded by mu; event number n, encoded, is at n modulo its length
	last uint64        // guarded by mu; number of the newest; 0 before the first
	wake chan struct{} // guarded by mu; closed at the next event
}

// NewEvents returns an empty ring that keeps so many events.
func NewEvents(keep int) *Events {
	return &Events{run: strings.ToLower(rand.Text()[:8]), ring: make([][]byte, keep), wake: make(chan struct{})}
}

// Publish tells an event, whose ID, At and Kind are filled in. It may be called with locks held: it calls nobody.
func (e *Events) Publish(v Event) {
	v.At = time.Now().UTC()
	v.Kind = v.kind()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	v.ID = e.id(e.last)
	e.ring[e.last%uint64(len(e.ring))] = encode(v)
	close(e.wake)
	e.wake = make(chan struct{})
}

func (v Event) kind() string {
	switch {
	case v.Transition != nil:
		return "transition"
	case v.LastResort != nil:
		return "last_resort"
	case v.Admin != nil:
		return "admin"
	case v.Frozen != nil:
		return "frozen"
	case v.Reload != nil:
		return "reload"
	}
	return "lost"
}

// encode writes an event as a server-sent one (HTML, section 9.2).
func encode(v Event) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types above can be encoded
	}
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", v.ID, v.Kind, data)
}

func (e *Events) id(n uint64) string { return e.run + "-" + strconv.FormatUint(n, 10) }

// state returns the id of the newest event and how many are kept.
func (e *Events) state() (last string, kept int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.id(e.last), int(min(e.last, uint64(len(e.ring))))
}

// newest returns the number of the newest event.
func (e *Events) newest() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// find returns the number of the event with the id, and whether it is one of this process; or false for what is no id.
func (e *Events) find(id string) (n uint64, ours, ok bool) {
	run, number, cut := strings.Cut(id, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if !cut || err != nil || run == "" {
		return 0, false, false
	}
	if run != e.run || n > e.newest() {
		return 0, false, true
	}
	return n, true, true
}

// after returns events behind a number, at most so many, the number of the last of them, how many before them are not kept any more, and what is closed
// when there is another.
func (e *Events) after(n uint64, most int) (events [][]byte, last, lost uint64, wake <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := uint64(1)
	if size := uint64(len(e.ring)); e.last > size {
		oldest = e.last - size + 1
	}
	if n+1 < oldest {
		lost = oldest - 1 - n
		n = oldest - 1
	}
	for n < e.last && len(events) < most {
		n++
		events = append(events, e.ring[n%uint64(len(e.ring))])
	}
	return events, n, lost, e.wake
}
