package locate

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
)

// Table is a locations file: what its operator says of prefixes. It never changes, so any number of goroutines may use it.
//
// Each key has a map of its own, because each comes from the longest prefix that has it (spec 4.15): a prefix that says only the site
// does not hide the country of the one around it.
type Table struct {
	continents   column[string]
	countries    column[string]
	subdivisions column[string]
	asns         column[uint32]
	coordinates  column[config.Coordinates]
	sites        column[string]
	latencies    map[string]*column[float64] // by site, milliseconds
}

// column is what the file says under one key.
type column[V comparable] struct {
	values *Map[V]
	scopes *Scopes // runs of addresses with the same value, or with none
}

func newColumn[V comparable](entries []Entry[V]) column[V] {
	if len(entries) == 0 {
		return column[V]{}
	}
	m := NewMap(entries)
	ids := map[V]int{}
	return column[V]{values: m, scopes: m.Regions().Merge(func(v V, ok bool) int {
		if !ok {
			return none
		}
		id, known := ids[v]
		if !known {
			id = len(ids)
			ids[v] = id
		}
		return id
	})}
}

// fact is what the column says of a network.
func (c *column[V]) fact(network netip.Prefix) Fact[V] {
	v, _, ok := c.values.Lookup(network)
	bits := c.scopes.Around(network, func(address netip.Prefix) bool {
		there, _, known := c.values.Lookup(address)
		return there != v || known != ok
	})
	return Fact[V]{Value: v, Known: ok, Bits: bits}
}

func (t *Table) continentColumn() *column[string]               { return &t.continents }
func (t *Table) countryColumn() *column[string]                 { return &t.countries }
func (t *Table) subdivisionColumn() *column[string]             { return &t.subdivisions }
func (t *Table) asnColumn() *column[uint32]                     { return &t.asns }
func (t *Table) coordinatesColumn() *column[config.Coordinates] { return &t.coordinates }
func (t *Table) siteColumn() *column[string]                    { return &t.sites }
