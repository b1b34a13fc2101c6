package healthroute

// warnOfObstacles says what will keep probes of the block from testing anything on this host: better once at the start than in
// the reason of every attempt alone.
func (b *block) warnOfObstacles() {
	for _, s := range b.stanzas {
		for _, p := range s.Probes {
			if obstacle := b.probers[p].Obstacle(); obstacle != "" && p.IsAttempted() {
				log.Warningf("probe %s: %s", p.Name, obstacle)
			}
		}
	}
}
