//go:build linux && ci

package e2e

// crashes is how often TestCrash kills a server.
const crashes = 100
