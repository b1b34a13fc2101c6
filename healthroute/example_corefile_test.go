package main

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// Corefile.example keeps each promise that its comments make, with free ports in place of its own.
func TestExampleCorefile(t *testing.T) {
	text, err := os.ReadFile("../Corefile.example")
	if err != nil {
		t.Fatal(err)
	}
	promises := findPromises(t, string(text))
	if len(promises) < 5 {
		t.Fatalf("Expected dig lines in Corefile.example, got %d", len(promises))
	}
	server := startExample(t, string(text))
	for _, p := range promises {
		t.Run(p.name+p.kind, func(t *testing.T) {
			query := new(dns.Msg)
			query.SetQuestion(dns.Fqdn(p.name), dns.StringToType[p.kind])
			for range 10 { // weighted answers vary; all must be promised ones
				reply, err := dns.Exchange(query, server)
				if err != nil {
					t.Fatal(err)
				}
				if got := outcome(reply); !slices.Contains(p.outcomes, got) {
					t.Errorf("Expected one of %q, got %q", p.outcomes, got)
				}
			}
		})
	}
}

// promise is a dig line of the example and the outcomes that stand beside it.
type promise struct {
	name, kind string
	outcomes   []string
}

var digLine = regexp.MustCompile(`(?m)^# +dig .*-p 1053 (\S+)(?: ([A-Z]+))?  +(.*?)(?:  .*)?$`)

func findPromises(t *testing.T, text string) (promises []promise) {
	t.Helper()
	for _, m := range digLine.FindAllStringSubmatch(text, -1) {
		p := promise{name: m[1], kind: m[2]}
		if p.kind == "" {
			p.kind = "A"
		}
		for _, alternative := range strings.Split(m[3], " or ") {
			p.outcomes = append(p.outcomes, strings.TrimSpace(alternative))
		}
		promises = append(promises, p)
	}
	if lines := strings.Count(text, "-p 1053"); lines != len(promises) {
		t.Errorf("Expected %d dig lines with an outcome, got %d", lines, len(promises))
	}
	return promises
}

// outcome is what dig would show: the data in ascending order, or the code of a reply without.
func outcome(reply *dns.Msg) string {
	var data []string
	for _, rr := range reply.Answer {
		data = append(data, strings.ReplaceAll(strings.TrimPrefix(rr.String(), rr.Header().String()), "\t", " "))
	}
	if len(data) == 0 {
		return dns.RcodeToString[reply.Rcode]
	}
	slices.Sort(data)
	return strings.Join(data, " ")
}

// startExample starts the text with a free port in place of each of its own, and returns where its first block listens.
func startExample(t *testing.T, text string) (server string) {
	t.Helper()
	ports := map[string]string{}
	text = regexp.MustCompile(`(:|port )([0-9]{4})\b`).ReplaceAllStringFunc(text, func(match string) string {
		before, port := match[:len(match)-4], match[len(match)-4:]
		if ports[port] == "" {
			ports[port] = freePort(t)
		}
		return before + ports[port]
	})
	instance, _, err := startServer("Corefile.example", text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(instance) })
	return net.JoinHostPort("127.0.0.1", ports["1053"])
}

// freePort is a port that is free on 127.0.0.1, for TCP and UDP, and hardly ever taken on another loopback address.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		stream, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := stream.Addr().String()
		packet, err := net.ListenPacket("udp", address)
		if err == nil {
			_ = packet.Close()
		}
		_ = stream.Close()
		if err == nil {
			return fmt.Sprint(stream.Addr().(*net.TCPAddr).Port)
		}
	}
}
