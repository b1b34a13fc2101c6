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

// A command is a subcommand.
type command struct {
	name, args, summary string
	details             string // for its own help; may be empty
	// flags declares the command's flags and returns what runs it when they are parsed.
	flags func(*flag.FlagSet) runner
}

// A runner does what a command is for: it prints to out and ends when ctx does.
type runner func(ctx context.Context, args []string, out io.Writer) error

// usageError is an error in how a command was called, or in a file that it was given: exit status 2 instead of 1.
type usageError string

func (e usageError) Error() string { return string(e) }

func commands() []command {
	return []command{
		{"admin", "disable|enable|drain|always|shift|failback|list [-for DURATION] [-reason TEXT] [-author NAME] [-force] [-o text|json] OBJECT...",
			"tell a running server to take records out, and in again", adminDetails, adminCommand},
		{"check", "[-conf FILE] [-against OLD] [-o text|json]", "read a Corefile, and print all its errors or what it amounts to", checkDetails, checkCommand},
		{"demo", "", "three backends that die and come back, and what a client gets each second", "", withoutFlags(runDemo)},
		{"explain", "[-conf FILE] [-client ADDRESS|PREFIX] [-down OBJECT ... | -server] [-o text|json] NAME TYPE",
			"why a question is answered as it is", explainDetails, explainCommand},
		{"help", "[COMMAND]", "print this text, or a command's flags", "", withoutFlags(runHelp)},
		{"probe", "[-conf FILE] [-zone ZONE] [-n COUNT|-loop] [-every DURATION] [-o text|json] NAME [TARGET]",
			"make attempts at once, and tell each step", probeDetails, probeCommand},
		{"push", "[-reason TEXT] [-author NAME] [-o text|json] NAME healthy|unhealthy", "tell a running server what the checks of a push probe are",
			pushDetails, pushCommand},
		{"simulate", "[-conf FILE] [-down OBJECT[@TIME] ...] [-until TIME] [-o text|json] NAME TYPE",
			"what clients get while things die and come back, in virtual time", simulateDetails, simulateCommand},
		{"status", "[-o text|json] [NAME]", "what works on a running server, since when and why", statusDetails, statusCommand},
		{"test", "[-conf FILE] [-run PATTERN] [-v] [-parallel N] [-junit FILE] [-o text|json] FILE|DIR...",
			"play scenario files, and say what does not hold", testDetails, testCommand},
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
	c, err := findCommand(args[0])
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	run := c.flags(flags)
	rest, err := parseFlags(flags, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.printHelp(out, flags)
		return nil
	case err != nil:
		return err
	}
	return run(ctx, rest, out)
}

func findCommand(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	hint := ""
	if nearest := config.Nearest(name, names); nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return command{}, usageError(fmt.Sprintf("unknown command %q: expected %s%s", name, strings.Join(names, ", "), hint))
}

func exitStatus(err error) int {
	var (
		usage  usageError
		untold cannotTell
	)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return 2
	case errors.As(err, &untold):
		return 3
	default:
		return 1
	}
}

// withoutFlags is for commands that have none.
func withoutFlags(run runner) func(*flag.FlagSet) runner {
	return func(*flag.FlagSet) runner { return run }
}

func runHelp(ctx context.Context, args []string, out io.Writer) error {
	switch len(args) {
	case 0:
		printUsage(out)
		return nil
	case 1:
		return runCommand(ctx, []string{args[0], "-h"}, out)
	}
	return usageError(fmt.Sprintf("help takes one command, got %q", args))
}

const exitStatuses = `
Exit status: 0 it holds, 1 an expectation, a check or an attempt failed, 2 the call or a file is wrong,
3 an attempt could not tell.
`

// printHelp prints what a command is for, and its flags.
func (c command) printHelp(out io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(out, "healthroute %s: %s.\n\n  %s\n", c.name, c.summary, strings.TrimSpace("healthroute "+c.name+" "+c.args))
	if c.details != "" {
		fmt.Fprint(out, "\n"+c.details)
	}
	if hasFlags(flags) {
		fmt.Fprint(out, "\nFlags, before, between or behind the arguments:\n\n")
		printFlags(out, flags)
	}
	fmt.Fprint(out, exitStatuses)
}

// printUsage prints the commands, and the flags that CoreDNS takes when there is no command.
func printUsage(out io.Writer) {
	fmt.Fprint(out, "healthroute is CoreDNS with health-checked DNS routing.\n\n",
		"  healthroute [FLAGS]            serve what the Corefile says\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  healthroute %-18s %s\n", c.name, c.summary)
	}
	fmt.Fprint(out, "\nhealthroute help COMMAND says more.\n", exitStatuses, "\nFlags of the server:\n\n")
	printFlags(out, flag.CommandLine)
}
