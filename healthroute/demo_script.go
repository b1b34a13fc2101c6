package main

import "fmt"

// demoHosts are the addresses of the demo's backends.
var demoHosts = []string{"127.0.0.11", "127.0.0.12", "127.0.0.13"}

// demoSeconds is how long the demo runs.
const demoSeconds = 33

// event is a change in what one backend does.
type event struct {
	second int
	host   int // index in demoHosts
	mode   mode
	note   string // what it means for clients
}

// demoScript is the demo's story. After each change there is time for two attempts, a second apart, to notice.
var demoScript = []event{
	{4, 0, modeRefuse, "www must move to the secondary"},
	{10, 0, modeUp, "www must come home"},
	{14, 1, modeHang, "app shares 1/3 and 2/3"},
	{18, 2, modeError, "app has one left"},
	{22, 0, modeRefuse, "nothing works: as the last resort, everything is answered"},
	{27, 0, modeUp, ""},
	{27, 1, modeUp, ""},
	{27, 2, modeUp, "all is well again"},
}

// eventLine is what the demo prints for an event.
func eventLine(e event) string {
	host := demoHosts[e.host]
	what := map[mode]string{
		modeUp:     "restore " + host,
		modeRefuse: "kill " + host + " (connection refused)",
		modeHang:   "hang " + host + " (accepts, never answers)",
		modeError:  "break " + host + " (status 500)",
	}[e.mode]
	if e.note != "" {
		what += ": " + e.note
	}
	return fmt.Sprintf("%4ds  %s\n", e.second, what)
}
