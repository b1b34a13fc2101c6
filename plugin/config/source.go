package config

import (
	"net/netip"

	"go4.org/netipx"
)

// SourceOf returns the range of a prefix.
func SourceOf(p netip.Prefix) Source {
	r := netipx.RangeOfPrefix(p)
	return Source{From: r.From(), To: r.To()}
}

// Prefixes splits the range into the fewest prefixes that hold exactly its addresses, in their order; one that was
// written as a prefix gives it back. A range that is not valid gives none.
func (s Source) Prefixes() []netip.Prefix { return s.ipRange().Prefixes() }

// IsValid reports whether both ends are addresses of one family, and in order.
func (s Source) IsValid() bool { return s.ipRange().IsValid() }

// String writes a prefix if the range is one, and both ends otherwise.
func (s Source) String() string {
	if p, ok := s.ipRange().Prefix(); ok {
		return p.String()
	}
	return s.From.String() + "-" + s.To.String()
}

func (s Source) ipRange() netipx.IPRange { return netipx.IPRangeFrom(s.From, s.To) }
