package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is what a Keeper needs of a file system.
type disk interface {
	read(name string) ([]byte, error)
	create(name string) (file, error) // which is not there yet; for its owner alone
	rename(from, to string) error
	remove(name string) error
	exists(name string) (bool, error)
	syncDir(name string) error // makes what was renamed in it last
	lock(name string) (io.Closer, error)
}

// file is one that is written.
type file interface {
	io.WriteCloser
	Sync() error
}

// osDisk is the operating system's.
type osDisk struct{}

func (osDisk) rename(from, to string) error        { return os.Rename(from, to) }
func (osDisk) remove(name string) error            { return os.Remove(name) }
func (osDisk) lock(name string) (io.Closer, error) { return lockFile(name) }
func (osDisk) create(name string) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
func (osDisk) exists(name string) (bool, error) {
	_, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// maxSize is how many bytes a state file has at most: far more than any server has to keep. What is larger is none, and is not read into memory.
const maxSize = 512 << 20

func errHuge(size int64) error {
	return fmt.Errorf("it has %d bytes: expected %d at most", size, maxSize)
}

func (osDisk) read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSize {
		return nil, errHuge(info.Size())
	}
	return io.ReadAll(io.LimitReader(f, maxSize))
}

// replace puts a text in the place of a file, so that whatever happens in between the file has the old text or the new one, and the new one
// for good when replace returns nil. It writes FILE.tmp, which no two keepers do at once.
func replace(d disk, name string, text []byte) error {
	temporary := name + ".tmp"
	if err := d.remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(d, temporary, text); err != nil {
		_ = d.remove(temporary) // it holds nothing of use, and may hold what a full disk lacks
		return err
	}
	if err := d.rename(temporary, name); err != nil {
		_ = d.remove(temporary)
		return err
	}
	return d.syncDir(filepath.Dir(name))
}

// write makes a new file whose text is on the disk.
func write(d disk, name string, text []byte) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// resolve returns the file that is meant by a name: symbolic links are followed now, and no more while the keeper lives, or renaming would put a file
// in the place of the link. The file need not be there, but the directory must.
func resolve(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		info, err := os.Stat(real)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("state file %s is no regular file", real)
		}
		return real, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("state file %s: %w", name, err)
	}
	if _, err := os.Lstat(name); err == nil {
		return "", fmt.Errorf("state file %s is a symbolic link to nothing", name)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", fmt.Errorf("state file %s has no directory: %w: expected one that is there already, for this server alone to write", name, err)
	}
	return filepath.Join(dir, filepath.Base(name)), nil
}
