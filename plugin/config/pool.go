package config

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/miekg/dns"
)

// Pool is the targets of one service, with the thresholds that say when a site has too few that work (spec 4.10).
type Pool struct {
	Name    string // a word, lower case; unique among the stanza's pools and balancers
	Preset  Preset // "" is none
	Probe   string // name of a probe of the stanza that tests each target; "" for none
	TTL     time.Duration
	MinTTL  time.Duration // of `ttl A-B`, as a group's
	Targets []*Target     // those that the Corefile names
	Sources []Discovery   // where others come from

	DNSFailover Threshold // below it a site leaves the answer
	FailOpen    Threshold // below it all the site's targets are used, healthy or not
	CrossSite   CrossSite // "" leaves it to the balancer

	Drain          time.Duration // a target that is deregistered, or has vanished, is kept known so long; 0 to 1 h
	UnhealthyDrain time.Duration // an unhealthy target is shown as draining so long; 0 to 100 h. It changes no answer (spec 6)
	Limit          int           // most targets from all sources, 1 to 1,000,000
	Rate           int           // most targets from sources that are added in a second, 1 to 100,000
	Disabled       bool          // nothing of it is eligible

	Places Places
}

// Target is an address and port in a pool.
type Target struct {
	ID        string       // unique in its pool; by default DefaultTargetID
	Addresses []netip.Addr // one, or one of each family
	Port      uint16       // 0: the probe's
	Site      string       // "" for none
	Weight    int          // 0 to 65535; counts where one target is drawn
	Probe     string       // as the pool's; "" for none
	Headers   []Header
	Admin     AdminState // what the Corefile says; "" is enabled
	Places    Places
}

// DefaultTargetID is the id of a target that names none: its first address, with its own port if it has one.
func DefaultTargetID(first netip.Addr, port uint16) string {
	if port == 0 {
		return first.String()
	}
	return netip.AddrPortFrom(first, port).String()
}

// Threshold says how many healthy targets a site must have. Either part that is missed is a breach; one that is 0 is off.
type Threshold struct {
	Count   int
	Percent int // 1 to 100, of the targets registered now
}

// CrossSite is the scope of the thresholds: each enabled site on its own, or all of them together.
type CrossSite string

// The values of `cross_site`; "" is off, or in a pool the balancer's word.
const (
	CrossSiteOn  CrossSite = "on"
	CrossSiteOff CrossSite = "off"
)

// Discovery is a source of targets. They all have the same weight and site, unless the source says otherwise.
type Discovery struct {
	Kind  DiscoveryKind
	Name  string // dns: an absolute name, asked for down the chain
	Type  uint16 // dns: A, AAAA or SRV
	Files string // file: a path, perhaps with a pattern in its last part, relative to the server's root
	Port  uint16 // of targets whose source says none; 0: the probe's
	Site  string // of targets whose source says none; "" for none

	Position Position
}

// DiscoveryKind is how a source tells.
type DiscoveryKind string

// The kinds of sources.
const (
	DiscoverDNS  DiscoveryKind = "dns"
	DiscoverFile DiscoveryKind = "file" // Prometheus's file_sd form
)

// Default values of pools (spec 4.10, 3.4).
const (
	DefaultDrain         = 300 * time.Second
	DefaultPoolLimit     = 10_000
	DefaultPoolRate      = 1_000
	DefaultThreshold     = 1 // count, of both thresholds
	DefaultNLBTTL        = 60 * time.Second
	MaxDrain             = time.Hour
	MaxUnhealthyDrain    = 360_000 * time.Second
	MinShift             = time.Minute
	MaxShift             = 72 * time.Hour
	PartialAffinity      = 17 // of 20 clients of a site get that site under `affinity partial`
	PartialAffinityOutOf = 20
)

// Found is what a source says of one target. Address and port are its identity.
type Found struct {
	Address netip.Addr
	Port    uint16 // 0: the probe's
	Site    string // "" for none
	Weight  int    // 0 to 65535
}

// Record is the target as a record with its addresses as values, as which it is answered.
func (t *Target) Record(p *Pool) *Record {
	r := &Record{
		ID: t.ID, TTL: p.TTL, MinTTL: p.MinTTL, Weight: t.Weight, Site: t.Site, Probe: t.Probe, Headers: t.Headers, Admin: t.Admin, Places: t.Places,
	}
	for _, a := range t.Addresses {
		r.Values = append(r.Values, AddressValue(a))
	}
	return r
}

// Record is the site as a record with its addresses as values, as which it is answered.
func (s *Site) Record(b *Balancer) *Record {
	r := &Record{ID: s.Name, TTL: b.TTL, MinTTL: b.MinTTL, Site: s.Name, Probe: s.Probe, Places: s.Places}
	for _, a := range s.Addresses {
		r.Values = append(r.Values, AddressValue(a))
	}
	return r
}

// AddressValue is the address as the data of an A or AAAA record.
func AddressValue(a netip.Addr) Value {
	t := dns.TypeA
	if a.Is6() {
		t = dns.TypeAAAA
	}
	return Value{Type: t, Data: a.String()}
}

// String is the threshold in words: "count 1", "percent 50", both, or "off".
func (t Threshold) String() string {
	switch {
	case t == Threshold{}:
		return "off"
	case t.Percent == 0:
		return fmt.Sprintf("count %d", t.Count)
	case t.Count == 0:
		return fmt.Sprintf("percent %d", t.Percent)
	}
	return fmt.Sprintf("count %d and percent %d", t.Count, t.Percent)
}
