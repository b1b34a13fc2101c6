package corefile

import (
	"hash/fnv"

	"github.com/healthroute/healthroute/plugin/config"
)

// Serial is the SOA serial of a zone that we serve: a digest of the declaration, equal on all servers that have the same
// one. Nobody transfers the zone, so it need not grow. Where a server keeps its state and shows it is its own business.
func Serial(s *config.Stanza) uint32 {
	zone := *s
	zone.State, zone.Status = "", nil
	digest := fnv.New32a()
	digest.Write([]byte(Print(&zone)))
	return digest.Sum32()
}
