package scenario

import "testing"

// TestPoolObjects: what is misspelt, or leads nowhere, is told as it is.
func TestPoolObjects(t *testing.T) {
	w := newWorld(t, `example.org {
    healthroute {
        pool app {
            target 192.0.2.1 site fra
            target 192.0.2.2 site ams id second
        }
        balancer idle {
            pools app
            site fra
        }
        group www simple {
            alias pool app
        }
    }
}`)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a balancer without an alias": {w.Shift("idle", "fra", hour), `no alias leads to "idle", so that nobody is shifted`},
		"a misspelt balancer":         {w.Shift("idel", "fra", hour), `the Corefile has no object "idel"; did you mean "idle"?`},
		"a misspelt site":             {w.Shift("app", "frq", hour), `app has no site "frq"; did you mean "fra"?`},
		"a misspelt target":           {w.Deregister("app/secnod"), `the Corefile has no object "app/secnod"; did you mean "app/second"?`},
		"a pool is no target":         {w.Register("app"), `"app" is a pool: expected a target of it, as POOL/TARGET`},
		"a target without a probe":    {w.SetHealth("app/second", "unhealthy"), `record "app/second" has no check`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("Expected of %s: %s\ngot: %v", name, c.want, c.err)
		}
	}
}
