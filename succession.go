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

// takeOver lets the only instance left decide what is process-wide, and lets its latches be everybody's; with none left nobody decides. It does
// nothing while there are two: the newer one's start can still fail, in another plugin or in listen, and must have changed nothing then.
func (is *instances) takeOver() {
	all := is.all()
	if len(all) > 1 {
		return
	}
	is.govern()
	for _, i := range all {
		i.takeOver.Do(func() {
			for _, b := range i.blocks {
				b.lease.TakeOver()
				b.before = nil // or no instance would ever be forgotten
			}
			if i.follows {
				publishReload(true)
			}
		})
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
