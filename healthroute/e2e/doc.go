// Package e2e holds the end-to-end tests: they build the real server once, start it as a process with a Corefile, and drive it
// with a DNS client, signals, and backends that die and come back. It has no code of its own.
//
// Nothing here is measured in seconds. An answer is held against the attempts that had ended before and after it, as
// the server counts them on its metrics page and the backends by themselves; a wait has a generous end only so that a
// test that fails ends too. Each server and each set of backends has loopback addresses of its own, and so its ports for
// itself; that needs Linux. Under the race detector the server is built with it too.
package e2e
