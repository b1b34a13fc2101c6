package health

import (
	"cmp"
	"strings"
)

// ObjectKind says what an admin state is said of.
type ObjectKind string

// The kinds of objects.
const (
	OfGroup ObjectKind = "group" // a group, or a record of it: Member is the record's id
	OfPool  ObjectKind = "pool"  // a pool, or a target of it: Member is the target's id
	OfSite  ObjectKind = "site"  // everything that stands in a site
	// OfShift is a balancer, or a pool that is aliased by itself, with the site that clients are shifted away from as Member.
	OfShift ObjectKind = "shift"
)

// Object is what an admin state is said of. The binding is to these names alone, so that it holds over reloads and never moves to
// something else.
type Object struct {
	Kind   ObjectKind
	Name   string // a group's first name; a pool's, balancer's or site's name
	Member string // "" for the group, pool or site itself
}

// GroupObject is a group, or, unless record is "", that record of it.
func GroupObject(group, record string) Object { return Object{OfGroup, group, record} }

// PoolObject is a pool, or, unless target is "", that target of it.
func PoolObject(pool, target string) Object { return Object{OfPool, pool, target} }

// SiteObject is everything in a site, in whatever letter case it is named.
func SiteObject(site string) Object { return Object{OfSite, strings.ToLower(site), ""} }

// ShiftObject is a site of a balancer, of which State Shifted can be said.
func ShiftObject(balancer, site string) Object { return Object{OfShift, balancer, site} }

// String is GROUP, GROUP/RECORD, or one of these with the kind before it.
func (o Object) String() string {
	name := o.Name
	if o.Member != "" {
		name += "/" + o.Member
	}
	if o.Kind == OfGroup {
		return name
	}
	return string(o.Kind) + " " + name
}

// compare orders objects by kind, name and member.
func (o Object) compare(other Object) int {
	return cmp.Or(cmp.Compare(o.Kind, other.Kind), cmp.Compare(o.Name, other.Name), cmp.Compare(o.Member, other.Member))
}
