//go:build unix

package healthroute

import "syscall"

// descriptors is how many descriptors the process may have open.
func descriptors() (most int, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return int(min(uint64(limit.Cur), 1<<30)), true //nolint:unconvert // on FreeBSD it is signed
}
