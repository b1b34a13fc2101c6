package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"testing"
)

// crashDisk is a file system in memory that knows what would be left if the power failed: it keeps back what was not synchronised. One of its operations can
// fail, or be the last before the power fails.
type crashDisk struct {
	now     map[string]*inode // what the process sees
	pending []change          // of the directory since it was synchronised
	lasting map[string]*inode

	steps  int
	failAt int  // this step fails, and does half of its work; 0 for none
	dies   bool // all steps after it fail, too
	steady bool // nothing fails any more
}

type inode struct {
	data   []byte
	synced int // bytes that are on the disk for sure
}

// change is one of the directory: the inode is entered under a name, or what is there goes.
type change struct {
	name string
	to   *inode
}

var errPower = errors.New("no space left on device")

func newCrashDisk(files map[string][]byte) *crashDisk {
	d := &crashDisk{now: map[string]*inode{}, lasting: map[string]*inode{}}
	for name, data := range files {
		i := &inode{data, len(data)}
		d.now[name], d.lasting[name] = i, i
	}
	return d
}

// step counts an operation and says whether it fails.
func (d *crashDisk) step() error {
	d.steps++
	if !d.steady && d.failAt > 0 && (d.steps == d.failAt || d.dies && d.steps > d.failAt) {
		return errPower
	}
	return nil
}

func (d *crashDisk) enter(name string, i *inode) {
	if d.now[name] = i; i == nil {
		delete(d.now, name)
	}
	d.pending = append(d.pending, change{name, i})
}

func (d *crashDisk) read(name string) ([]byte, error) {
	if i := d.now[name]; i != nil {
		return i.data, nil
	}
	return nil, fs.ErrNotExist
}

func (d *crashDisk) exists(name string) (bool, error) { return d.now[name] != nil, nil }

func (d *crashDisk) create(name string) (file, error) {
	if d.now[name] != nil {
		return nil, fs.ErrExist
	}
	if err := d.step(); err != nil {
		return nil, err
	}
	i := &inode{}
	d.enter(name, i)
	return &crashFile{d, i}, nil
}

func (d *crashDisk) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	i := d.now[from]
	d.enter(to, i)
	d.enter(from, nil)
	return nil
}

func (d *crashDisk) remove(name string) error {
	if d.now[name] == nil {
		return fs.ErrNotExist
	}
	if err := d.step(); err != nil {
		return err
	}
	d.enter(name, nil)
	return nil
}

func (d *crashDisk) syncDir(string) error {
	if err := d.step(); err != nil {
		return err
	}
	for _, c := range d.pending {
		d.lasting[c.name] = c.to
	}
	d.pending = nil
	return nil
}

func (d *crashDisk) lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// crashFile is an open file.
type crashFile struct {
	disk *crashDisk
	*inode
}

func (f *crashFile) Write(p []byte) (int, error) {
	if err := f.disk.step(); err != nil {
		f.data = append(f.data, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *crashFile) Sync() error {
	if err := f.disk.step(); err != nil {
		return err
	}
	f.synced = len(f.data)
	return nil
}

func (f *crashFile) Close() error { return f.disk.step() }

// left calls f with every text that the file may have after a power failure now, nil for none: each change of the directory that was not synchronised
// may have reached the disk or not, and of a text that was not, nothing, a part, all, or as many zeros.
func (d *crashDisk) left(name string, f func([]byte)) {
	for subset := range 1 << len(d.pending) {
		entries := map[string]*inode{}
		for name, i := range d.lasting {
			entries[name] = i
		}
		for n, c := range d.pending {
			if subset&(1<<n) != 0 {
				entries[c.name] = c.to
			}
		}
		i := entries[name]
		if i == nil {
			f(nil)
			continue
		}
		for _, n := range []int{i.synced, (i.synced + len(i.data)) / 2, len(i.data)} {
			f(i.data[:n])
		}
		f(append(bytes.Clone(i.data[:i.synced]), make([]byte, len(i.data)-i.synced)...))
	}
}

// TestReplaceInEveryCase: wherever a write is cut, by the power or by an error, the file has the old text or the new one; and the new one when the write was
// called a success. The next write does what this one could not.
func TestReplaceInEveryCase(t *testing.T) {
	old, text := []byte("the old text\n"), []byte("a new text, which is longer\n")
	name := filepath.Join("/var/lib", "state")
	for _, before := range []map[string][]byte{{name: old}, {}, {name: old, name + ".tmp": []byte("left over")}} {
		count := newCrashDisk(before)
		if err := replace(count, name, text); err != nil {
			t.Fatalf("Expected no error, got %v", err)
		}
		for failAt := range count.steps + 2 {
			for _, dies := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d files, step %d, dies %v", len(before), failAt, dies), func(t *testing.T) {
					d := newCrashDisk(before)
					d.failAt, d.dies = failAt, dies
					err := replace(d, name, text)
					if failed := failAt > 0 && failAt <= count.steps; (err != nil) != failed {
						t.Errorf("Expected a failure %v, got %v", failed, err)
					}
					d.left(name, func(got []byte) {
						if !bytes.Equal(got, text) && (err == nil || !bytes.Equal(got, before[name])) {
							t.Errorf("Expected the old text or the new one after %v, got %q", err, got)
						}
					})
					if err != nil && !dies && d.now[name+".tmp"] != nil && failAt > 1 {
						t.Errorf("Expected no temporary file to be left, got one")
					}
					d.steady = true
					if err := replace(d, name, text); err != nil {
						t.Errorf("Expected the next write to succeed, got %v", err)
					}
					d.left(name, func(got []byte) {
						if !bytes.Equal(got, text) {
							t.Errorf("Expected the new text after the next write, got %q", got)
						}
					})
				})
			}
		}
	}
}

// TestMoveAsideInEveryCase: the refused file is under one of its two names, whatever happens, and the earlier ones stay.
func TestMoveAsideInEveryCase(t *testing.T) {
	bad, earlier := []byte("bad"), []byte("an earlier one")
	name := filepath.Join("/var/lib", "state")
	first := name + ".bad-20261130T120000Z"
	for failAt := range 4 {
		for _, dies := range []bool{false, true} {
			d := newCrashDisk(map[string][]byte{name: bad, first: earlier, first + "-2": earlier})
			d.failAt, d.dies = failAt, dies
			to, err := moveAside(d, name, epoch)
			if err == nil {
				equal(t, "name", to, first+"-3")
			}
			for _, kept := range []string{first, first + "-2"} {
				equal(t, "an earlier one", string(d.now[kept].data), string(earlier))
			}
			if d.now[name] == nil && d.now[first+"-3"] == nil {
				t.Errorf("Expected the file to be there after failure %d, got none", failAt)
			}
		}
	}
}
