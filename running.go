package healthroute

import (
	"sync"

	"github.com/coredns/caddy"
)

// instances are those that started and have not stopped; their blocks are compiled.
type instances struct {
	mu   sync.Mutex
	list []*instance // guarded by mu; oldest first
}

var running instances

func (is *instances) add(i *instance) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.list = append(is.list, i)
}

func (is *instances) remove(i *instance) {
	is.mu.Lock()
	defer is.mu.Unlock()
	for n, other := range is.list {
		if other == i {
			is.list = append(is.list[:n:n], is.list[n+1:]...)
			return
		}
	}
}

// all returns the instances that run now.
func (is *instances) all() []*instance {
	is.mu.Lock()
	defer is.mu.Unlock()
	return append([]*instance(nil), is.list...)
}

// newest returns the instance that started last, whose configuration holds; nil if none runs.
func (is *instances) newest() *instance {
	is.mu.Lock()
	defer is.mu.Unlock()
	if len(is.list) == 0 {
		return nil
	}
	return is.list[len(is.list)-1]
}

// takeOver lets the only instance left decide what is process-wide, and lets its latches be everybody's; with none left nobody decides. It does
// nothing while there are two: the newer one's start can still fail, in another plugin or in listen, and must have changed nothing then.
func (is *instances) takeOver() {
	all := is.all()
	if len(all) > 1 {
		return
	}
	is.govern()
	for _, i := range all {
		i.takeOver.Do(func() {
			for _, b := range i.blocks {
				b.lease.TakeOver()
				b.before = nil // or no instance would ever be forgotten
			}
			if i.keeper != nil {
				i.keeper.Confirm()
			}
			if i.follows {
				publishReload(true)
			}
		})
	}
}

// releaseForgotten gives back what instances hold that caddy has dropped: when a reload fails after our start, in another
// plugin's start or in listen, nobody calls that instance's OnShutdown.
func (is *instances) releaseForgotten() {
	known := map[any]bool{}
	for _, inst := range caddy.Instances() {
		inst.StorageMu.RLock()
		known[inst.Storage[instanceKey{}]] = true
		inst.StorageMu.RUnlock()
	}
	for _, i := range is.all() {
		if !known[i] {
			i.retire(func() {})
		}
	}
}

type watchedKey struct{}

// watchReloads makes every instance of caddy release what a failed reload leaves behind: also one that has no
// healthroute itself, when the Corefile that first brings it fails after our start.
func watchReloads() {
	for _, inst := range caddy.Instances() {
		inst.StorageMu.Lock()
		if inst.Storage[watchedKey{}] == nil {
			inst.Storage[watchedKey{}] = true
			inst.OnRestartFailed = append(inst.OnRestartFailed, func() error {
				running.releaseForgotten()
				publishReload(false)
				return nil
			})
		}
		inst.StorageMu.Unlock()
	}
}
