package healthroute

import (
	"slices"
	"strings"

	"github.com/coredns/coredns/plugin"
)

// besides are the server blocks of healthroute that answer for other zones where the block is served too, by zone: CoreDNS gives their queries to them, all
// but those of type DS, which it gives to the outermost block. Blocks with a view do not count: whom they are not for comes to the block above.
func (i *instance) besides(b *block) map[string]*block {
	own := whereServed(b.keys)
	found := map[string]*block{}
	for _, other := range i.blocks {
		if other == b || other.hasView() {
			continue
		}
		for _, s := range whereServed(other.keys) {
			if slices.ContainsFunc(own, func(o place) bool { return o.port == s.port }) && !slices.Contains(own, s) {
				found[s.zone] = other
			}
		}
	}
	return found
}

// place is a zone of a server block, and the port with its protocol where it is served.
type place struct{ zone, port string }

// whereServed reads the keys of a server block, which CoreDNS writes as dns://example.org.:53.
func whereServed(keys []string) []place {
	var places []place
	for _, key := range keys {
		protocol, _, _ := strings.Cut(key, "://")
		port := key[strings.LastIndexByte(key, ':')+1:]
		for _, zone := range plugin.Host(key).NormalizeExact() {
			places = append(places, place{zone, protocol + " " + port})
		}
	}
	return places
}
