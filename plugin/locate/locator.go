package locate

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/watched"
)

// Locator knows where clients are, from files that it rereads. All methods are safe for concurrent use; a nil Locator can be used and
// knows nothing.
type Locator struct {
	current atomic.Pointer[sources]

	refreshing sync.Mutex // guards what follows
	databases  []*watched.File[*database]
	locations  *watched.File[*Table] // nil if there is none
}

// Open reads .mmdb databases, the first of which stands over the later ones, and a locations file, which stands over all of them; ""
// for none. The error has what is wrong with each file: config.Problems for the locations file, and errors that begin with the file's
// name.
func Open(geoip []string, locations string) (*Locator, error) {
	l := new(Locator)
	for _, name := range geoip {
		l.databases = append(l.databases, &watched.File[*database]{Name: name, Parse: func(_ string, data []byte) (*database, error) {
			return openDatabase(data)
		}})
	}
	if locations != "" {
		l.locations = &watched.File[*Table]{Name: locations, Parse: func(name string, data []byte) (*Table, error) {
			return Parse(name, string(data))
		}}
	}
	if _, err := l.Refresh(); err != nil {
		return nil, err
	}
	return l, nil
}

// New returns a locator of a table that was not read from a file, for programs that have no files and for tests.
func New(t *Table) *Locator {
	l := new(Locator)
	l.current.Store(&sources{table: t})
	return l
}

// Refresh looks whether files have changed and rereads those that have. A file that cannot be used is refused, and what was read
// before it stays; of each bad version there is one error, and then silence until the file changes again. changed is true if anything
// was taken over, also beside an error of another file.
//
// A file has changed when its size, its time of modification or the file itself is another one: links are followed. It should be
// replaced by renaming a finished one; one that is rewritten in place may be caught half written, and half a locations file can look
// like a whole one.
func (l *Locator) Refresh() (changed bool, err error) {
	if l == nil {
		return false, nil
	}
	l.refreshing.Lock()
	defer l.refreshing.Unlock()
	var faults []error
	note := func(taken bool, err error) {
		changed = changed || taken
		if err != nil {
			faults = append(faults, err)
		}
	}
	for _, d := range l.databases {
		note(d.Refresh())
	}
	if l.locations != nil {
		note(l.locations.Refresh())
	}
	if changed {
		now := new(sources)
		for _, d := range l.databases {
			if data, ok := d.Value(); ok {
				now.databases = append(now.databases, data)
			}
		}
		if l.locations != nil {
			now.table, _ = l.locations.Value()
		}
		l.current.Store(now)
	}
	if len(faults) == 1 {
		return changed, faults[0]
	}
	return changed, errors.Join(faults...)
}

// Run refreshes again and again until the context ends, and reports what there is to tell: that files were taken over, or an error, or
// both. every is above 0. report is called from the goroutine that called Run.
func (l *Locator) Run(ctx context.Context, every time.Duration, report func(changed bool, err error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if changed, err := l.Refresh(); changed || err != nil {
				report(changed, err)
			}
		}
	}
}

// Client returns a client of which this is known. The network is masked.
func (l *Locator) Client(network netip.Prefix) Client {
	c := Client{Network: normal(network)}
	if l != nil {
		c.sources = l.current.Load()
	}
	return c
}
