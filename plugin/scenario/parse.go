package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/healthroute/healthroute/plugin/config"
)

// Parse reads a scenario file: a txtar archive whose comment is the script. name is its name in positions. All problems
// come at once, in the order of their lines; the script is nil if one of them is an error.
func Parse(name string, text []byte) (*Script, config.Problems) {
	p := &parser{script: &Script{Name: name, Source: Source{Name: corefileName, Files: map[string][]byte{}}}}
	archive := txtar.Parse(text)
	p.files(archive)
	p.script.Lines = p.lines(rawLines(string(archive.Comment)))
	p.whole()
	slices.SortStableFunc(p.problems, func(a, b config.Problem) int { return cmp.Compare(a.Position.Line, b.Position.Line) })
	if p.problems.Errors() != nil {
		return nil, p.problems
	}
	return p.script, p.problems
}

// parser reads one file. Its fields are what the lines so far have said.
type parser struct {
	script   *Script
	problems config.Problems
	number   int // of the line that is read

	now          time.Duration
	repeats      bool   // the line stands below an `every`
	asked        bool   // an expectation of an answer may stand here
	qtype        uint16 // that was asked for
	queries      int
	expectations int
	others       int // lines that are no config_error
	refusals     []int
}

func (p *parser) report(message, expected, nearest string) {
	at := config.Position{File: p.script.Name, Line: p.number}
	p.problems = append(p.problems, config.Problem{Position: at, Message: message, Expected: expected, Nearest: nearest})
}

// files takes the files out of the archive.
func (p *parser) files(archive *txtar.Archive) {
	p.number = 1 + bytes.Count(archive.Comment, []byte("\n"))
	for _, f := range archive.Files {
		switch {
		case p.script.Source.Files[f.Name] != nil:
			p.report(fmt.Sprintf("file %q stands twice in the archive", f.Name), "", "")
		case !fs.ValidPath(f.Name):
			p.report(fmt.Sprintf("file name %q leaves the archive", f.Name), "a relative name without ..", "")
		}
		if f.Name == corefileName {
			p.script.corefileLine = p.number
		}
		p.script.Source.Files[f.Name] = append([]byte{}, f.Data...)
		p.number += 1 + bytes.Count(f.Data, []byte("\n"))
	}
}

// rawLine is a line that says something.
type rawLine struct {
	number, indent int
	text           string
}

// rawLines cuts the script into lines; empty ones and comments are left out.
func rawLines(script string) []rawLine {
	var out []rawLine
	for i, line := range strings.Split(script, "\n") {
		text := strings.Trim(line, blanks)
		if text != "" && text[0] != '#' {
			indent := len(line) - len(strings.TrimLeft(line, blanks))
			out = append(out, rawLine{i + 1, indent, text})
		}
	}
	return out
}

// lines reads lines that are played one after the other. Those that are indented below an `every` are its body.
func (p *parser) lines(raw []rawLine) []*Line {
	var out []*Line
	for len(raw) > 0 {
		first := raw[0]
		raw = raw[1:]
		p.number = first.number
		l := p.line(first)
		if l == nil {
			continue
		}
		out = append(out, l)
		if r, ok := l.do.(*repeat); ok {
			end := slices.IndexFunc(raw, func(next rawLine) bool { return next.indent <= first.indent })
			if end < 0 {
				end = len(raw)
			}
			p.body(r, raw[:end])
			raw = raw[end:]
		}
	}
	return out
}

// body reads the lines that are repeated.
func (p *parser) body(r *repeat, raw []rawLine) {
	if len(raw) == 0 {
		p.report(`"every" repeats nothing`, "lines below it that are indented", "")
	}
	nested := p.repeats
	p.repeats = true
	r.body = p.lines(raw)
	p.repeats, p.asked = nested, false
}

// line reads one line, or returns nil if it says nothing that can be kept. Where it stands, and with which others, is judged too.
func (p *parser) line(raw rawLine) *Line {
	l := &Line{Number: raw.number}
	word, rest, _ := strings.Cut(raw.text, " ")
	if text, ok := configLine(word, rest); ok {
		l.Text = raw.text
		l.expect = p.config(strings.ToLower(word), text)
		return l
	}
	p.others++
	words, err := splitLine(raw.text)
	if err != nil {
		p.report(err.Error(), "", "")
		return nil
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.String()
	}
	l.Text = strings.Join(texts, " ")
	word = strings.ToLower(words[0].text())
	a := &args{parser: p, name: word, left: words[1:]}
	if f, ok := statementForms[word]; ok {
		a.usage = f.usage
		p.asked = false
		l.do = f.parse(a)
		a.end()
		return l
	}
	if f, ok := expectationForms[word]; ok {
		a.usage = f.usage
		p.expectations++
		if f.ofAnswer && !p.asked {
			a.fail(fmt.Sprintf("%q has no question", word), "it directly below a query and its other expectations", "")
		}
		l.expect = f.parse(a)
		a.end()
		return l
	}
	p.report(fmt.Sprintf("unknown word %q", words[0].text()), "a statement or an expectation", config.Nearest(word, lineWords()))
	return nil
}

// configLine recognizes an expectation of the Corefile itself. Its text is the rest of the line as it is.
func configLine(word, rest string) (text string, ok bool) {
	word = strings.ToLower(word)
	return strings.Trim(rest, blanks), word == "config_error" || word == "config_warning"
}

func (p *parser) config(word, text string) expectation {
	p.expectations++
	if text == "" {
		p.report(fmt.Sprintf("%q ends too early", word), word+" TEXT", "")
	}
	if word == "config_warning" {
		p.others++
		return wantWarning{text}
	}
	p.refusals = append(p.refusals, p.number)
	return wantRefused{text}
}

// whole judges the script as a whole.
func (p *parser) whole() {
	p.number = 1
	if p.script.corefileLine == 0 {
		p.report(`the archive has no file "Corefile"`, "a line -- Corefile -- and the Corefile below it", "")
	}
	if p.expectations == 0 && len(p.problems.Errors()) == 0 {
		p.report("the scenario expects nothing, so it cannot fail", "one expectation at least", "")
	}
	if len(p.refusals) > 0 && p.others > 0 {
		p.number = p.refusals[0]
		p.report(`"config_error" stands beside other lines`, "config_error alone, for a Corefile that is refused runs nothing", "")
	}
}

// lineWords are the words that a line may begin with.
func lineWords() []string {
	words := []string{"config_error", "config_warning"}
	for word := range statementForms {
		words = append(words, word)
	}
	for word := range expectationForms {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}
