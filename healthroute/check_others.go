package main

import (
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

// busy are the directives whose setup begins work: it makes clients with goroutines of their own, asks a cloud's metadata service or
// a cluster, or opens a journal. All others only read.
var busy = []string{"azure", "clouddns", "dynupdate", "etcd", "grpc", "kubernetes", "nomad", "route53", "trace"}

// checkOthers lets every plugin read its directives, as a server does before it starts anything. Caddy ends at the first error.
func checkOthers(conf string) (problems config.Problems, notes []string) {
	text, err := os.ReadFile(conf)
	if err != nil {
		return config.Problems{{Message: err.Error()}}, nil
	}
	if found := busyIn(conf, text); len(found) > 0 {
		return nil, []string{fmt.Sprintf("the other plugins' directives are not checked: reading %s begins work", strings.Join(found, ", "))}
	}
	registerMissing()
	previous := log.Writer()
	log.SetOutput(io.Discard) // our own warnings, a second time
	defer log.SetOutput(previous)
	input := caddy.CaddyfileInput{Filepath: conf, Contents: text, ServerTypeName: "dns"}
	if err := caddy.ValidateAndExecuteDirectives(input, nil, true); err != nil {
		return config.Problems{positioned(err.Error())}, nil
	}
	return nil, nil
}

// busyIn returns the busy directives of a Corefile.
func busyIn(conf string, text []byte) (found []string) {
	blocks, err := caddyfile.Parse(conf, strings.NewReader(string(text)), nil)
	if err != nil {
		return nil // caddy says so itself
	}
	for _, b := range blocks {
		for directive := range b.Tokens {
			if slices.Contains(busy, directive) && !slices.Contains(found, directive) {
				found = append(found, directive)
			}
		}
	}
	slices.Sort(found)
	return found
}

// caddyError is how caddy's parser words an error.
var caddyError = regexp.MustCompile(`(?s)^(?:plugin/(\w+): )?(.*):(\d+) - (?:Error during parsing|Syntax error): (.*)$`)

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
