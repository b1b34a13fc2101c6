//go:build !unix

package healthroute

import (
	"path/filepath"
	"testing"
)

// heldState is a state file in a folder that is not there, which is refused as late.
func heldState(_ *testing.T, dir string) string { return filepath.Join(dir, "missing", "state") }
