package status

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// numbered is an event that tells its number.
func numbered(n int) Event { return Event{Reload: &Reload{Blocks: []string{fmt.Sprint(n)}}} }

// TestRing holds the ring against a list that forgets nothing.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 8).Draw(t, "keep")
		e := NewEvents(keep)
		published := 0
		listeners := []uint64{0, 0, 0}
		got := make([]int, len(listeners)) // seen and lost
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(*rapid.T) {
				published++
				e.Publish(numbered(published))
			},
			"listen": func(t *rapid.T) {
				i := rapid.IntRange(0, len(listeners)-1).Draw(t, "listener")
				most := rapid.IntRange(1, 10).Draw(t, "most")
				texts, last, lost, _ := e.after(listeners[i], most)
				for j, text := range texts {
					if want := fmt.Sprintf(`"blocks":["%d"]`, got[i]+int(lost)+j+1); !strings.Contains(string(text), want) {
						t.Fatalf("Expected event with %s, got %s", want, text)
					}
				}
				if lost > 0 && published-got[i]-int(lost) > keep {
					t.Fatalf("Expected no more to be lost than is not kept, got %d", lost)
				}
				if len(texts) > most || len(texts) < min(most, published-got[i]-int(lost)) {
					t.Fatalf("Expected up to %d events, got %d", most, len(texts))
				}
				got[i] += len(texts) + int(lost)
				if listeners[i] = last; last != uint64(got[i]) {
					t.Fatalf("Expected number %d, got %d", got[i], last)
				}
			},
		})
	})
}

// heard is an event as a listener gets it.
type heard struct {
	id, kind string
	data     Event
}

// listenTo reads events until the stream ends.
func listenTo(t testing.TB, stream io.Reader, hear func(heard)) {
	t.Helper()
	var h heard
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			h.id = value
		case "event":
			h.kind = value
		case "data":
			h.data = Event{}
			if err := json.Unmarshal([]byte(value), &h.data); err != nil || h.data.ID != h.id || h.data.Kind != h.kind {
				t.Errorf("Expected the data of event %s %s, got %s", h.id, h.kind, value)
			}
			hear(h)
		}
	}
}

const listening = "GET " + base + "events HTTP/1.1\r\nHost: localhost\r\n"

// TestListeners is 1,000 listeners of whom half never read: publishing waits for nobody, who reads gets every event in its order or is told what he lost,
// who does not read is let go, and nothing is left when the server closes.
func TestListeners(t *testing.T) {
	const all, bursts, burst = 1000, 3, 30
	synctest.Test(t, func(t *testing.T) {
		o := newBench(t, local()).options()
		o.Events, o.Connections = NewEvents(20), 2*all
		s, p := onPipes(local(), o)
		streams := &s.http.Handler.(*Handler).streams
		var readers sync.WaitGroup
		counts := make([]int, all)
		for i := range all {
			c := p.dial(t)
			defer c.Close()
			send(c, listening+"\r\n")
			if i%2 == 0 {
				continue // never reads
			}
			readers.Go(func() {
				last := uint64(0)
				listenTo(t, response(t, c).Body, func(h heard) {
					n, ours, _ := o.Events.find(h.id)
					if h.data.Lost != nil {
						counts[i] += int(h.data.Lost.Count)
					} else {
						counts[i]++
					}
					if !ours || n <= last {
						t.Errorf("Expected an event behind %d, got %s", last, h.id)
					}
					last = n
				})
			})
		}
		synctest.Wait()
		if got := streams.count(); got != all {
			t.Errorf("Expected %d listeners, got %d", all, got)
		}
		for i := range bursts {
			began := time.Now()
			for j := range burst {
				o.Events.Publish(numbered(i*burst + j))
			}
			if took := time.Since(began); took > 0 {
				t.Errorf("Expected to publish at once, got %s", took)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(listenable)
		if got := streams.count(); got != all/2 {
			t.Errorf("Expected %d listeners who read to be left, got %d", all/2, got)
		}
		s.Close()
		readers.Wait()
		for i, got := range counts {
			if want := bursts * burst * (i % 2); got != want {
				t.Errorf("Expected listener %d to know of %d events, got %d", i, want, got)
			}
		}
	})
}

// TestResume: a listener who comes back gets what he missed, or learns that it is gone.
func TestResume(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		want    []string // numbers of the events, or the loss
	}{
		"from now on":          {"", nil},
		"after the third":      {"Last-Event-ID: RUN-3\r\n", []string{"4", "5"}},
		"after the newest":     {"Last-Event-ID: RUN-5\r\n", nil},
		"too long ago":         {"Last-Event-ID: RUN-0\r\n", []string{"lost 2", "3", "4", "5"}},
		"of an earlier run":    {"Last-Event-ID: abcdefgh-3\r\n", []string{"restarted", "lost 2", "3", "4", "5"}},
		"of nobody's future":   {"Last-Event-ID: RUN-77\r\n", []string{"restarted", "lost 2", "3", "4", "5"}},
		"the header wins":      {"?after=RUN-1 Last-Event-ID: RUN-4\r\n", []string{"5"}},
		"after as a parameter": {"?after=RUN-4 ", []string{"5"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newBench(t, local()).options()
				o.Events = NewEvents(3)
				for n := range 5 {
					o.Events.Publish(numbered(n + 1))
				}
				s, p := onPipes(local(), o)
				client := p.dial(t)
				defer client.Close()
				request := strings.ReplaceAll(c.request, "RUN", o.Events.run)
				query := ""
				if strings.HasPrefix(request, "?") {
					query, request, _ = strings.Cut(request, " ")
				}
				send(client, strings.Replace(listening, " HTTP", query+" HTTP", 1)+request+"\r\n")
				var got []string
				done := make(chan struct{})
				go func() {
					defer close(done)
					listenTo(t, response(t, client).Body, func(h heard) {
						switch l := h.data.Lost; {
						case l == nil:
							got = append(got, h.data.Reload.Blocks[0])
						case l.Restarted:
							got = append(got, "restarted")
						default:
							got = append(got, fmt.Sprintf("lost %d", l.Count))
						}
					})
				}()
				synctest.Wait()
				o.Events.Publish(numbered(6))
				synctest.Wait()
				s.Close()
				<-done
				if want := fmt.Sprint(append(slices.Clone(c.want), "6")); fmt.Sprint(got) != want {
					t.Errorf("Expected %v, got %v", want, got)
				}
			})
		})
	}
}

// TestHeartbeat: while nothing happens comments come, so that both ends know of each other, for as long as the client likes.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := onPipes(local(), newBench(t, local()).options())
		c := p.dial(t)
		defer c.Close()
		send(c, listening+"\r\n")
		beats := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for lines := bufio.NewScanner(response(t, c).Body); lines.Scan(); {
				if lines.Text() == ":" {
					beats++
				}
			}
		}()
		time.Sleep(10*heartbeat + time.Second)
		s.Close()
		<-done
		if beats != 10 {
			t.Errorf("Expected 10 comments, got %d", beats)
		}
	})
}

// TestTooManyListeners: a part of the connections is for others.
func TestTooManyListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newBench(t, local()).options()
		o.Connections = 8
		s, p := onPipes(local(), o)
		defer s.Close()
		for i := range 7 {
			c := p.dial(t)
			defer c.Close()
			send(c, listening+"\r\n")
			r := response(t, c)
			if want := i < 6; want != (r.StatusCode == http.StatusOK) {
				t.Errorf("Expected listener %d to be let in: %t, got %s", i+1, want, r.Status)
			}
		}
		c := p.dial(t)
		defer c.Close()
		send(c, "GET "+base+"state HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if r := response(t, c); r.StatusCode != http.StatusOK {
			t.Errorf("Expected another request to find a place, got %s", r.Status)
		}
	})
}

// TestListenAfterNonsense refuses what is no id.
func TestListenAfterNonsense(t *testing.T) {
	b := newBench(t, local())
	for _, id := range []string{"5", "x-y", "-5", "x-", "x--1"} {
		w := b.answer((route{method: http.MethodGet, path: "events"}).ask(func(r *http.Request) { r.Header.Set("Last-Event-ID", id) }))
		expectProblem(t, w, http.StatusBadRequest, "is no id of an event")
	}
}
