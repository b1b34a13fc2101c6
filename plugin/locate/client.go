// Package locate tells where a client is: from the EDNS Client Subnet option or the source address, by a table of the
// operator's own and by .mmdb databases.
package locate

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
)

// Fact is something that is known of a client's place, and how far around the client it holds.
type Fact[T any] struct {
	Value T
	Known bool
	// Bits is the length of the shortest prefix around the client's address in which everybody has this fact, and, if it is not
	// known, nobody has it. 0 if it is the same for the whole family.
	Bits int
}

// Client is who asks. It is made for one query and used by one goroutine: what is looked up is looked up once.
type Client struct {
	// Network is what is known of the client's address: the prefix of its ECS option if that decides, else the whole source address.
	Network netip.Prefix
	facts   facts // nil: nothing is known of any place
}

// facts are the sources of facts about addresses.
type facts interface {
	continent(netip.Addr) Fact[string]
	country(netip.Addr) Fact[string]
	subdivision(netip.Addr) Fact[string]
	asn(netip.Addr) Fact[uint32]
	coordinates(netip.Addr) Fact[config.Coordinates]
	site(netip.Addr) Fact[string]
	latency(a netip.Addr, site string) Fact[float64]
}

// Continent is the code of the client's continent: AF, AN, AS, EU, NA, OC or SA.
func (c *Client) Continent() Fact[string] {
	if c.facts == nil {
		return Fact[string]{}
	}
	return c.facts.continent(c.Network.Addr())
}

// Country is the client's ISO 3166-1 alpha-2 code, upper case.
func (c *Client) Country() Fact[string] {
	if c.facts == nil {
		return Fact[string]{}
	}
	return c.facts.country(c.Network.Addr())
}

// Subdivision is the client's ISO 3166-2 code, upper case, as US-CA.
func (c *Client) Subdivision() Fact[string] {
	if c.facts == nil {
		return Fact[string]{}
	}
	return c.facts.subdivision(c.Network.Addr())
}

// ASN is the number of the client's autonomous system.
func (c *Client) ASN() Fact[uint32] {
	if c.facts == nil {
		return Fact[uint32]{}
	}
	return c.facts.asn(c.Network.Addr())
}

// Coordinates are the client's.
func (c *Client) Coordinates() Fact[config.Coordinates] {
	if c.facts == nil {
		return Fact[config.Coordinates]{}
	}
	return c.facts.coordinates(c.Network.Addr())
}

// Site is the site that the client stands in, lower case.
func (c *Client) Site() Fact[string] {
	if c.facts == nil {
		return Fact[string]{}
	}
	return c.facts.site(c.Network.Addr())
}

// Latency is how long the client's way to a site is, in milliseconds.
func (c *Client) Latency(site string) Fact[float64] {
	if c.facts == nil {
		return Fact[float64]{}
	}
	return c.facts.latency(c.Network.Addr(), site)
}
