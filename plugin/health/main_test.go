package health

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine may outlive the leases.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
