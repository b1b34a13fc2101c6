package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"

	"github.com/healthroute/healthroute/plugin/config"
)

// busy are the directives whose setup begins work: it asks a cloud or its cluster, opens a database, or starts goroutines. All others
// only read.
var busy = []string{"azure", "clouddns", "dynupdate", "etcd", "grpc", "hosts", "kubernetes", "route53"}

// checkOthers lets every plugin read its directives, as a server does before it starts anything, but for the busy ones. Caddy
// ends at the first error.
func checkOthers(conf string) (problems config.Problems, notes []string) {
	text, err := os.ReadFile(conf)
	if err != nil {
		return config.Problems{{Message: err.Error()}}, nil
	}
	text, left, ok := withoutBusy(conf, text)
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("not checked, because that would begin its work: %s", strings.Join(left, ", ")))
	}
	if !ok {
		return nil, append(notes, "nor are the other plugins' directives, because that stands in an imported file")
	}
	registerMissing()
	previous := log.Writer()
	log.SetOutput(io.Discard) // our own warnings, a second time
	defer log.SetOutput(previous)
	input := caddy.CaddyfileInput{Filepath: conf, Contents: text, ServerTypeName: "dns"}
	if err := caddy.ValidateAndExecuteDirectives(input, nil, true); err != nil {
		problems = config.Problems{positioned(err.Error())}
	}
	return problems, notes
}

// withoutBusy empties the lines of the busy directives, and returns which there were. It cannot in imported files.
func withoutBusy(conf string, text []byte) (without []byte, left []string, ok bool) {
	blocks, err := caddyfile.Parse(conf, bytes.NewReader(text), nil)
	if err != nil {
		return text, nil, true // caddy says so itself
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	ok = true
	for _, b := range blocks {
		for _, directive := range busy {
			for _, token := range b.Tokens[directive] {
				if !slices.Contains(left, directive) {
					left = append(left, directive)
				}
				if token.File != "" {
					ok = false
					continue
				}
				for i := range 1 + strings.Count(token.Text, "\n") {
					lines[token.Line-1+i] = []byte("\n")
				}
			}
		}
	}
	return bytes.Join(lines, nil), left, ok
}

// caddyError is how caddy's parser words an error.
var caddyError = regexp.MustCompile(`(?s)^(?:plugin/(\w+): )*(.*):(\d+) - (?:Error during parsing|Syntax error): (.*)$`)

// positioned finds the place in the text of an error.
func positioned(text string) config.Problem {
	m := caddyError.FindStringSubmatch(text)
	if m == nil {
		return config.Problem{Message: text}
	}
	line, _ := strconv.Atoi(m[3]) // digits
	message := m[4]
	if m[1] != "" {
		message = m[1] + ": " + message
	}
	return config.Problem{Position: config.Position{File: m[2], Line: line}, Message: message}
}
