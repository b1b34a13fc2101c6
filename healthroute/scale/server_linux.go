package main

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/coredns/caddy"
)

// recordsOfGroup is how many targets one name has.
const recordsOfGroup = 100

// site is the Corefile of a case.
type site struct {
	targets  int
	kind     string // tcp or http
	interval time.Duration
	port     int // of those that answer
	hung     int // port of the fifth that hangs
	flaps    int // port of a tenth that flaps; 0 for none
	idle     bool
}

func groupName(i int) string { return fmt.Sprintf("g%d.example.org.", i) }

// groups is the number of names.
func (s site) groups() int { return (s.targets + recordsOfGroup - 1) / recordsOfGroup }

// probe is the one of a group: two of ten hang, and one of ten flaps if any do.
func (s site) probe(group int) string {
	switch {
	case group%10 == 3 || group%10 == 8:
		return "hung"
	case group%10 == 5 && s.flaps > 0:
		return "flaps"
	}
	return "answers"
}

// corefile has one server block, on a free port of 127.0.0.1.
func (s site) corefile() string {
	var b strings.Builder
	b.WriteString("example.org:0 {\nbind 127.0.0.1\nhealthroute {\n")
	for name, port := range map[string]int{"answers": s.port, "hung": s.hung, "flaps": s.flaps} {
		if port == 0 {
			continue
		}
		fmt.Fprintf(&b, "probe %s %s {\nport %d\ninterval %s\n", name, s.kind, port, s.interval)
		if s.idle {
			b.WriteString("assume healthy\n")
		}
		b.WriteString("}\n")
	}
	address := netip.MustParseAddr("127.1.0.0")
	for g := range s.groups() {
		fmt.Fprintf(&b, "group g%d multivalue {\nprobe %s\n", g, s.probe(g))
		for range min(recordsOfGroup, s.targets-g*recordsOfGroup) {
			address = address.Next()
			fmt.Fprintf(&b, "record %s\n", address)
		}
		b.WriteString("}\n")
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// running is a server of this process.
type running struct {
	instance *caddy.Instance
	address  string
}

func startServer(s site) (*running, error) {
	instance, err := caddy.Start(caddy.CaddyfileInput{Contents: []byte(s.corefile()), Filepath: "Corefile", ServerTypeName: "dns"})
	if err != nil {
		return nil, err
	}
	return &running{instance, instance.Servers()[0].LocalAddr().String()}, nil
}

func (r *running) stop() error {
	r.instance.ShutdownCallbacks()
	err := r.instance.Stop()
	r.instance.Wait()
	return err
}
