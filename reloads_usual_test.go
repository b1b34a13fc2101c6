//go:build !ci

package healthroute

// manyReloads is how many reloads TestReloadsUnderLoad makes; `.ci/run full` makes more.
const manyReloads = 40
