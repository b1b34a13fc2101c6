package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"strings"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
)

// runDemo is the command `demo`: it plays demoScript in real time.
func runDemo(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		return usageError(fmt.Sprintf("demo takes no arguments, got %q", args))
	}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	return playDemo(ctx, ticker.C, out)
}

// playDemo starts backends and a server, plays one second of the script for each tick, and stops everything.
// The end of ctx ends it early, without an error.
func playDemo(ctx context.Context, ticks <-chan time.Time, out io.Writer) error {
	backends, err := openBackends(demoHosts)
	if err != nil {
		return err
	}
	defer closeBackends(backends)

	screen := &screen{out: out}
	defer screen.captureLog()()

	corefile := demoCorefile(backends[0].port())
	server, address, err := startServer("demo", corefile)
	if err != nil {
		return err
	}
	defer stopServer(server)

	screen.print(corefile)
	screen.print(fmt.Sprintf("\n# The system chose the port: dig @127.0.0.1 -p %d www.example.org\n\n", address.Port))
	screen.print(tableHead())
	client := demoClient{server: address.String()}
	for second := 1; second <= demoSeconds; second++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
		for _, e := range demoScript {
			if e.second != second {
				continue
			}
			if err := backends[e.host].set(e.mode); err != nil {
				return err
			}
			screen.print(eventLine(e))
		}
		screen.print(tableRow(client.look(ctx, second)))
	}
	return nil
}

// startServer starts CoreDNS with the Corefile and returns where it listens for UDP; of several blocks, any one's place.
func startServer(file, corefile string) (*caddy.Instance, *net.UDPAddr, error) {
	quiet := dnsserver.Quiet
	dnsserver.Quiet = true
	defer func() { dnsserver.Quiet = quiet }()

	instance, err := caddy.Start(caddy.CaddyfileInput{
		Filepath: file, Contents: []byte(corefile), ServerTypeName: "dns",
	})
	if err != nil {
		return nil, nil, err
	}
	for _, server := range instance.Servers() {
		if address, ok := server.LocalAddr().(*net.UDPAddr); ok {
			return instance, address, nil
		}
	}
	stopServer(instance)
	return nil, nil, fmt.Errorf("%s: no server listens for UDP", file)
}

// stopServer ends an instance as a signal would.
func stopServer(instance *caddy.Instance) {
	for _, err := range instance.ShutdownCallbacks() {
		log.Print(err)
	}
	if err := instance.Stop(); err != nil {
		log.Print(err)
	}
}

// demoCorefile is the demo's configuration, for backends on the port.
func demoCorefile(port int) string {
	return strings.ReplaceAll(`example.org:0 {
    bind 127.0.0.1
    healthroute {
        ttl 5s
        probe web http {
            port PORT
            path /healthz
            host www.example.org
            interval 1s
            timeout 500ms
            fall 2
            rise 2
        }
        group www failover {
            probe web
            record 127.0.0.11 primary
            record 127.0.0.12 secondary
        }
        group app weighted {
            probe web
            record 127.0.0.11 weight 10
            record 127.0.0.12 weight 20
            record 127.0.0.13 weight 20
        }
        group all multivalue {
            probe web
            record 127.0.0.11
            record 127.0.0.12
            record 127.0.0.13
        }
    }
}
`, "PORT", fmt.Sprint(port))
}
