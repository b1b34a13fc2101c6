package healthroute

import (
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// conflicts finds what the block says of the whole process and another block of the instance has said already; nil for nothing.
func (i *instance) conflicts(b *block) error {
	var earlier []*config.Stanza
	for _, other := range i.blocks {
		earlier = append(earlier, other.stanzas...)
	}
	if errs := config.ValidateProcess(earlier, b.stanzas).Errors(); len(errs) > 0 {
		return errs
	}
	return nil
}

// govern makes the newest instance that runs decide what is process-wide.
func (is *instances) govern() {
	var maxAttempts int
	var canaries []*health.Check
	var shown *config.Status
	if i := is.newest(); i != nil {
		for _, b := range i.blocks {
			for _, s := range b.stanzas {
				maxAttempts = max(maxAttempts, s.MaxAttempts)
				if s.Status != nil {
					shown = s.Status
				}
			}
			canaries = append(canaries, b.table.Canaries()...)
		}
	}
	most, known := descriptors()
	switch {
	case maxAttempts == 0:
		maxAttempts = defaultMaxAttempts(most, known)
	case known && maxAttempts > most:
		log.Warningf("max_attempts %d is more than the %d descriptors of this process: attempts that get none cannot tell", maxAttempts, most)
	}
	engine.SetMaxAttempts(maxAttempts)
	engine.SetCanaries(canaries)
	api.follow(shown, most, known)
}

// defaultMaxAttempts is half of the descriptors that the process may open: the rest is for queries and for look-ups of names. Nobody who has
// fewer than 200 wants fewer attempts than that leaves.
func defaultMaxAttempts(descriptors int, known bool) int {
	if !known {
		return 1000
	}
	return min(max(100, descriptors/2), config.MaxMaxAttempts)
}
