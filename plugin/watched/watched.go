// Package watched keeps the last good version of a file that somebody else replaces.
//
// A file has changed when its size, its time of modification or the file itself is another one. Links and folders on the way to it are
// followed at each look, so that a rename, a link that was turned (as Kubernetes does for a ConfigMap) and a folder that was put into
// the place of another one are all noticed.
package watched

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/healthroute/healthroute/plugin/config"
)

// File is a file of which the last good version is kept. Its owner sees to it that no two of its methods run at the same time.
type File[T any] struct {
	Name  string
	Parse func(name string, data []byte) (T, error)
	Limit int64 // bytes; a larger file is refused before it is read. 0: none

	// Settle takes a new version, other than the first, only when it is the same at two looks in a row. It is for files of which a
	// part looks like a whole one, and that may be written in place.
	Settle bool

	value    T
	loaded   fs.FileInfo // the version that value was read from; nil before the first
	seen     fs.FileInfo // the version that was read last, good or bad; nil if there was none
	settling fs.FileInfo // the version that has yet to stand still; nil if there is none
	fault    error       // why what is there now cannot be used; nil if it is loaded, or nobody knows yet
}

// errUnsettled says that a file changed while it was read. It is read again the next time.
var errUnsettled = errors.New("the file was changed while it was read")

// Value returns what the last good version says; ok is false if none was read.
func (f *File[T]) Value() (value T, ok bool) { return f.value, f.loaded != nil }

// Fault returns why what was there at the last look could not be used, as Refresh reported it once; nil if it could.
func (f *File[T]) Fault() error { return f.fault }

// Settling reports whether another version is there that has yet to stand still.
func (f *File[T]) Settling() bool { return f.settling != nil }

// Inherit takes over what another one knows of the same file. It is called before the first Refresh.
func (f *File[T]) Inherit(old *File[T]) {
	f.value, f.loaded, f.fault = old.value, old.loaded, old.fault
}

// Recall takes over what a version said that was read before a restart. Whatever is there is read at the next look; until it is good, Value returns
// this, but not as one that is there. It is called before the first Refresh.
func (f *File[T]) Recall(value T) { f.value = value }

// Refresh reads the file if it is another version than the one that was read last. Of each bad version there is one error.
func (f *File[T]) Refresh() (changed bool, err error) {
	info, err := os.Stat(f.Name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file") // to open a pipe would block
	}
	var data []byte
	if err == nil {
		switch {
		case same(info, f.loaded): // or a bad version was put away again
			f.seen, f.settling, f.fault = info, nil, nil
			return false, nil
		case same(info, f.seen):
			f.settling = nil
			return false, nil
		case f.Settle && f.loaded != nil && !same(info, f.settling):
			f.settling = info
			return false, nil
		}
		data, info, err = f.read(info)
	}
	f.settling = nil
	switch {
	case errors.Is(err, errUnsettled) && f.loaded != nil:
		f.settling = info
		return false, nil
	case err != nil:
		f.seen = nil // a version that cannot be read may become readable without a change of the file
		err = f.named(err)
		told := f.fault != nil && err.Error() == f.fault.Error()
		f.fault = err
		if told {
			return false, nil
		}
		return false, err
	}
	f.seen = info
	value, err := f.Parse(f.Name, data)
	if err != nil {
		f.fault = f.named(err)
		return false, f.fault
	}
	f.value, f.loaded, f.fault = value, info, nil
	return true, nil
}

// read reads the file that is there now, and which one that is; it should be the one that was looked at. It is read into memory: a
// mapped file would take the process along when somebody cuts it short.
func (f *File[T]) read(looked fs.FileInfo) ([]byte, fs.FileInfo, error) {
	file, err := os.Open(f.Name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case f.Settle && !same(info, looked):
		return nil, info, errUnsettled
	case f.Limit > 0 && info.Size() > f.Limit:
		return nil, nil, fmt.Errorf("the file has %d bytes: expected at most %d", info.Size(), f.Limit)
	}
	var source io.Reader = file
	if f.Limit > 0 {
		source = io.LimitReader(file, f.Limit+1) // it may grow
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(source); err != nil {
		return nil, nil, err
	}
	if later, err := file.Stat(); err != nil || !same(info, later) || f.Limit > 0 && int64(data.Len()) > f.Limit {
		return nil, info, errUnsettled
	}
	return data.Bytes(), info, nil
}

// named puts the file's name before an error that does not have it, and nowhere twice.
func (f *File[T]) named(err error) error {
	var problems config.Problems
	if errors.As(err, &problems) {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// same reports whether both are the same version of the same file.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
