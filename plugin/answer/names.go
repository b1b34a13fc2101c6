package answer

import (
	"context"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// Names keeps a table told of what the aliases of names stand for: each name is asked for down the chain, beside all queries, and again when its
// TTL is over. What was known stays when that fails; an answer that says that there is nothing counts. It may be used from any number of
// goroutines; its owner calls Start once and then Stop.
type Names struct {
	table *route.Table
	clock health.Clock
	ask   func(ctx context.Context, req *dns.Msg) Behind

	ctx    context.Context // ends with Stop
	cancel context.CancelFunc
	asking sync.WaitGroup // look-ups under way

	mu      sync.Mutex
	known   map[lookup]*known // guarded by mu
	stopped bool              // guarded by mu
}

// lookup is one question about a name.
type lookup struct {
	name   string
	family uint16 // A or AAAA
}

// known is what a look-up came to.
type known struct {
	answer  []dns.RR
	until   time.Time   // when to ask again
	learned bool        // some look-up has been answered
	failed  int         // look-ups in a row that were not
	unset   func() bool // calls the next look-up off; nil while one is under way
}

// Bounds of how long an answer is kept, and of the pause after a look-up that failed, which doubles from the first to the last.
const (
	minKeep    = time.Second
	maxKeep    = time.Hour
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// NewNames returns the keeper of a table's names; ask runs the rest of the chain.
func NewNames(t *route.Table, clock health.Clock, ask func(ctx context.Context, req *dns.Msg) Behind) *Names {
	ctx, cancel := context.WithCancel(context.Background())
	n := &Names{table: t, clock: clock, ask: ask, ctx: ctx, cancel: cancel, known: map[lookup]*known{}}
	for _, name := range t.Names() {
		for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
			n.known[lookup{name, family}] = &known{}
		}
	}
	return n
}

// Inherit takes over what an earlier keeper knows of the same names, so that a reload forgets none; it is looked up again at once, as what
// stands behind us may have changed. It is called before Start.
func (n *Names) Inherit(old *Names) {
	old.mu.Lock()
	defer old.mu.Unlock()
	for l, k := range n.known {
		if before, ok := old.known[l]; ok && before.learned {
			k.answer, k.learned = before.answer, true
			n.table.Resolved(l.name, l.family, k.answer)
		}
	}
}

// Start plans the first look-ups, at once.
func (n *Names) Start() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l, k := range n.known {
		n.plan(l, k)
	}
}

// Stop ends all look-ups and waits for those under way.
func (n *Names) Stop() {
	n.mu.Lock()
	n.stopped = true
	for _, k := range n.known {
		if k.unset != nil {
			k.unset()
		}
	}
	n.mu.Unlock()
	n.cancel()
	n.asking.Wait()
}

// Hurry looks up at once what the last look-up failed for.
func (n *Names) Hurry() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l, k := range n.known {
		if (k.failed > 0 || !k.learned) && k.unset != nil && k.unset() {
			k.until = time.Time{}
			n.plan(l, k)
		}
	}
}

// Resolved reports whether every name has been looked up with an answer.
func (n *Names) Resolved() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, k := range n.known {
		if !k.learned {
			return false
		}
	}
	return true
}

// plan sets the timer of the next look-up; it is called with mu held.
func (n *Names) plan(l lookup, k *known) {
	if n.stopped {
		return
	}
	k.unset = n.clock.AfterFunc(max(0, k.until.Sub(n.clock.Now())), func() { n.look(l, k) })
}

// look asks for the name.
func (n *Names) look(l lookup, k *known) {
	n.mu.Lock()
	if n.stopped {
		n.mu.Unlock()
		return
	}
	k.unset = nil
	n.asking.Add(1)
	n.mu.Unlock()
	defer n.asking.Done()

	req := new(dns.Msg)
	req.SetQuestion(l.name, l.family)
	b := n.ask(n.ctx, req)
	answered := b.Msg != nil && !b.Nobody && (b.Rcode == dns.RcodeSuccess || b.Rcode == dns.RcodeNameError)

	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		return
	}
	now := n.clock.Now()
	if answered {
		k.answer, k.learned, k.failed = addresses(b.Msg, l.family), true, 0
		k.until = now.Add(keep(b.Msg))
		n.table.Resolved(l.name, l.family, k.answer)
	} else {
		k.until = now.Add(min(lastRetry, firstRetry<<min(k.failed, 10)))
		k.failed++
	}
	n.plan(l, k)
}

// addresses returns the records of the family in a reply; a chain of CNAMEs before them is of no interest.
func addresses(m *dns.Msg, family uint16) []dns.RR {
	var out []dns.RR
	for _, rr := range m.Answer {
		if rr.Header().Rrtype == family {
			out = append(out, rr)
		}
	}
	return out
}

// keep is how long a reply holds: the smallest TTL in it, of a negative one its SOA's.
func keep(m *dns.Msg) time.Duration {
	ttl := uint32(maxKeep / time.Second)
	for _, rr := range m.Answer {
		ttl = min(ttl, rr.Header().Ttl)
	}
	if len(m.Answer) == 0 {
		ttl = uint32(lastRetry / time.Second)
		for _, rr := range m.Ns {
			if soa, ok := rr.(*dns.SOA); ok {
				ttl = min(soa.Hdr.Ttl, soa.Minttl)
			}
		}
	}
	return min(maxKeep, max(minKeep, time.Duration(ttl)*time.Second))
}
