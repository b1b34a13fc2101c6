package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// The errors of a file that is refused are about all of it: nothing of it is used.
var (
	errForeign   = errors.New("it is no state file of healthroute")
	errEmpty     = errors.New("it is empty")
	errTruncated = errors.New("it is damaged: its end is missing")
	errDamaged   = errors.New("it is damaged: the checksum does not fit")
)

// Decode reads the text of a file. It takes all of it or nothing: the error is one line about why not.
func Decode(text []byte) (State, error) {
	if len(text) == 0 {
		return State{}, errEmpty
	}
	if err := checkVersion(text); err != nil {
		return State{}, err
	}
	lines, err := unseal(text)
	if err != nil {
		return State{}, err
	}
	r := reader{rest: lines}
	var h header
	r.next(&h)
	s := State{}
	s.Health.Taken = h.Taken.Time
	for range h.Overrides {
		var l overrideLine
		if !r.next(&l) {
			break
		}
		standing, err := l.standing()
		r.fail(err)
		s.Admin = append(s.Admin, standing)
	}
	for range h.Latches {
		var l latchLine
		if !r.next(&l) {
			break
		}
		if s.Health.Latches == nil {
			s.Health.Latches = map[string]int{}
		}
		if s.Health.Latches[l.Latch] = l.Rank; l.Rank < 1 {
			r.fail(fmt.Errorf("latch of rank %d", l.Rank))
		}
	}
	for range h.Sources {
		var l sourceLine
		if !r.next(&l) {
			break
		}
		standing, err := l.standing()
		r.fail(err)
		s.Sources = append(s.Sources, standing)
	}
	for range h.Checks {
		var l checkLine
		if !r.next(&l) {
			break
		}
		known, err := l.known(s.Health.Taken)
		r.fail(err)
		s.Health.Checks = append(s.Health.Checks, known)
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail(errors.New("more lines than the first one says"))
	}
	if r.err != nil {
		return State{}, fmt.Errorf("it is damaged: line %d: %w", r.line, r.err)
	}
	return s, nil
}

// checkVersion looks at the first line alone: later versions may have other lines, and another last one.
func checkVersion(text []byte) error {
	begin := []byte(`{"format":"` + format + `"`)
	first, _, whole := bytes.Cut(text, []byte("\n"))
	common := min(len(first), len(begin))
	var h struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	err := json.Unmarshal(first, &h)
	switch {
	case !whole && bytes.Equal(first[:common], begin[:common]):
		return errTruncated
	case err != nil, h.Format != format:
		return errForeign
	case h.Version > version:
		return fmt.Errorf("it is of version %d, from a later healthroute; this one knows up to version %d", h.Version, version)
	case h.Version < 1:
		return fmt.Errorf("it is of version %d, which never was", h.Version)
	}
	return nil
}

// unseal checks the last line and returns those above it.
func unseal(text []byte) ([]byte, error) {
	if text[len(text)-1] != '\n' {
		return nil, errTruncated
	}
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	switch {
	case last == 0, !bytes.HasPrefix(text[last:], []byte(`{"lines":`)):
		return nil, errTruncated
	case !bytes.Equal(text[last:], sealOf(text[:last])):
		return nil, errDamaged
	}
	return text[:last], nil
}

// reader reads line after line; after the first error it reads no more.
type reader struct {
	rest []byte
	line int
	err  error
}

// next reads a line of JSON with the fields of v and no others.
func (r *reader) next(v any) bool {
	if r.err != nil {
		return false
	}
	r.line++
	line, rest, found := bytes.Cut(r.rest, []byte("\n"))
	if !found {
		r.err = errors.New("fewer lines than the first one says")
		return false
	}
	r.rest = rest
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if r.err = d.Decode(v); r.err == nil && d.More() {
		r.err = errors.New("more than one value")
	}
	return r.err == nil
}

// fail notes what is wrong with the line that was read last.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
