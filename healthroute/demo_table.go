package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The demo's table has one row a second; events and log lines stand between the rows.
const rowFormat = "%5s  %-11s %-19s %s"

// tableHead is the two lines above the rows.
func tableHead() string {
	return line(" time", "www", fmt.Sprintf("app, of %d queries", weightedQueries), "all") +
		line("", "failover", cells(shortHost), "multivalue")
}

// tableRow is what a client got in one second.
func tableRow(s snapshot) string {
	return line(
		fmt.Sprintf("%ds", s.second),
		cmp.Or(s.failover.problem, strings.Join(s.failover.addresses, " ")),
		weightedCells(s.weighted),
		cmp.Or(s.multivalue.problem, multivalueCells(s.multivalue.addresses)),
	)
}

func line(columns ...any) string {
	return strings.TrimRight(fmt.Sprintf(rowFormat, columns...), " ") + "\n"
}

// cells is a column of four letters for each backend.
func cells(of func(host string) string) string {
	var b strings.Builder
	for _, host := range demoHosts {
		fmt.Fprintf(&b, "%4s ", of(host))
	}
	return b.String()
}

// shortHost is the last part of an address: 127.0.0.11 is .11.
func shortHost(host string) string { return host[strings.LastIndexByte(host, '.'):] }

// weightedCells counts the answers for each backend, and the queries that got none.
func weightedCells(answers []answer) string {
	counts := map[string]int{}
	var problems []string
	for _, a := range answers {
		if a.problem != "" {
			problems = append(problems, a.problem)
		}
		for _, address := range a.addresses {
			counts[address]++
		}
	}
	if len(problems) > 0 && len(problems) == len(answers) {
		return problems[0]
	}
	text := cells(func(host string) string { return fmt.Sprint(counts[host]) })
	if len(problems) > 0 {
		text += fmt.Sprintf("-%d", len(problems))
	}
	return text
}

// multivalueCells names each backend that was answered, in its own place.
func multivalueCells(addresses []string) string {
	names := make([]string, len(demoHosts))
	for i, host := range demoHosts {
		names[i] = strings.Repeat(" ", len(shortHost(host)))
		if slices.Contains(addresses, host) {
			names[i] = shortHost(host)
		}
	}
	return strings.Join(names, " ")
}
