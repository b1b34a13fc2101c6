package probe

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine may outlive an attempt.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
