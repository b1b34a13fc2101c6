package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// parseFlags parses flags that stand before, between or behind the other arguments, and returns those. "--" ends the flags.
func parseFlags(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard) // errors are ours to print
	flags.Usage = func() {}
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, flagError(flags, err)
		}
		left := flags.Args()
		if ended := len(args) > len(left) && args[len(args)-len(left)-1] == "--"; ended || len(left) == 0 {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
	return rest, nil
}

// flagError adds the nearest flag to the error for one that there is not.
func flagError(flags *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	text := err.Error()
	if word, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		text = fmt.Sprintf("%s has no flag -%s", flags.Name(), word)
		if nearest := config.Nearest(word, names); nearest != "" {
			text += fmt.Sprintf("; did you mean -%s?", nearest)
		}
	}
	return usageError(text)
}

func hasFlags(flags *flag.FlagSet) (has bool) {
	flags.VisitAll(func(*flag.Flag) { has = true })
	return has
}

func printFlags(out io.Writer, flags *flag.FlagSet) {
	previous := flags.Output()
	flags.SetOutput(out)
	flags.PrintDefaults()
	flags.SetOutput(previous)
}

// output is the flag -o: how a command prints.
type output string

const (
	asText output = "text"
	asJSON output = "json"
)

func (o *output) declare(flags *flag.FlagSet) {
	*o = asText
	flags.Var(o, "o", "print as `text|json`")
}

// String is flag.Value's.
func (o *output) String() string { return string(*o) }

// Set is flag.Value's.
func (o *output) Set(word string) error {
	if *o = output(word); *o != asText && *o != asJSON {
		return errors.New("expected text or json")
	}
	return nil
}

// print prints the value as JSON or as its text.
func (o *output) print(out io.Writer, value any, text func() string) error {
	if *o == asText {
		_, err := io.WriteString(out, text())
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// reading are the flags of the commands that read one Corefile.
type reading struct {
	corefile corefile
	output   output
}

func (r *reading) declare(flags *flag.FlagSet) {
	r.corefile.declare(flags)
	r.output.declare(flags)
}

// corefile is the flag -conf.
type corefile string

func (c *corefile) declare(flags *flag.FlagSet) {
	flags.StringVar((*string)(c), "conf", "Corefile", "read the Corefile `FILE`")
}

// world starts the Corefile in virtual time. The error is for a file that cannot be read; what is wrong inside it is among the
// problems, in the order of their places. Without a world, some are errors.
func (c *corefile) world() (*scenario.World, config.Problems, error) {
	source, err := scenario.FileSource(string(*c))
	if err == nil {
		source.Dir, err = filepath.Abs(source.Dir)
	}
	if err != nil {
		return nil, nil, usageError(err.Error())
	}
	w, problems := scenario.NewWorld(source)
	for i, p := range problems {
		if p.Position.File == "" {
			p = positioned(p.Message)
		}
		p.Position.File = c.path(p.Position.File)
		problems[i] = p
	}
	slices.SortStableFunc(problems, func(a, b config.Problem) int {
		return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line))
	})
	return w, problems, nil
}

// path names a file as the caller would: those of a Corefile are relative to its directory.
func (c *corefile) path(file string) string {
	switch {
	case file == "Corefile": // the Corefile itself, whatever its name
		return string(*c)
	case file == "" || filepath.IsAbs(file):
		return file
	}
	return filepath.Join(filepath.Dir(string(*c)), file)
}

// goodWorld is world for commands that need a good Corefile.
func (c *corefile) goodWorld() (*scenario.World, error) {
	w, problems, err := c.world()
	if err == nil && w == nil {
		err = usageError("the Corefile is refused:\n" + problems.Errors().Error())
	}
	return w, err
}

// asked is NAME TYPE, and the flag -client.
type asked struct {
	from   netip.Addr
	subnet netip.Prefix
}

func (a *asked) declare(flags *flag.FlagSet) {
	flags.Func("client", "who asks: an `ADDRESS|PREFIX`; a prefix is what its resolver tells (EDNS Client Subnet)", func(word string) (err error) {
		if strings.Contains(word, "/") {
			a.subnet, err = netip.ParsePrefix(word)
		} else {
			a.from, err = netip.ParseAddr(word)
		}
		if err != nil {
			return errors.New("expected an address or a prefix")
		}
		return nil
	})
}

func (a *asked) question(args []string) (scenario.Question, error) {
	if len(args) != 2 {
		return scenario.Question{}, usageError(fmt.Sprintf("expected NAME TYPE, got %q", args))
	}
	t, ok := dns.StringToType[strings.ToUpper(args[1])]
	if !ok {
		text := fmt.Sprintf("%q is no DNS type", args[1])
		if nearest := config.Nearest(args[1], []string{"A", "AAAA", "ANY", "CNAME", "HTTPS", "MX", "NS", "SOA", "SRV", "SVCB", "TXT"}); nearest != "" {
			text += fmt.Sprintf("; did you mean %q?", nearest)
		}
		return scenario.Question{}, usageError(text)
	}
	return scenario.Question{Name: args[0], Type: t, From: a.from, Subnet: a.subnet}, nil
}
