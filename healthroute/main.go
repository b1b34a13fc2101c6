// Command healthroute is CoreDNS with the healthroute plugin compiled in, and the tools around it.
//
// A first argument that is one of the commands below runs that; everything else is CoreDNS's own business:
// its flags, its Corefile, its signals.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/coredns/coredns/coremain"

	"github.com/healthroute/healthroute/plugin/config"
)

// A command is a subcommand. It prints to out and ends when ctx does.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, out io.Writer) error
}

// usageError is an error in how a command was called: exit status 2 instead of 1.
type usageError string

func (e usageError) Error() string { return string(e) }

func commands() []command {
	return []command{
		{"demo", "three backends that die and come back, and what a client gets each second", runDemo},
		{"help", "print this text", runHelp},
	}
}

func main() {
	flag.Usage = func() { printUsage(flag.CommandLine.Output()) }
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		coremain.Run()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runCommand(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "healthroute:", err)
	}
	os.Exit(exitStatus(err))
}

// runCommand runs the subcommand that the first argument names.
func runCommand(ctx context.Context, args []string, out io.Writer) error {
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], out)
		}
		names = append(names, c.name)
	}
	hint := ""
	if nearest := config.Nearest(args[0], names); nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return usageError(fmt.Sprintf("unknown command %q: expected %s%s", args[0], strings.Join(names, ", "), hint))
}

func exitStatus(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return 2
	default:
		return 1
	}
}

func runHelp(_ context.Context, _ []string, out io.Writer) error {
	printUsage(out)
	return nil
}

// printUsage prints the commands, and the flags that CoreDNS takes when there is no command.
func printUsage(out io.Writer) {
	fmt.Fprint(out, "healthroute is CoreDNS with health-checked DNS routing.\n\n",
		"  healthroute [FLAGS]            serve what the Corefile says\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  healthroute %-18s %s\n", c.name, c.summary)
	}
	fmt.Fprint(out, "\nFlags of the server:\n\n")
	flags := flag.CommandLine
	previous := flags.Output()
	flags.SetOutput(out)
	flags.PrintDefaults()
	flags.SetOutput(previous)
}
