package locate

import (
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
	"slices"
)

// point is an address as a number that can be compared: the bits of an IPv6 address, or those of an IPv4 address and 96 zeros behind
// them. With this, both families have the same arithmetic, and a prefix has the same length in both.
type point struct{ hi, lo uint64 }

func pointOf(a netip.Addr) point {
	if a.Is4() {
		b := a.As4()
		return point{hi: uint64(binary.BigEndian.Uint32(b[:])) << 32}
	}
	b := a.As16()
	return point{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func (p point) compare(q point) int {
	switch {
	case p.hi < q.hi || p.hi == q.hi && p.lo < q.lo:
		return -1
	case p == q:
		return 0
	}
	return 1
}

// common is the number of leading bits in which both are equal.
func (p point) common(q point) int {
	if x := p.hi ^ q.hi; x != 0 {
		return bits.LeadingZeros64(x)
	}
	return 64 + bits.LeadingZeros64(p.lo^q.lo)
}

// before is the number one less, all 128 bits counted. Of a point that begins an IPv4 run it ends in ones where IPv4 has no bits, which
// common never gets to see, because the points differ earlier.
func (p point) before() point {
	lo, borrow := bits.Sub64(p.lo, 1, 0)
	hi, _ := bits.Sub64(p.hi, 0, borrow)
	return point{hi, lo}
}

// after is the first point behind the prefix. ok is false if the prefix ends the family.
func after(p netip.Prefix) (next point, ok bool) {
	next = pointOf(p.Addr())
	var carry uint64
	switch n := p.Bits(); {
	case n == 0:
		return point{}, false
	case n <= 64:
		next.hi, carry = bits.Add64(next.hi, 1<<(64-n), 0)
	default:
		next.lo, carry = bits.Add64(next.lo, 1<<(128-n), 0)
		next.hi, carry = bits.Add64(next.hi, 0, carry)
	}
	return next, carry == 0
}

// none stands for the value of addresses that no prefix has.
const none = -1

// Regions is the address space cut into runs of addresses that have the same longest match in a map. It never changes.
type Regions[V any] struct {
	values []V // of the map's prefixes
	v4, v6 runs
}

// runs are those of one family in the order of their addresses. Run i goes from starts[i] to the address before starts[i+1], or to
// the end of the family; the first one starts at 0. which[i] is an index or none.
type runs struct {
	starts []point
	which  []int32
}

// add begins a run. One that would have been empty goes.
func (r *runs) add(start point, which int32) {
	if last := len(r.starts) - 1; last >= 0 && r.starts[last] == start {
		r.which[last] = which
		return
	}
	r.starts = append(r.starts, start)
	r.which = append(r.which, which)
}

// Regions computes the runs: at most two for each prefix, and one. It takes time in proportion to their number.
func (m *Map[V]) Regions() *Regions[V] {
	r := new(Regions[V])
	if m == nil {
		return r
	}
	if m.Len() > math.MaxInt32 {
		panic("locate: more prefixes than can be counted")
	}
	r.values = make([]V, 0, m.Len())
	r.v4 = r.sweep(m.table.AllSorted4())
	r.v6 = r.sweep(m.table.AllSorted6())
	return r
}

// sweep goes over the prefixes of a family in the order of their addresses, shorter ones first. Prefixes never overlap in part, so
// those that are open at an address lie on a stack, and the innermost one has the address.
func (r *Regions[V]) sweep(prefixes func(func(netip.Prefix, V) bool)) runs {
	type open struct {
		end   point // the first point behind it
		last  bool  // it ends the family; end says nothing
		which int32
	}
	var out runs
	var stack []open
	top := func() int32 {
		if len(stack) == 0 {
			return none
		}
		return stack[len(stack)-1].which
	}
	closeUntil := func(start point, all bool) {
		for len(stack) > 0 {
			o := stack[len(stack)-1]
			if o.last || !all && o.end.compare(start) > 0 {
				return
			}
			stack = stack[:len(stack)-1]
			out.add(o.end, top())
		}
	}
	out.add(point{}, none)
	for p, v := range prefixes {
		which := int32(len(r.values))
		r.values = append(r.values, v)
		start := pointOf(p.Addr())
		closeUntil(start, false)
		out.add(start, which)
		end, more := after(p)
		stack = append(stack, open{end, !more, which})
	}
	closeUntil(point{}, true)
	return out
}

// Merge asks for the decision of each run and joins neighbours with the same one. decide is told the value of the run's longest
// prefix, or that there is none; it may be asked several times about the same prefix and must not change its mind.
func (r *Regions[V]) Merge(decide func(v V, ok bool) int) *Scopes {
	var zero V
	merge := func(of runs) []point {
		var starts []point
		var last int
		for i, which := range of.which {
			var decision int
			if which == none {
				decision = decide(zero, false)
			} else {
				decision = decide(r.values[which], true)
			}
			if i == 0 || decision != last {
				starts = append(starts, of.starts[i])
			}
			last = decision
		}
		return slices.Clip(starts)
	}
	return &Scopes{v4: merge(r.v4), v6: merge(r.v6)}
}

// Scopes tells how far around an address the same is decided. It never changes, so any number of goroutines may use it; with a nil
// Scopes all addresses decide alike.
type Scopes struct {
	v4, v6 []point // where runs start, the first one at 0
}

// Bits is the length of the shortest prefix around the address in which the same is decided everywhere: 0 if the whole family decides
// alike, at most 32 or 128. It is the scope of an answer (RFC 7871 section 7.2.1; spec 4.15).
//
// A prefix around the address lies within the run as long as it holds neither the last address before the run nor the first one behind
// it; so it must be one bit longer than what the address has in common with either.
func (s *Scopes) Bits(a netip.Addr) int {
	if s == nil || !a.IsValid() {
		return 0
	}
	a = a.Unmap()
	starts := s.v6
	if a.Is4() {
		starts = s.v4
	}
	at := pointOf(a)
	behind, found := slices.BinarySearchFunc(starts, at, point.compare)
	if found {
		behind++
	}
	length := 0
	if behind > 1 {
		length = at.common(starts[behind-1].before()) + 1
	}
	if behind < len(starts) {
		length = max(length, at.common(starts[behind])+1)
	}
	return length
}

// Around is the scope of what was decided for a network. Prefixes that are longer than the network do not match it, even where they cover
// all of it (spec T-153), and so its addresses may decide alike but unlike it. differs tells whether the first address, at full length, does; then
// the network's answer holds for it alone, and more bits would have helped.
func (s *Scopes) Around(network netip.Prefix, differs func(address netip.Prefix) bool) int {
	bits := s.Bits(network.Addr())
	if bits > network.Bits() || network.IsSingleIP() {
		return bits
	}
	if differs(netip.PrefixFrom(network.Addr(), network.Addr().BitLen())) {
		return network.Bits() + 1
	}
	return bits
}
