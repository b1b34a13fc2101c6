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

// Client is who asks. It is made for one query and used by one goroutine: what is looked up is looked up once, and by the same version
// of all files.
type Client struct {
	// Network is what is known of the client's address: the prefix of its ECS option if that decides, else the whole source address.
	Network netip.Prefix

	sources  *sources                  // nil: nothing is known of any place
	metadata func(label string) string // stands in for the databases, if it is not nil

	continent, country, subdivision, site once[string]
	asn                                   once[uint32]
	coordinates                           once[config.Coordinates]
}

// sources are one version of all files. They never change.
type sources struct {
	table     *Table // nil if there is none
	databases []*database
}

// once is a fact that was looked up already, or not yet.
type once[V any] struct {
	fact Fact[V]
	done bool
}

// Continent is the code of the client's continent: AF, AN, AS, EU, NA, OC or SA.
func (c *Client) Continent() Fact[string] {
	return look(c, &c.continent, (*Table).continentColumn, (*database).continent, metadataContinent)
}

// Country is the client's ISO 3166-1 alpha-2 code, upper case.
func (c *Client) Country() Fact[string] {
	return look(c, &c.country, (*Table).countryColumn, (*database).country, metadataCountry)
}

// Subdivision is the client's ISO 3166-2 code, upper case, as US-CA.
func (c *Client) Subdivision() Fact[string] {
	return look(c, &c.subdivision, (*Table).subdivisionColumn, (*database).subdivision, metadataSubdivision)
}

// ASN is the number of the client's autonomous system.
func (c *Client) ASN() Fact[uint32] {
	return look(c, &c.asn, (*Table).asnColumn, (*database).asn, metadataASN)
}

// Coordinates are the client's.
func (c *Client) Coordinates() Fact[config.Coordinates] {
	return look(c, &c.coordinates, (*Table).coordinatesColumn, (*database).coordinates, metadataCoordinates)
}

// Site is the site that the client stands in, lower case. Only a locations file tells it.
func (c *Client) Site() Fact[string] {
	return look(c, &c.site, (*Table).siteColumn, nil, nil)
}

// Latency is how long the client's way to a site is, in milliseconds, 0 or more. The site is in lower case. Only a locations file tells it.
func (c *Client) Latency(site string) Fact[float64] {
	if c.sources == nil || c.sources.table == nil {
		return Fact[float64]{}
	}
	of := c.sources.table.latencies[site]
	if of == nil {
		return Fact[float64]{}
	}
	return of.fact(c.Network)
}

// look finds a fact: in the locations file, which stands over all others, else in the first database that has it, or, in place of all
// databases, in what plugin geoip said. Whatever was looked at in vain counts for the fact's width too: a neighbour that has it there
// has another answer.
func look[V comparable](
	c *Client, known *once[V], in func(*Table) *column[V], from func(*database, netip.Addr) Fact[V], read func(func(string) string) (V, bool),
) Fact[V] {
	if known.done {
		return known.fact
	}
	var f Fact[V]
	if c.sources != nil && c.sources.table != nil {
		f = in(c.sources.table).fact(c.Network)
	}
	switch {
	case f.Known:
	case c.metadata != nil && read != nil:
		f.Value, f.Known = read(c.metadata)
		f.Bits = max(f.Bits, c.Network.Bits()) // how wide the database's network is has got lost on the way
	case c.sources != nil && from != nil:
		width := f.Bits
		for _, d := range c.sources.databases {
			f = from(d, c.Network.Addr())
			width = max(width, f.Bits)
			if f.Known {
				break
			}
		}
		f.Bits = width
	}
	*known = once[V]{f, true}
	return f
}
