package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

func parsePush(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 2 {
		return statement{}, errors.New("expected a push probe and its health")
	}
	words := []string{"healthy", "unhealthy"}
	word := strings.ToLower(args[1])
	if !slices.Contains(words, word) {
		return statement{}, unknown("health", args[1], words)
	}
	return does(func(p *player) error { return p.world.Push(args[0], word == "healthy") })
}

// Push tells a push probe now, as whoever watches what it is about would.
func (w *World) Push(name string, healthy bool) error {
	outcome, reason := probe.Pass, "pushed healthy"
	if !healthy {
		outcome, reason = probe.Fail, "pushed unhealthy"
	}
	if w.engine.Push(name, outcome, w.clock.Now(), reason) > 0 {
		return nil
	}
	var names []string
	for _, n := range w.servers {
		for _, s := range n.Stanzas {
			for _, p := range s.Probes {
				if p.Type == config.ProbePush {
					names = append(names, p.Name)
				}
			}
		}
	}
	text := fmt.Sprintf("the Corefile has no push probe %q that a record uses", name)
	if nearest := config.Nearest(name, names); nearest != "" && !strings.EqualFold(nearest, name) {
		text += fmt.Sprintf(", did you mean %q?", nearest)
	}
	return errors.New(text)
}
