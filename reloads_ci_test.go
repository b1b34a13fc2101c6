//go:build ci

package healthroute

// manyReloads is how many reloads TestReloadsUnderLoad makes.
const manyReloads = 200
