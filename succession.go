package healthroute

import "slices"

// How one instance takes the place of another one at a reload. Caddy starts the new one first, stops the old one's servers and then calls its OnShutdown; in
// between the start can still fail.

// follow finds the block of the older instance that each of ours goes on from: that of the same key or, where the keys of the server block were edited, one
// that has a zone in common with it and that no other block of ours goes on from.
func (i *instance) follow(older *instance) {
	i.follows = true
	left := slices.Clone(older.blocks)
	for _, same := range []func(b, before *block) bool{
		func(b, before *block) bool { return b.key == before.key },
		func(b, before *block) bool {
			return slices.ContainsFunc(whereServed(b.keys), func(p place) bool {
				return slices.ContainsFunc(whereServed(before.keys), func(other place) bool { return p.zone == other.zone })
			})
		},
	} {
		for _, b := range i.blocks {
			if at := slices.IndexFunc(left, func(before *block) bool { return b.before == nil && same(b, before) }); at >= 0 {
				b.before = left[at]
				left = slices.Delete(left, at, at+1)
			}
		}
	}
}

// handOn gives the instance that is about to take our place the addresses that our filters have met since it started.
func (i *instance) handOn() {
	if next := running.newest(); next != nil {
		for _, b := range next.blocks {
			if slices.Contains(i.blocks, b.before) {
				b.table.Inherit(b.before.table)
			}
		}
	}
}
