package scenario

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestPoolsBehindEveryPolicy holds the product against the model with every policy around aliases of pools and balancers.
func TestPoolsBehindEveryPolicy(t *testing.T) {
	for _, preset := range presets() {
		for _, outer := range config.Policies() {
			for _, kind := range aliasKinds() {
				trees := rapid.Custom(func(t *rapid.T) *tree { return drawPoolTree(t, preset, outer, kind) })
				t.Run(fmt.Sprintf("%s %s %s", preset, outer, kind), func(t *testing.T) {
					for seed := range 4 {
						if err := trees.Example(seed).agrees(); err != nil {
							t.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// TestPoolsFollowTheModel holds the product against the model in all kinds of trees of pools.
func TestPoolsFollowTheModel(t *testing.T) {
	for _, preset := range presets() {
		t.Run(string(preset), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				outer := rapid.SampledFrom(config.Policies()).Draw(t, "outer")
				if err := drawPoolTree(t, preset, outer, rapid.SampledFrom(aliasKinds()).Draw(t, "kind")).agrees(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
