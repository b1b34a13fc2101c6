package scenario

import (
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Script is a scenario file: what happens in a world, and what is expected of it. It is only read after Parse, so that any number
// of Runs may play it at once.
type Script struct {
	Name   string  // of the file
	Lines  []*Line // in order; lines below an `every` are in it
	Source Source  // the Corefile and the other files of the archive

	corefileLine int // where the Corefile begins in the file
}

// Line is one statement or expectation.
type Line struct {
	Number int    // in the file, from 1
	Text   string // as it was written, without comment and indentation

	do     statement   // nil for an expectation
	expect expectation // nil for a statement
}

// statement is what a line does. An error is a fault of the scenario, and ends it.
type statement interface {
	play(p *player) error
}

// expectation is what a line expects. hold returns nil if it holds; an error is a fault of the scenario, as with a statement.
type expectation interface {
	hold(p *player) (*miss, error)
}

// miss is why an expectation does not hold.
type miss struct{ expected, got string }

// corefileName is the file of the archive that a scenario begins with.
const corefileName = "Corefile"

// String writes the script so that Parse reads it, without comments.
func (s *Script) String() string {
	var b strings.Builder
	writeLines(&b, s.Lines, "")
	a := &txtar.Archive{Comment: []byte(b.String())}
	names := make([]string, 0, len(s.Source.Files))
	for name := range s.Source.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a.Files = append(a.Files, txtar.File{Name: name, Data: s.Source.Files[name]})
	}
	return string(txtar.Format(a))
}

func writeLines(b *strings.Builder, lines []*Line, indent string) {
	for _, l := range lines {
		b.WriteString(indent + l.Text + "\n")
		if r, ok := l.do.(*repeat); ok {
			writeLines(b, r.body, indent+"    ")
		}
	}
}
