package healthroute

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/status"
)

// saying is held while what an operator says is weighed and put in force: of two who each take out one of the last two records at the same time, the
// second has to be told.
var saying sync.Mutex

// knownGroups are the groups and their records as objects.
func knownGroups(groups []blockGroup) []status.Known {
	var out []status.Known
	for _, g := range groups {
		names := g.callable()
		out = append(out, status.Known{Object: health.GroupObject(g.Name, ""), Names: names})
		for _, r := range g.Records {
			out = append(out, status.Known{Object: health.GroupObject(g.Name, r.ID), Names: names})
		}
	}
	return out
}

// known is everything that can be called by a name: what the configuration has, and what only an override is left of.
func (b apiBackend) known() (all []status.Known, there map[health.Object]bool) {
	groups := b.allGroups()
	all = knownGroups(groups)
	there = map[health.Object]bool{}
	for _, k := range all {
		there[k.Object] = true
	}
	for _, g := range groups {
		for _, r := range g.Records {
			if site := health.SiteObject(r.Site); r.Site != "" && !there[site] {
				there[site] = true
				all = append(all, status.Known{Object: site, Names: []string{r.Site}})
			}
		}
	}
	for _, o := range admin.Objects() {
		if !there[o] {
			all = append(all, status.Known{Object: o, Names: []string{o.Name}})
		}
	}
	return all, there
}

// maxObjects bounds what one order says something of: each object is a rebuild of what it is about. A group or a site is one object, whatever stands in it.
const maxObjects = 1000

// objects are what an order names, each once. Where a name stands for several, those that nothing is said of are no matter for `enabled`.
func (b apiBackend) objects(o status.Order) ([]health.Object, *status.Problem) {
	known, there := b.known()
	ends := o.State == string(health.Enabled) && o.For == ""
	var out []health.Object
	chosen := map[health.Object]bool{}
	for _, word := range o.Objects {
		found, p := status.Find(word, known)
		if p != nil {
			return nil, p
		}
		for _, object := range found {
			if _, said := admin.Override(object); chosen[object] || ends && !said && len(found) > 1 {
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
			Expected: fmt.Sprintf("at most %d; all of a group, or all in a site, are one", maxObjects),
		}
	}
	return out, b.noAliases(out, o)
}

// sayable reports why an order cannot be said of an object, nil if it can.
func sayable(object health.Object, there bool, o status.Order) *status.Problem {
	if !there && o.State != string(health.Enabled) {
		return &status.Problem{Status: http.StatusNotFound, Message: fmt.Sprintf("%s is not there any more", object), Expected: "enabled, which forgets what was said of it"}
	}
	return status.Allowed(object, o)
}

// noAliases refuses `always` of an alias of a group: what stands behind it has a say of its own (spec 3.2).
func (b apiBackend) noAliases(objects []health.Object, o status.Order) *status.Problem {
	if o.State != string(health.Always) {
		return nil
	}
	of := b.recordsOf(objects)
	for _, object := range objects {
		for _, r := range of[object] {
			if object.Member != "" && r.Config().Alias != nil && r.Config().Alias.Name == "" {
				return &status.Problem{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("%s is an alias, which cannot be always", object), Expected: "what stands behind it"}
			}
		}
	}
	return nil
}

// Config is the record as it was declared.
func (r blockRecord) Config() *config.Record { return r.Record.Config }

// recordsOf are the records that each of the objects is about.
func (b apiBackend) recordsOf(objects []health.Object) map[health.Object][]blockRecord {
	out := make(map[health.Object][]blockRecord, len(objects))
	for _, o := range objects {
		out[o] = nil
	}
	for _, g := range b.allGroups() {
		for _, r := range g.Records {
			for _, o := range []health.Object{health.GroupObject(g.Name, ""), health.GroupObject(g.Name, r.ID), health.SiteObject(r.Site)} {
				if of, asked := out[o]; asked {
					out[o] = append(of, blockRecord{g, r})
				}
			}
		}
	}
	return out
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
	said := status.Said{Changed: []status.Change{}, Emptied: []status.Remainder{}}
	var err error
	said.Emptied, err = b.emptied(func(a *health.Admin) {
		for _, object := range objects {
			a.Set(object, v)
		}
	})
	if err != nil {
		return status.Said{}, err
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
		admin.Set(object, v)
		said.Changed = append(said.Changed, change)
	}
	if err := b.settle(ctx); err != nil {
		return status.Said{}, err
	}
	of := b.recordsOf(objects)
	for i, object := range objects {
		said.Changed[i].State, said.Changed[i].Note = inForce(object, of[object], v.State)
	}
	return said, nil
}

// settle waits until what was said holds for queries.
func (b apiBackend) settle(ctx context.Context) error {
	for _, block := range b.blocks() {
		if !block.table.Settle(ctx) {
			return ctx.Err()
		}
	}
	return nil
}

// inForce returns what holds of an object, which is about the records, now and, if that is not what was asked for, why.
func inForce(o health.Object, records []blockRecord, asked health.AdminState) (state, note string) {
	v, ok := admin.Override(o)
	now := health.Enabled
	if ok {
		now = v.State
	}
	if len(records) > 0 && o.Kind == health.OfGroup {
		r := records[0]
		switch {
		case o.Member != "":
			now = r.Admin()
			note = r.why()
		case !ok && r.blockGroup.Config.Disabled:
			now, note = health.Disabled, "the Corefile says disabled"
		}
	}
	if now == asked {
		note = ""
	}
	return string(now), note
}

// why says who decides the admin state of a record that is not as an operator said of it.
func (r blockRecord) why() string {
	for _, around := range []health.Object{health.GroupObject(r.blockGroup.Name, ""), health.SiteObject(r.Site)} {
		if v, ok := admin.Override(around); ok && v.State != health.Enabled {
			return fmt.Sprintf("%s is %s", around, v.State)
		}
	}
	if r.blockGroup.Config.Disabled {
		return "the Corefile says disabled of the group"
	}
	if word := r.Config().Admin; word != "" {
		return fmt.Sprintf("the Corefile says %s", word)
	}
	return "what was said before has come back: it stood under what has ended"
}

// Overrides are all that are in force, and what they are about.
func (b apiBackend) Overrides(context.Context) ([]status.Override, error) {
	out := []status.Override{}
	objects := admin.Objects()
	of := b.recordsOf(objects)
	for _, o := range objects {
		shown := overrideOf(o)
		if shown == nil {
			continue // it has just ended
		}
		seen := map[string]bool{}
		for _, r := range of[o] {
			if name := health.GroupObject(r.blockGroup.Name, r.ID).String(); !seen[name] {
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
