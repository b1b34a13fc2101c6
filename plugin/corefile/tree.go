package corefile

import (
	"fmt"
	"slices"

	"github.com/coredns/caddy/caddyfile"

	"github.com/healthroute/healthroute/plugin/config"
)

// line is one line of a Corefile with the block that it opens.
type line struct {
	words    []string // at least one, none empty
	at       config.Position
	hasBlock bool
	block    []*line
	faulty   bool // something in its block could not be read
}

func (l *line) args() []string { return l.words[1:] }

// last returns the last line of the block, whose own block follows in a wrong place; if there is none, a line that
// nobody reads.
func (l *line) last(at config.Position) *line {
	last := &line{at: at}
	if n := len(l.block); n > 0 {
		last = l.block[n-1]
	}
	last.hasBlock, last.faulty = true, true
	return last
}

// maxDepth bounds how deep blocks may nest; the language needs three.
const maxDepth = 10

const (
	braceInLine = `"}" in a line with other words: put } on its own line`
	bracesWord  = `"{}" is one word and no block: put } on its own line` // elsewhere "{}" is data, such as an empty JSON body
)

// readTree reads all lines that the dispenser holds, with their blocks. It never uses NextBlock, which loses lines
// where a block is nested or missing.
func readTree(p *parser, d *caddyfile.Dispenser) []*line {
	r := &reader{parser: p, Dispenser: d}
	var lines []*line
	for r.Next() {
		if word := r.Val(); word == "{" || word == "}" {
			p.report(r.at(), fmt.Sprintf("unexpected %q", word), Directive, "")
			continue
		}
		if l := r.line(0); l != nil {
			lines = append(lines, l)
		}
		if r.closed > 0 {
			r.closed = 0
			p.report(r.at(), `unexpected "}"`, Directive, "")
		}
	}
	return lines
}

type reader struct {
	*parser
	*caddyfile.Dispenser
	closed int // blocks that were closed at the end of a line instead of on a line of their own
	ended  bool
}

func (r *reader) at() config.Position { return config.Position{File: r.File(), Line: r.Line()} }

// line reads the rest of the line whose first word is the current token, and its block. It returns nil, after a
// report, if the line cannot be used.
func (r *reader) line(depth int) *line {
	l := &line{at: r.at()}
	words := append([]string{r.Val()}, r.RemainingArgs()...)
	if cut := slices.Index(words, "}"); cut >= 0 {
		r.report(l.at, braceInLine, "", "")
		for _, word := range words[cut:] {
			if word == "}" {
				r.closed++
			}
		}
		words, l.faulty, l.hasBlock = words[:cut], true, true
	}
	usable := len(words) > 0
	if slices.Contains(words, "") {
		r.report(l.at, fmt.Sprintf("empty word in the line of %q: is a variable not set?", words[0]), "", "")
		usable = false
	}
	l.words = words
	if r.NextArg() { // RemainingArgs stops before { only
		l.hasBlock = true
		r.block(l, depth+1)
	}
	if !usable {
		return nil
	}
	return l
}

// block reads the lines of the block that the line l opened, up to its }. The current token is the {.
func (r *reader) block(l *line, depth int) {
	if depth > maxDepth {
		r.report(l.at, "blocks nest too deep", "", "")
		for r.ended = true; r.Next(); { // nothing sensible can follow
		}
	}
	sameLine := r.NextArg()
	if sameLine && r.Val() == "}" {
		r.report(l.at, braceInLine, "", "")
		return
	}
	for more := sameLine || r.Next(); more; sameLine, more = false, r.Next() {
		switch r.Val() {
		case "}":
			return
		case "{":
			r.report(r.at(), "\"{\" on its own line: put { at the end of the line that it belongs to", "", "")
			r.block(l.last(r.at()), depth+1)
			l.faulty = true
			continue
		}
		first, at := r.Val(), r.at()
		inner := r.line(depth)
		if inner == nil {
			l.faulty = true
		} else {
			l.block = append(l.block, inner)
			l.faulty = l.faulty || inner.faulty
		}
		if sameLine && r.closed == 0 && !r.ended {
			r.report(at, fmt.Sprintf("%q behind {: put it on its own line", first), "", "")
			l.faulty = true
		}
		if r.closed > 0 {
			r.closed--
			return
		}
	}
	if !r.ended {
		r.ended = true
		r.report(l.at, "the block that begins here has no end", "}", "")
	}
}
