package discover

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// The pause after a question that was not answered well, which doubles from the first to the last.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// questions asks for the targets of a name.
type questions struct {
	name   string
	qtype  uint16
	limit  int
	ask    func(ctx context.Context, req *dns.Msg) *dns.Msg
	failed int // looks in a row
}

// inherit does nothing: what the name stood for is the Source's, and the next reply says all.
func (q *questions) inherit(reader) {}

// recall does nothing, for the same reason.
func (q *questions) recall([]part) {}

func (q *questions) read(ctx context.Context) reading {
	found, keep, err := q.look(ctx)
	if err == nil {
		q.failed = 0
		return reading{parts: []part{{from: q.name, found: found}}, fortune: Good, again: keep}
	}
	r := reading{fortune: Refused, fault: fmt.Sprintf("%s %s: %s", q.name, dns.TypeToString[q.qtype], err), again: min(lastRetry, firstRetry<<min(q.failed, 10))}
	switch {
	case errors.Is(err, ErrEmpty):
		r.fortune = Empty
	case errors.Is(err, ErrNoAnswer):
		r.fortune = Gone
	}
	q.failed++
	return r
}

// look asks for the name, and for the hosts of services whose addresses did not come along. All of it must be answered: a list without the
// hosts that could not be looked up would remove them.
func (q *questions) look(ctx context.Context) ([]config.Found, time.Duration, error) {
	answer, err := q.question(ctx, q.name, q.qtype)
	if err != nil {
		return nil, 0, err
	}
	services := map[string][]Service{}
	r := &replyReader{keep: answer.Keep, found: map[netip.AddrPort]config.Found{}}
	for _, f := range answer.Found {
		r.add(f.Address, f.Port, f.Weight)
	}
	for _, s := range answer.Missing {
		services[s.Host] = append(services[s.Host], s)
	}
	if len(services) > q.limit {
		return nil, 0, fmt.Errorf("the services have %d hosts: expected at most as many as the pool's `limit`, %d", len(services), q.limit)
	}
	for host, all := range services {
		for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
			addresses, err := q.question(ctx, host, family)
			switch {
			case errors.Is(err, ErrEmpty):
				continue
			case err != nil:
				return nil, 0, fmt.Errorf("%s %s: %w", host, dns.TypeToString[family], err)
			}
			r.keep = min(r.keep, addresses.Keep)
			for _, f := range addresses.Found {
				for _, s := range all {
					r.add(f.Address, s.Port, s.Weight)
				}
			}
		}
	}
	if len(r.found) == 0 {
		return nil, 0, ErrEmpty
	}
	return r.list(), r.keep, nil
}

func (q *questions) question(ctx context.Context, name string, qtype uint16) (Reply, error) {
	if ctx.Err() != nil {
		return Reply{}, ErrNoAnswer
	}
	req := new(dns.Msg)
	req.SetQuestion(name, qtype)
	return FromDNS(q.ask(ctx, req), name, qtype)
}
