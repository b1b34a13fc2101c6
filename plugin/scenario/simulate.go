package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// Fault is a change of targets' behaviour in a simulation.
type Fault struct {
	Object    string        // a target, record or site (World.TargetsOf)
	At        time.Duration // Settled: when every check has a verdict
	Behaviour BehaviourKind
}

// Settled as a fault's time means as soon as every check has a verdict.
const Settled time.Duration = -1

// Simulation is a question that is asked all the time, while faults come and go.
type Simulation struct {
	Question Question
	Faults   []Fault
	Until    time.Duration
}

// Simulate plays the simulation in a world at time 0, and returns every change of the answers and of the health of the checks that they
// are chosen by.
func (w *World) Simulate(s Simulation) (Timeline, error) {
	sim := &simulation{
		Simulation: s, world: w, asked: map[*health.Check]bool{}, behaviours: map[string]BehaviourKind{},
		timeline: Timeline{
			Name: w.fullName(s.Question.Name), Type: dns.Type(s.Question.Type).String(),
			Until: Seconds(s.Until), Changes: []Change{}, Outages: []Outage{},
		},
	}
	for _, f := range s.Faults {
		targets, err := w.TargetsOf(f.Object)
		if err != nil {
			return Timeline{}, err
		}
		sim.waiting = append(sim.waiting, waiting{f, targets})
	}
	if err := sim.play(); err != nil {
		return Timeline{}, err
	}
	for _, o := range sim.outages {
		sim.timeline.Outages = append(sim.timeline.Outages, o.Outage)
	}
	return sim.timeline, nil
}

// simulation is a Simulation while it is played.
type simulation struct {
	Simulation
	world      *World
	waiting    []waiting                // faults to come
	behaviours map[string]BehaviourKind // of targets that a fault has changed
	asked      map[*health.Check]bool   // checks that the answers are chosen by
	seen       int                      // events of the world that have been looked at
	now        Distribution
	outages    []*outage
	timeline   Timeline
}

// waiting is a fault to come, and the targets that it means.
type waiting struct {
	Fault
	targets []string
}

// play goes from event to event. At each instant, what ends then comes first, the answers that follow from it next, and then the faults
// of that instant, before attempts start (design, Scenarios).
func (s *simulation) play() error {
	w := s.world
	if err := s.look(0); err != nil {
		return err
	}
	for {
		s.begin(w.Now())
		next := s.Until
		if at, ok := w.NextEvent(); ok {
			next = min(next, max(at, w.Now()+1)) // attempts that start now start when the clock leaves this instant
		}
		for _, f := range s.waiting {
			if f.At > w.Now() {
				next = min(next, f.At)
			}
		}
		if next <= w.Now() {
			break
		}
		w.AdvanceTo(next)
		if err := s.changes(); err != nil {
			return err
		}
	}
	if len(s.waiting) == 0 {
		return nil
	}
	f := s.waiting[0]
	if f.At == Settled {
		return fmt.Errorf("%q: when does that begin? At %s there are still checks without a verdict", f.Object, Seconds(s.Until))
	}
	return fmt.Errorf("%q begins at %s, behind the end at %s", f.Object, Seconds(f.At), Seconds(s.Until))
}

// begin lets the faults of this instant begin.
func (s *simulation) begin(now time.Duration) {
	s.waiting = slices.DeleteFunc(s.waiting, func(f waiting) bool {
		if f.At > now || f.At == Settled && !s.world.settled() {
			return false
		}
		for _, t := range f.targets {
			s.behaviours[t] = f.Behaviour
			s.world.targets.behaviours[t] = Behaviour{Kind: f.Behaviour}
		}
		s.timeline.Changes = append(s.timeline.Changes, Change{
			At: Seconds(now), Fault: &FaultChange{f.Object, f.Behaviour, f.targets},
		})
		if f.Behaviour != Up {
			s.outages = append(s.outages, newOutage(f, Seconds(now)))
		}
		return true
	})
	s.judge(Seconds(now))
}

// changes looks at what has happened in the world since the last time.
func (s *simulation) changes() error {
	w := s.world
	if len(w.events) == s.seen {
		return nil
	}
	at := w.events[len(w.events)-1].At
	for _, e := range w.events[s.seen:] {
		if e.Check == nil || !s.asked[e.Check] {
			continue
		}
		s.timeline.Changes = append(s.timeline.Changes, Change{At: Seconds(e.At), Check: &CheckChange{
			Check: e.Check.String(), From: e.Transition.From.String(), To: e.Transition.To.String(),
			Attempts: e.Transition.Run, Reason: e.Transition.Reason,
		}})
	}
	s.seen = len(w.events)
	return s.look(at)
}

// look asks the question, and notes the answers if they have changed.
func (s *simulation) look(at time.Duration) error {
	now, err := s.world.Distribution(s.Question)
	if err != nil {
		return err
	}
	changed := len(s.timeline.Changes) == 0 || now.key() != s.now.key()
	s.now = now
	for _, p := range now.Possible {
		for _, c := range p.checks() {
			s.asked[c] = true
		}
	}
	if changed {
		s.timeline.Changes = append(s.timeline.Changes, Change{At: Seconds(at), Answers: &now})
	}
	s.judge(Seconds(at))
	return nil
}

// key is the same for equal distributions.
func (d Distribution) key() string {
	lines := make([]string, len(d.Possible))
	for i, p := range d.Possible {
		lines[i] = fmt.Sprint(p.Share, p.Rcode, p.Answer, p.TTL)
	}
	slices.Sort(lines)
	return fmt.Sprint(d.Together, strings.Join(lines, "\n"))
}

// judge goes on with the story of each outage.
func (s *simulation) judge(at Seconds) {
	var checks []*health.Check
	for _, c := range s.world.Checks() {
		if s.asked[c] {
			checks = append(checks, c)
		}
	}
	for _, o := range s.outages {
		o.judge(at, checks, s.now, s.behaviours)
	}
}
