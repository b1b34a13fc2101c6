package discover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/watched"
)

// settleAfter is when a changed file is looked at again, to see whether somebody still writes it.
const settleAfter = time.Second

// files reads the files of a path whose last part may be a pattern.
//
// Of each file the last good list is kept, also when the file vanishes: that is no word of its owner. His word for "none" is [], after
// which the file may go. All lists together empty are another matter, which the Source decides.
type files struct {
	pattern string
	every   time.Duration
	limit   int

	mu    sync.Mutex // a reload inherits while the old reader is at work
	known map[string]*watched.File[[]config.Found]
}

func newFiles(pattern string, every time.Duration, limit int) *files {
	return &files{pattern: pattern, every: every, limit: limit, known: map[string]*watched.File[[]config.Found]{}}
}

func (f *files) inherit(from reader) {
	old, ok := from.(*files)
	if !ok {
		return
	}
	old.mu.Lock()
	defer old.mu.Unlock()
	for name, file := range old.known {
		f.file(name).Inherit(file)
	}
}

func (f *files) recall(parts []part) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range parts {
		f.file(p.from).Recall(p.found)
	}
}

// file returns the keeper of a file, a new one if need be.
func (f *files) file(name string) *watched.File[[]config.Found] {
	file, known := f.known[name]
	if !known {
		file = &watched.File[[]config.Found]{Name: name, Parse: f.parse, Limit: MaxFileSize, Settle: true}
		f.known[name] = file
	}
	return file
}

// parse reads a file that may be empty.
func (f *files) parse(name string, data []byte) ([]config.Found, error) {
	found, err := ParseFile(name, data, f.limit)
	if errors.Is(err, ErrEmpty) {
		return nil, nil
	}
	return found, err
}

func (f *files) read(context.Context) reading {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := reading{fortune: Good, again: f.every}
	var faults []string
	fail := func(err error) {
		faults = append(faults, err.Error())
		if !errors.Is(err, fs.ErrNotExist) {
			r.fortune = Refused
		} else if r.fortune == Good {
			r.fortune = Gone
		}
	}
	names, err := f.names()
	if err != nil {
		fail(err)
	}
	for _, name := range names {
		f.file(name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		file := f.known[name]
		_, _ = file.Refresh() // Fault has it
		found, _ := file.Value()
		if len(found) == 0 && !slices.Contains(names, name) {
			delete(f.known, name)
			continue
		}
		if err := file.Fault(); err != nil {
			fail(err)
		}
		if file.Settling() {
			r.again, r.pending = min(settleAfter, f.every), true
		}
		r.parts = append(r.parts, part{from: name, found: found, stale: file.Fault() != nil})
	}
	if len(names)+len(r.parts) == 0 && err == nil {
		fail(fmt.Errorf("%s: no file matches: %w", f.pattern, fs.ErrNotExist))
	}
	freshFirst(r.parts)
	r.fault = strings.Join(faults, "\n")
	return r
}

// names are the files that are there: of a pattern those that match, as in a shell without those that begin with a dot, in which
// programs hide what they have not finished.
func (f *files) names() ([]string, error) {
	dir, last := filepath.Split(f.pattern)
	if !strings.ContainsAny(last, "*?[") {
		return []string{f.pattern}, nil
	}
	entries, err := os.ReadDir(filepath.Clean(dir)) // "" is "."
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.pattern, err)
	}
	var names []string
	for _, entry := range entries {
		matches, err := filepath.Match(last, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.pattern, err)
		}
		if matches && !entry.IsDir() && (entry.Name()[0] != '.' || last[0] == '.') {
			names = append(names, filepath.Join(dir, entry.Name()))
		}
	}
	return names, nil
}
