package state

import "sync"

// keepers are those of this process, by their file. A reload opens the file again before it closes it: the lock is the process's, and
// what the first one began goes on.
var keepers = struct {
	mu   sync.Mutex
	open map[string]*Keeper // guarded by mu
}{open: map[string]*Keeper{}}

// Open begins to keep the file: what it has is restored in engine, admin layer and lists, and it is written from then on. A file that cannot be read, is damaged,
// foreign or of a later version is moved aside, never over another one, and Status.Refused says so; the server begins without it. A disk that is full, or may not be
// written, is no error either: Options.Report and Status tell of it. The errors of Open are those of a configuration: no such directory, no regular file, a
// symbolic link to nothing, and *InUse if another server has the file.
//
// A file that this process keeps already is kept on, with the options of the first time. Each Open needs a Close.
func Open(file string, o Options) (*Keeper, error) {
	file, err := resolve(file)
	if err != nil {
		return nil, err
	}
	keepers.mu.Lock()
	defer keepers.mu.Unlock()
	k := keepers.open[file]
	if k == nil {
		if k, err = start(file, o); err != nil {
			return nil, err
		}
		keepers.open[file] = k
	}
	k.users++
	return k, nil
}

// Close ends one Open. With the last one the file is written once more and given free; the error says why it could not be written. The engine must still have its
// checks then: Close comes before the Release of their leases.
func (k *Keeper) Close() error { return k.close(true) }

// Abandon ends one Open as Close does, but writes nothing more: what was to run with the file never did.
func (k *Keeper) Abandon() { _ = k.close(false) }

func (k *Keeper) close(write bool) error {
	keepers.mu.Lock()
	defer keepers.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	delete(keepers.open, k.file)
	return k.end(write)
}
