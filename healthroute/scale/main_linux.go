package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	golog "log"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/bind" // to stay on loopback

	_ "github.com/healthroute/healthroute" // what is measured
)

func main() {
	dnsserver.Quiet, caddy.Quiet = true, true
	golog.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// run does what the first argument says: the targets and the asker are this program, too.
func run(ctx context.Context, args []string) error {
	if err := dnsserver.SetDirectives([]string{"bind", "healthroute"}); err != nil {
		return err
	}
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	switch word {
	case targetsWord:
		return serveTargets(os.Stdin, os.Stdout)
	case askWord:
		return ask(args[1:], os.Stdout)
	case "soak":
		flags := flag.NewFlagSet("soak", flag.ContinueOnError)
		length := flags.Duration("for", 10*time.Minute, "how long")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return soak(ctx, *length, os.Stdout)
	}
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	only := flags.String("only", "", "regular expression of the names of cases, such as 'http 10000 10s'")
	window := flags.Duration("for", 30*time.Second, "how long each case is measured")
	profile := flags.String("cpuprofile", "", "write a CPU profile of what is measured, without queries, to this file; for a single case")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	return measureAll(ctx, pattern, *window, *profile, os.Stdout)
}
