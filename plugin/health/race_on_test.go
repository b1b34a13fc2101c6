//go:build race

package health

// racing says that the race detector is on.
const racing = true
