package healthroute

import (
	"context"
	"net/http"
	"time"

	"github.com/healthroute/healthroute/plugin/status"
)

// lasting is what a write of the API is answered: what was done, if that is on the disk, wherever one keeps it.
func lasting[T any](ctx context.Context, done T, err error) (T, error) {
	if err != nil {
		return done, err
	}
	for _, k := range running.keepers() {
		if err := k.Sync(ctx); err != nil {
			return done, &status.Problem{
				Status: http.StatusInsufficientStorage, InForce: true, Message: "it is in force, but not saved: " + err.Error(),
				Expected: "a state file that can be written; then it is saved without another word",
			}
		}
	}
	return done, nil
}

// lastingBackend is an apiBackend whose writes are on the disk when they are answered. Those who write at the same time wait for the same write.
type lastingBackend struct{ apiBackend }

// Say puts an admin state in force.
func (b lastingBackend) Say(ctx context.Context, o status.Order, by status.By) (status.Said, error) {
	said, err := b.apiBackend.Say(ctx, o, by)
	return lasting(ctx, said, err)
}

// Failback lets records answer again.
func (b lastingBackend) Failback(ctx context.Context, o status.FailbackOrder, by status.By) (status.FailedBack, error) {
	back, err := b.apiBackend.Failback(ctx, o, by)
	return lasting(ctx, back, err)
}

// Push tells checks what they are.
func (b lastingBackend) Push(ctx context.Context, p status.Pushed, by status.By) (status.Reached, error) {
	reached, err := b.apiBackend.Push(ctx, p, by)
	return lasting(ctx, reached, err)
}

// stateFile shows how the state file of the newest instance fares, nil for none.
func stateFile() *status.StateFile {
	i := running.newest()
	if i == nil || i.keeper == nil {
		return nil
	}
	s := i.keeper.State()
	out := &status.StateFile{File: s.File, Read: unlessZero(s.Read), Written: unlessZero(s.Written), Size: s.Size, Failing: unlessZero(s.Failing)}
	if !s.Written.IsZero() {
		age := time.Since(s.Written).Seconds()
		out.Age = &age
	}
	if s.Refused != nil {
		out.Refused = s.Refused.Error()
	}
	if s.Err != nil {
		out.Error = s.Err.Error()
	}
	return out
}
