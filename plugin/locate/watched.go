package locate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/healthroute/healthroute/plugin/config"
)

// watched is a file of which the last good version is kept.
type watched[T any] struct {
	name  string
	parse func(name string, data []byte) (T, error)

	value  T
	loaded fs.FileInfo // the version that value was read from; nil before the first
	seen   fs.FileInfo // the version that was looked at last, good or bad; nil if there was none
	fault  string      // why none could be read, as it was reported
}

// errUnsettled says that a file changed while it was read. It is read again the next time.
var errUnsettled = errors.New("the file was changed while it was read")

// refresh reads the file if it is another version than the one that was looked at last.
func (w *watched[T]) refresh() (changed bool, err error) {
	info, err := os.Stat(w.name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file") // to open a pipe would block
	}
	var data []byte
	if err == nil {
		if same(info, w.seen) || same(info, w.loaded) { // or a bad version was put away again
			w.seen, w.fault = info, ""
			return false, nil
		}
		data, info, err = w.read()
	}
	switch {
	case errors.Is(err, errUnsettled) && w.loaded != nil:
		return false, nil
	case err != nil:
		w.seen = nil // a version that cannot be read may become readable without a change of the file
		err = w.named(err)
		if err.Error() == w.fault {
			return false, nil
		}
		w.fault = err.Error()
		return false, err
	}
	w.seen, w.fault = info, ""
	value, err := w.parse(w.name, data)
	if err != nil {
		return false, w.named(err)
	}
	w.value, w.loaded = value, info
	return true, nil
}

// read reads the file that is there now, and which one that is. It is read into memory: a mapped file would take the process along
// when somebody cuts it short.
func (w *watched[T]) read() ([]byte, fs.FileInfo, error) {
	f, err := os.Open(w.name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(f); err != nil {
		return nil, nil, err
	}
	if later, err := f.Stat(); err != nil || !same(info, later) {
		return nil, nil, errUnsettled
	}
	return data.Bytes(), info, nil
}

// named puts the file's name before an error that does not have it, and nowhere twice.
func (w *watched[T]) named(err error) error {
	var problems config.Problems
	if errors.As(err, &problems) {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", w.name, err)
}

// same reports whether both are the same version of the same file.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
