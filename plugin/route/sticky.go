package route

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// rendezvous gives each client network always the same record, and each record its share of the networks: every record gets a score from a
// hash of network and id, and the highest stands (rendezvous hashing). Taking a record away moves only the networks that had it, and every
// server with the same configuration and health agrees (spec 4.13).
type rendezvous struct {
	sticky config.Sticky
	among  []*Candidate
	weight func(*Candidate) float64 // above 0; nil: all weigh the same
	max    int                      // records in an answer; 0 is one
}

const stickyReason = "sticky: always the same for the client's network"

func (r *rendezvous) choose(q *Query) Choice {
	network, bits := stickyNetwork(q.Client, r.sticky)
	if r.max > 1 {
		return Choice{Many: r.best(network), Reason: stickyReason, By: BySticky, Scope: bits}
	}
	best := r.among[0]
	highest := r.score(network, best)
	for _, c := range r.among[1:] {
		if s := r.score(network, c); s > highest {
			best, highest = c, s
		}
	}
	return Choice{One: best, Reason: stickyReason, By: BySticky, Scope: bits}
}

// best returns the max records of the highest scores.
func (r *rendezvous) best(network netip.Prefix) []*Candidate {
	type scored struct {
		c *Candidate
		s float64
	}
	all := make([]scored, len(r.among))
	for i, c := range r.among {
		all[i] = scored{c, r.score(network, c)}
	}
	slices.SortFunc(all, func(a, b scored) int {
		if a.s > b.s {
			return -1
		}
		return 1
	})
	out := make([]*Candidate, r.max)
	for i := range out {
		out[i] = all[i].c
	}
	return out
}

func (r *rendezvous) outcomes(q *Query, limit int) ([]Outcome, bool) {
	if q.Everybody {
		return r.spread().outcomes(q, limit)
	}
	return certain(r.choose(q)), true
}

// spread is how the networks of all clients are shared out among the records: as the queries would be without sticky.
func (r *rendezvous) spread() interface {
	chooser
	sharer
} {
	if r.max > 1 {
		return &sample{among: r.among, max: r.max}
	}
	weight := equally
	if r.weight != nil {
		weight = weightOf
	}
	return newDraw(r.among, weight, stickyReason)
}

// score is -weight / ln(u) with u uniform in (0, 1): the highest of such scores is each record's with a probability of its weight over
// their sum.
func (r *rendezvous) score(network netip.Prefix, c *Candidate) float64 {
	weight := 1.0
	if r.weight != nil {
		weight = r.weight(c)
	}
	return -weight / math.Log(uniform(network, c.Record.ID))
}

// uniform hashes network and id to a number in (0, 1).
func uniform(network netip.Prefix, id string) float64 {
	var key [17]byte
	address := network.Addr().As16()
	copy(key[:], address[:])
	key[16] = byte(network.Bits())
	h := xxhash.Sum64(key[:])
	var seed [8]byte
	binary.LittleEndian.PutUint64(seed[:], h)
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write(seed[:]) // never fails
	_, _ = d.WriteString(id)
	return (float64(d.Sum64()>>11) + 0.5) / (1 << 53)
}

// stickyNetwork is the client's network of as many bits as sticky says, or of fewer where no more is known of it. bits is what sticky says, so
// that a resolver which told less gives the answer to no client of whom it could tell more.
func stickyNetwork(c *locate.Client, s config.Sticky) (network netip.Prefix, bits int) {
	bits = s.IPv6
	if c.Network.Addr().Is4() {
		bits = s.IPv4
	}
	return netip.PrefixFrom(c.Network.Addr(), min(bits, c.Network.Bits())).Masked(), bits
}
