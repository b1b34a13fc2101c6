package healthroute

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/status"
)

// saying is held while what an operator says is weighed and put in force: of two who each take out one of the last two records at the same time, the
// second has to be told.
var saying sync.Mutex

// maxObjects bounds what one order says something of: each object is a rebuild of what it is about. A group, a pool or a site is one object, whatever stands in it.
const maxObjects = 1000

// objects are what an order names, each once. Where a name stands for several, those that nothing is said of are no matter for `enabled`, and those that
// are not there any more none for other words.
func (b apiBackend) objects(o status.Order) ([]health.Object, *status.Problem) {
	known, there := b.known()
	directory := status.NewDirectory(known)
	ends := o.State == string(health.Enabled) && o.For == ""
	var out []health.Object
	chosen := map[health.Object]bool{}
	for _, word := range o.Objects {
		found, p := directory.Find(word)
		if p != nil {
			return nil, p
		}
		left := o.State != string(health.Enabled) && slices.ContainsFunc(found, func(object health.Object) bool { return there[object] })
		for _, object := range found {
			_, said := admin.Override(object)
			if chosen[object] || ends && !said && len(found) > 1 || left && !there[object] {
				continue
			}
			if p := sayable(object, there[object], o); p != nil {
				return nil, p
			}
			chosen[object] = true
			out = append(out, object)
		}
	}
	if len(out) > maxObjects && !ends {
		return nil, &status.Problem{
			Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("that is about %d objects at once", len(out)),
			Expected: fmt.Sprintf("at most %d; all of a group or a pool, or all in a site, are one", maxObjects),
		}
	}
	return out, noAliases(out, b.subjects(out), o)
}

// sayable reports why an order cannot be said of an object, nil if it can.
func sayable(object health.Object, there bool, o status.Order) *status.Problem {
	if !there && o.State != string(health.Enabled) {
		return &status.Problem{Status: http.StatusNotFound, Message: fmt.Sprintf("%s is not there any more", object), Expected: "enabled, which forgets what was said of it"}
	}
	return status.Allowed(object, o)
}

// noAliases refuses `always` of an alias of a group: what stands behind it has a say of its own (spec 3.2).
func noAliases(objects []health.Object, of map[health.Object][]subject, o status.Order) *status.Problem {
	if o.State != string(health.Always) {
		return nil
	}
	for _, object := range objects {
		for _, s := range of[object] {
			if s.object == object && s.isAlias() {
				return &status.Problem{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("%s is an alias, which cannot be always", object), Expected: "what stands behind it"}
			}
		}
	}
	return nil
}

// Say puts an admin state in force.
func (b apiBackend) Say(ctx context.Context, o status.Order, by status.By) (status.Said, error) {
	saying.Lock()
	defer saying.Unlock()
	objects, p := b.objects(o)
	if p != nil {
		return status.Said{}, p
	}
	v := health.Override{State: health.AdminState(o.State), Reason: o.Reason, Author: by.Author}
	if lasts := o.Lasts(); lasts > 0 {
		v.Until = time.Now().Add(lasts)
	}
	apply := func(a *health.Admin) error { return sayAll(a, objects, v, o.Lasts()) }
	said := status.Said{Changed: []status.Change{}, Emptied: []status.Remainder{}}
	var err error
	said.Emptied, err = b.emptied(apply)
	if err != nil {
		return status.Said{}, shiftProblem(err)
	}
	if len(said.Emptied) > 0 && !o.Force {
		return status.Said{}, &status.Problem{
			Status: http.StatusConflict, Message: "nothing usable would be left", Expected: "force, if that is meant", Emptied: said.Emptied,
		}
	}
	if err := ctx.Err(); err != nil { // nobody waits any more, and may say it again
		return status.Said{}, err
	}
	for _, object := range objects {
		change := status.Change{Object: object.String(), Until: unlessZero(v.Until)}
		if before, ok := admin.Override(object); ok {
			change.Before = string(before.State)
		}
		said.Changed = append(said.Changed, change)
	}
	if err := apply(admin); err != nil {
		return status.Said{}, shiftProblem(err)
	}
	if err := b.settle(ctx); err != nil {
		return status.Said{}, err
	}
	of := b.subjects(objects)
	for i, object := range objects {
		said.Changed[i].State, said.Changed[i].Note = b.inForce(object, of[object], v.State)
	}
	return said, nil
}

// sayAll says the same of all objects or, with an error, which only a shift has, of none.
func sayAll(a *health.Admin, objects []health.Object, v health.Override, lasts time.Duration) error {
	if v.State != health.Shifted {
		a.SetAll(objects, v)
		return nil
	}
	var done []health.Object
	for _, o := range objects {
		if err := a.Shift(o.Name, o.Member, lasts, v.Reason, v.Author); err != nil {
			for _, o := range done {
				a.Unshift(o.Name, o.Member)
			}
			return err
		}
		done = append(done, o)
	}
	return nil
}

// shiftProblem words the refusal of a shift while another site is shifted.
func shiftProblem(err error) error {
	var other *health.OtherShift
	if !errors.As(err, &other) {
		return err
	}
	return &status.Problem{
		Status:   http.StatusConflict,
		Message:  fmt.Sprintf("site %s of %s is shifted already, until %s", other.Site, other.Balancer, other.Until.UTC().Format(time.RFC3339)),
		Expected: fmt.Sprintf("one site at a time; `enabled` of %s ends that shift", health.ShiftObject(other.Balancer, other.Site)),
	}
}

// settle waits until what was said holds for queries.
func (b apiBackend) settle(ctx context.Context) error {
	for _, block := range b.blocks() {
		if !block.table.Settle(ctx) {
			return &status.Problem{
				Status: http.StatusServiceUnavailable, InForce: true, Message: "it is in force, but not all answers follow it yet",
				Expected: "a moment; nothing has to be said again",
			}
		}
	}
	return nil
}

// Overrides are all that are in force, and what they are about.
func (b apiBackend) Overrides(context.Context) ([]status.Override, error) {
	out := []status.Override{}
	objects := admin.Objects()
	of := b.subjects(objects)
	for _, o := range objects {
		shown := overrideOf(o)
		if shown == nil {
			continue // it has just ended
		}
		seen := map[string]bool{}
		for _, s := range of[o] {
			if name := s.String(); !seen[name] {
				seen[name] = true
				shown.Matches = append(shown.Matches, name)
			}
		}
		out = append(out, *shown)
	}
	return out, nil
}

// Failback lets the records answer again that groups with `failback manual` keep out.
func (b apiBackend) Failback(ctx context.Context, o status.FailbackOrder, _ status.By) (status.FailedBack, error) {
	groups := b.allGroups()
	known := slices.DeleteFunc(knownGroups(groups), func(k status.Known) bool { return k.Object.Member != "" })
	named := map[health.Object]bool{}
	for _, word := range o.Groups {
		found, p := status.Find(word, known)
		if p != nil {
			return status.FailedBack{}, p
		}
		for _, object := range found {
			named[object] = true
		}
	}
	chosen := slices.DeleteFunc(groups, func(g blockGroup) bool {
		return !named[health.GroupObject(g.Name, "")] || !g.Config.FailbackManual
	})
	if len(chosen) == 0 {
		return status.FailedBack{}, &status.Problem{
			Status:   http.StatusUnprocessableEntity,
			Message:  fmt.Sprintf("%s keeps nothing out", strings.Join(o.Groups, ", ")),
			Expected: "groups with `failback manual`",
		}
	}
	back := status.FailedBack{Groups: []status.FailedBackGroup{}}
	for _, g := range chosen {
		held := false
		for _, s := range g.View().Sets() {
			held = held || s.HeldOut()
		}
		g.block.table.Failback(g.Group)
		back.Groups = append(back.Groups, status.FailedBackGroup{Group: g.Name, Held: held})
	}
	return back, b.settle(ctx)
}
