// Package e2e holds the tests that build the real server, start it as a process and ask it over the network, while real backends die
// and come back. There is nothing here but tests.
package e2e
