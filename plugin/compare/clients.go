package compare

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// clients are the places and networks that two configurations tell clients apart by. One client of each is asked for.
type clients struct {
	places      []trait // continents, countries and subdivisions
	asns        []uint32
	sites       []string
	coordinates []config.Coordinates
	sources     []config.Source
}

// ofGroup notes whom the records of a group are for.
func (c *clients) ofGroup(g *config.Group) {
	for _, r := range g.Records {
		c.ofLocations(r.Locations)
		c.asns = append(c.asns, r.Locations.ASNs...)
		c.sources = append(c.sources, r.From...)
		if g.Policy == config.PolicyLatency && r.Site != "" {
			c.sites = append(c.sites, r.Site)
		}
		if r.Coordinates != nil {
			c.coordinates = append(c.coordinates, *r.Coordinates)
		}
	}
	for _, o := range g.Overrides {
		c.sources = append(c.sources, o.From...)
	}
}

// ofBalancer notes the sites whose clients get them first.
func (c *clients) ofBalancer(s *config.Stanza, b *config.Balancer) {
	if b.Affinity == config.AffinityAny {
		return
	}
	for _, site := range b.Sites {
		c.sites = append(c.sites, site.Name)
	}
	for _, name := range b.Pools {
		if p := s.Pool(name); p != nil {
			for _, t := range p.Targets {
				if t.Site != "" {
					c.sites = append(c.sites, t.Site)
				}
			}
		}
	}
}

// nobody reports whether all clients are answered alike.
func (c *clients) nobody() bool {
	return len(c.places)+len(c.asns)+len(c.sites)+len(c.coordinates)+len(c.sources) == 0
}

func (c *clients) add(more clients) {
	c.places = append(c.places, more.places...)
	c.asns = append(c.asns, more.asns...)
	c.sites = append(c.sites, more.sites...)
	c.coordinates = append(c.coordinates, more.coordinates...)
	c.sources = append(c.sources, more.sources...)
}

// client is somebody who asks.
type client struct {
	label string // "" for one of whom nothing is known
	from  netip.Addr
	facts string // as in a locations file
}

// trait is one thing that a client may have.
type trait struct{ label, facts string }

// mostClients are compared for one name. Where there would be more, one trait at a time is looked at, and of ranges as many.
const mostClients = 2000

// each returns a client for every combination of what the clients are told apart by; of each thing there is one who has nothing of it.
func (c *clients) each() (all []client, complete bool) {
	dimensions := [][]trait{c.ofPlaces(), c.ofASNs(), c.ofSites(), c.ofCoordinates()}
	networks, complete := c.networks()
	total := len(networks)
	for _, d := range dimensions {
		total *= len(d)
	}
	if total > mostClients {
		return oneByOne(networks, dimensions), complete
	}
	out := networks
	for _, d := range dimensions {
		var wider []client
		for _, who := range out {
			for _, t := range d {
				wider = append(wider, who.with(t))
			}
		}
		out = wider
	}
	return out, complete
}

// oneByOne are the clients of each network, and those of each other trait alone.
func oneByOne(networks []client, dimensions [][]trait) []client {
	out := slices.Clone(networks)
	for _, d := range dimensions {
		for _, t := range d[1:] {
			out = append(out, networks[0].with(t))
		}
	}
	return out
}

func (c client) with(t trait) client {
	c.label = strings.Trim(c.label+", "+t.label, ", ")
	c.facts = strings.TrimSpace(c.facts + " " + t.facts)
	return c
}

// place is what is known of where the client is, and of nobody else.
func (c client) place() *locate.Locator {
	text := "# nothing\n"
	if c.facts != "" {
		text = fmt.Sprintf("%s %s\n", netip.PrefixFrom(c.from, c.from.BitLen()), c.facts)
	}
	table, err := locate.Parse("places", text)
	if err != nil {
		return locate.New(nil) // no place that a Corefile may name
	}
	return locate.New(table)
}

func unique[T comparable](list []T) []T {
	seen := map[T]bool{}
	var out []T
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// ofLocations notes places with what else is true of clients there.
func (c *clients) ofLocations(l config.Locations) {
	for _, code := range l.Continents {
		c.places = append(c.places, trait{"continent " + code, "continent=" + code})
	}
	for _, code := range l.Countries {
		c.places = append(c.places, trait{"country " + code, "country=" + code + continent(code)})
	}
	for _, code := range l.Subdivisions {
		country, _, _ := strings.Cut(code, "-")
		c.places = append(c.places, trait{"subdivision " + code, "subdivision=" + code + " country=" + country + continent(country)})
	}
}

func (c *clients) ofPlaces() []trait {
	places := unique(c.places)
	slices.SortFunc(places, func(a, b trait) int { return strings.Compare(a.label, b.label) })
	return append([]trait{{}}, places...)
}

func (c *clients) ofASNs() []trait {
	out := []trait{{}}
	asns := unique(c.asns)
	slices.Sort(asns)
	for _, n := range asns {
		out = append(out, trait{fmt.Sprintf("AS%d", n), fmt.Sprintf("asn=%d", n)})
	}
	return out
}

func (c *clients) ofSites() []trait {
	out := []trait{{}}
	sites := unique(c.sites)
	slices.Sort(sites)
	for _, site := range sites {
		out = append(out, trait{"site " + site, "site=" + strings.ToLower(site)})
	}
	return out
}

// ofCoordinates are the places of the records, and a net over the earth.
func (c *clients) ofCoordinates() []trait {
	out := []trait{{}}
	if len(c.coordinates) == 0 {
		return out
	}
	points := unique(c.coordinates)
	const step = 30
	for lat := -90 + step/2; lat < 90; lat += step {
		for lon := -180 + step/2; lon < 180; lon += step {
			points = append(points, config.Coordinates{Lat: float64(lat), Lon: float64(lon)})
		}
	}
	for _, p := range unique(points) {
		text := fmt.Sprintf("%g,%g", p.Lat, p.Lon)
		out = append(out, trait{"near " + text, "coordinates=" + text})
	}
	return out
}

// continents by their numbers in UN M.49, but for Antarctica, which is one country.
var continents = map[string]string{"AF": "002", "AS": "142", "EU": "150", "NA": "003", "OC": "009", "SA": "005"}

// continent is the fact that a country is on a continent, as far as that is known.
func continent(country string) string {
	if country == "AQ" {
		return " continent=AN"
	}
	region, err := language.ParseRegion(country)
	if err != nil {
		return ""
	}
	for code, number := range continents {
		if whole, err := language.ParseRegion(number); err == nil && whole.Contains(region) {
			return " continent=" + code
		}
	}
	return ""
}
