package discover

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// MaxFileSize is the size in bytes above which a file is refused unread.
const MaxFileSize = 64 << 20

// ErrEmpty says that a source is there, can be read, and has no target.
var ErrEmpty = errors.New("no targets")

// maxProblems bounds what is said of one file: one of another kind has a fault in each of a million entries.
const maxProblems = 10

// Labels that count. All others are somebody else's.
const (
	labelSite   = "site"
	labelWeight = "weight"
)

// What can stand in a file.
const (
	expectedList  = "a list of {targets: [...], labels: {...}}"
	expectedGroup = "targets or labels"
)

var groupKeys = []string{"targets", "labels"}

// ParseFile reads targets in the form of Prometheus's file_sd: a list of groups of targets, each with labels that hold for all of it. A
// file whose name ends in .json is JSON, one in .yml or .yaml is YAML.
//
// A target is an address, perhaps with a port. The labels site and weight count, all others are ignored. A target that is there twice
// with the same site and weight is taken once. The result is in the order of Compare; a target without a port has port 0, and one
// without a weight config.DefaultWeight.
//
// A file with a fault is refused whole. The error is then of type config.Problems, with the first ten faults and the number of the
// others. Reading stops where the form is broken, or where there are more than limit entries (1 or more), those that are there twice
// included. A list without targets is ErrEmpty.
func ParseFile(name string, data []byte, limit int) ([]config.Found, error) {
	p := &fileParser{limit: limit, faults: faults{file: name}, known: map[netip.AddrPort]known{}}
	read := p.json
	switch extension := strings.ToLower(filepath.Ext(name)); extension {
	case ".json":
	case ".yml", ".yaml":
		read = p.yaml
	default:
		return nil, p.stop(0, fmt.Sprintf("the file's name ends in %s", quote(extension)), ".json, .yml or .yaml").list()
	}
	switch {
	case len(data) > MaxFileSize:
		return nil, p.stop(0, fmt.Sprintf("the file has %d bytes", len(data)), fmt.Sprintf("at most %d", MaxFileSize)).list()
	case len(bytes.TrimSpace(data)) == 0: // so is one that is being rewritten, for a moment
		return nil, p.stop(1, "the file is empty", expectedList+", or [] if there are no targets").list()
	}
	read(data)
	if problems := p.list(); problems != nil {
		return nil, problems
	}
	if len(p.known) == 0 {
		return nil, ErrEmpty
	}
	found := make([]config.Found, 0, len(p.known))
	for _, k := range p.known {
		found = append(found, k.Found)
	}
	sort(found)
	return found, nil
}

// fileParser is the state of reading one file.
type fileParser struct {
	faults
	limit   int
	entries int // read so far
	known   map[netip.AddrPort]known
}

// known is a target, and the line that it stands on.
type known struct {
	config.Found
	line int
}

// group is what one item of the list says.
type group struct {
	number       int // from 1
	targets      []written
	site, weight written
}

// written is a word and where it stands. The line is 0 if it is not there.
type written struct {
	text string
	line int
}

// target notes a target of a group; it reports whether reading goes on.
func (p *fileParser) target(g *group, text string, line int) bool {
	p.entries++
	if p.entries > p.limit {
		p.stop(line, fmt.Sprintf("the file has more than %d targets", p.limit), "at most as many as the pool's `limit`")
		return false
	}
	g.targets = append(g.targets, written{text, line})
	return true
}

// label notes a label of a group. One without text is as good as none, as in Prometheus.
func (p *fileParser) label(g *group, name, text string, line int) {
	var of *written
	switch {
	case text == "":
		return
	case name == labelSite:
		of = &g.site
	case name == labelWeight:
		of = &g.weight
	default:
		return
	}
	if of.line != 0 {
		p.fault(line, fmt.Sprintf("group %d: label %q is there twice", g.number, name), "each label once")
	}
	*of = written{text, line}
}

// close takes the targets of a group whose end was read.
func (p *fileParser) close(g *group) {
	site, weight := "", config.DefaultWeight
	if w := g.site; w.line != 0 {
		var ok bool
		if site, ok = config.ParseSite(w.text); !ok {
			p.fault(w.line, fmt.Sprintf("group %d: site %s cannot be used", g.number, quote(w.text)), "at most 63 letters, digits, hyphens, underscores and dots")
		}
	}
	if w := g.weight; w.line != 0 {
		n, err := strconv.ParseUint(w.text, 10, 16)
		if err != nil {
			p.fault(w.line, fmt.Sprintf("group %d: weight %s is out of range", g.number, quote(w.text)), "a whole number from 0 to 65535")
		}
		weight = int(n)
	}
	for i, t := range g.targets {
		at, wrong := parseTarget(t.text)
		if wrong != nil {
			p.fault(t.line, fmt.Sprintf("group %d, target %d: %s", g.number, i+1, wrong.what), wrong.expected)
			continue
		}
		now := config.Found{Address: at.Addr(), Port: at.Port(), Site: site, Weight: weight}
		if before, twice := p.known[at]; !twice {
			p.known[at] = known{now, t.line}
		} else if before.Found != now {
			p.fault(t.line, fmt.Sprintf("group %d, target %d: %q is on line %d already, with %s and not %s",
				g.number, i+1, t.text, before.line, labels(before.Found), labels(now)), "one site and one weight of a target")
		}
	}
}

// labels writes what distinguishes two of the same address and port.
func labels(f config.Found) string {
	if f.Site == "" {
		return fmt.Sprintf("no site and weight %d", f.Weight)
	}
	return fmt.Sprintf("site %s and weight %d", f.Site, f.Weight)
}

// faults collects what is wrong with a file.
type faults struct {
	file     string
	problems config.Problems
	more     int // beyond maxProblems
}

func (f *faults) fault(line int, message, expected string) {
	if len(f.problems) == maxProblems {
		f.more++
		return
	}
	f.problems = append(f.problems, f.problem(line, message, expected))
}

// stop notes the fault that ends the reading; it is told however many came before.
func (f *faults) stop(line int, message, expected string) *faults {
	f.problems = append(f.problems, f.problem(line, message, expected))
	return f
}

func (f *faults) problem(line int, message, expected string) config.Problem {
	if line == 0 { // of the file as a whole
		line = 1
	}
	return config.Problem{Position: config.Position{File: f.file, Line: line}, Message: message, Expected: expected}
}

// list returns all of it, or nil if nothing is wrong.
func (f *faults) list() error {
	if len(f.problems) == 0 {
		return nil
	}
	if f.more > 0 {
		f.stop(f.problems[len(f.problems)-1].Position.Line, fmt.Sprintf("%d more faults were found", f.more), "")
	}
	return f.problems
}
