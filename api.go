package healthroute

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/status"
)

// eventsKept is how many events a listener may miss before he has to read everything anew.
const eventsKept = 4096

// started is when the process did.
var started = time.Now()

func init() { admin.Watch(publishAdmin) }

// publishAdmin tells what operators say of the objects now: also of its end, which comes by itself.
func publishAdmin(objects []health.Object) {
	for i, o := range objects {
		v, ok := admin.Override(o)
		if i < mostLines {
			log.Info(overrideLine(o, v, ok))
		}
		events.Publish(status.Event{Admin: &status.Admin{Object: o.String(), State: string(v.State), Reason: v.Reason, Author: v.Author, Until: unlessZero(v.Until)}})
	}
	if more := len(objects) - mostLines; more > 0 {
		log.Infof("and so for %d more", more)
	}
}

// mostLines is how many objects of one order have a line in the log.
const mostLines = 20

// overrideLine says what holds of an object now, if anything does.
func overrideLine(o health.Object, v health.Override, ok bool) string {
	if !ok {
		return fmt.Sprintf("operators say nothing of %s any more", o)
	}
	line := fmt.Sprintf("an operator says that %s is %s", o, v.State)
	if !v.Until.IsZero() {
		line += " until " + v.Until.UTC().Format(time.RFC3339)
	}
	if v.Author != "" {
		line += ", by " + v.Author
	}
	if v.Reason != "" {
		line += ": " + v.Reason
	}
	return line
}

// publishReload tells that a configuration was taken or refused.
func publishReload(taken bool) {
	events.Publish(status.Event{Reload: &status.Reload{Taken: taken, Blocks: apiBackend{}.blockKeys()}})
}

// unlessZero is the time, nil for none.
func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// api is the server of the API, one for the process. A reload that changes nothing of it leaves it alone, with everybody who listens to events.
var api apiServer

type apiServer struct {
	mu      sync.Mutex
	running *config.Status // guarded by mu; what server follows
	server  *status.Server // guarded by mu; nil for none
}

// follow makes the server be as a configuration says, nil for none. The process may open so many descriptors, if that is known.
func (a *apiServer) follow(c *config.Status, descriptors int, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running.Equal(c) {
		return
	}
	if a.server != nil { // before another one, which may want the same address
		a.server.Close()
		a.server = nil
	}
	a.running = c
	if c == nil {
		return
	}
	connections := maxConnections
	if known {
		connections = min(connections, max(minConnections, descriptors/8))
	}
	a.server = status.NewServer(c, status.Options{Backend: lastingBackend{}, Events: events, Log: log, Connections: connections})
	a.server.Start()
}

// Connections to the API: an eighth of the descriptors, as those are for DNS and for attempts, within these bounds.
const (
	minConnections = 16
	maxConnections = 2048
)

// apiBackend is the status.Backend over what runs. It shows the newest instance.
type apiBackend struct{}

// blocks are the server blocks of the newest instance.
func (apiBackend) blocks() []*block {
	if i := running.newest(); i != nil {
		return i.blocks
	}
	return nil
}

func (b apiBackend) blockKeys() []string {
	keys := []string{}
	for _, block := range b.blocks() {
		keys = append(keys, block.key)
	}
	return keys
}

// State is the server's own.
func (b apiBackend) State(context.Context) (status.State, error) {
	load := engine.Load()
	s := status.State{
		Version: probe.Version, Started: started.UTC(), Now: time.Now().UTC(), Ready: ready(), Blocks: b.blockKeys(), Checks: map[string]int{},
		Overrides: len(admin.Objects()), AttemptsUnder: load.UnderWay, AttemptsWaiting: load.Waiting, Frozen: engine.Frozen(), Canaries: []string{},
		File: stateFile(),
	}
	s.Host, _ = os.Hostname() // of which there is none on some systems
	if i := running.newest(); i != nil {
		s.Reloaded = i.since.UTC()
	}
	if !load.Oldest.IsZero() {
		s.OldestDue = time.Since(load.Oldest).Seconds()
	}
	for _, c := range engine.Canaries() {
		s.Canaries = append(s.Canaries, c.String())
	}
	for _, block := range b.blocks() {
		s.Groups += len(block.table.Groups())
		for _, g := range block.table.Groups() {
			s.Records += len(g.Records)
		}
	}
	for _, p := range b.allPools() {
		s.Pools++
		s.Targets += len(p.Targets())
	}
	for _, c := range b.allChecks() {
		s.Checks[c.State().Status.String()]++
	}
	return s, nil
}

// Configuration is what the newest instance follows.
func (b apiBackend) Configuration(context.Context) ([]status.Stanza, error) {
	out := []status.Stanza{}
	for _, block := range b.blocks() {
		for _, s := range block.stanzas {
			out = append(out, status.Stanza{
				Block: block.key, File: s.Places.Own.File, Line: s.Places.Own.Line, Zones: s.Zones, Corefile: corefile.Print(withoutSecrets(s)),
			})
		}
	}
	return out, nil
}
