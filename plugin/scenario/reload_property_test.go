package scenario

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// part is some lines of a Corefile that need no others: a group with its probe and with what stands behind its aliases. Edits of other parts must not
// be seen here.
type part struct {
	name      string   // also of the group, and in all that it declares
	probe     string   // its own probe's options
	shared    bool     // it uses a probe that all others may use too, on shared targets
	group     string   // policy
	options   []string // of the group
	records   []string
	behind    string   // declarations that its aliases need
	questions []string // names
	objects   []string // of which an operator may speak
}

func (p part) text() string {
	word, own := "all", ""
	if !p.shared {
		word, own = "own"+p.name, "probe own"+p.name+" http {\n"+p.probe+"\n}\n"
	}
	text := own + p.behind + "group " + p.questions[0] + " " + p.group + " {\nprobe " + word + "\n" + strings.Join(p.options, "\n") + "\n"
	return text + strings.Join(p.records, "\n") + "\n}\n"
}

// partKinds are shapes of parts: the policy, what its records say besides, and options of which each may stand there.
var partKinds = []struct {
	policy  string
	records []string
	options []string
}{
	{"failover", []string{"primary", "secondary"}, []string{"failback manual", "hold 40s", "ttl 5s-60s"}},
	{"priority", []string{"priority 1", "priority 1", "priority 2"}, []string{"failback manual", "hold 40s", "min_healthy 2"}},
	{"weighted", []string{"weight 10", "weight 30", "weight 0"}, []string{"ramp 90s", "hold 20s", "sticky", "ttl 5s-60s"}},
	{"multivalue", []string{"", "", ""}, []string{"max 2", "sticky", "min_healthy 50%", "last_resort none"}},
	{"roundrobin", []string{"", "", ""}, []string{"hold 20s", "sticky", "last_resort servfail"}},
	{"latency", []string{"site a", "site b", "site a"}, []string{"sticky", "hold 40s"}},
	{"geo", []string{"country JP", "continent EU", "default"}, []string{"strict", "last_resort nxdomain"}},
	{"subnet", []string{"from 198.51.100.0/24", "from 198.51.0.0/16", "default"}, []string{"override from 198.51.100.0/25 use r2"}},
}

// drawPart draws a part of a name.
func drawPart(t *rapid.T, name string) part {
	kind := rapid.SampledFrom(partKinds).Draw(t, "kind")
	p := part{name: name, group: kind.policy, shared: rapid.Bool().Draw(t, "shared"), probe: drawProbe(t, name), questions: []string{name}}
	for _, option := range kind.options {
		if rapid.Bool().Draw(t, option) {
			p.options = append(p.options, option)
		}
	}
	for i, words := range kind.records {
		p.records = append(p.records, fmt.Sprintf("record 192.0.2.%d,2001:db8::%[1]d id r%d %s", rapid.IntRange(1, 6).Draw(t, "address")+6*i, i, words))
		p.objects = append(p.objects, fmt.Sprintf("%s/r%d", name, i))
	}
	first := &p.records[0]
	kinds := []string{"group", "pool", "calculated", "", ""}
	if kind.policy == "multivalue" {
		kinds = kinds[2:]
	}
	switch words := kind.records[0]; rapid.SampledFrom(kinds).Draw(t, "behind") {
	case "group":
		p.behind = "group in" + name + " failover {\nprobe all\nfailback manual\nrecord 192.0.2.41 primary\nrecord 192.0.2.42 secondary\n}\n"
		*first = "alias in" + name + " id r0 " + words
		p.questions = append(p.questions, "in"+name)
		p.objects = p.objects[1:]
	case "pool":
		p.behind = "pool of" + name + " {\nprobe all\ntarget 192.0.2.51 site a\ntarget 192.0.2.52 site b\ntarget 192.0.2.53 site b\n}\n"
		*first = "alias pool of" + name + " id r0 " + words
		p.objects = p.objects[1:]
	case "calculated":
		p.behind = "probe sum" + name + " calculated {\nof beside,gate\nhealthy all\n}\n"
		*first += " probe sum" + name
	}
	if rapid.Bool().Draw(t, "wildcard") {
		p.questions[0] = "*." + name
		for i := range p.objects {
			p.objects[i] = "*." + p.objects[i]
		}
	}
	return p
}

// drawProbe draws the options of a probe that is a part's own, and equal to no other one's.
func drawProbe(t *rapid.T, name string) string {
	return fmt.Sprintf("path /%s\ninterval %ds\nfall %d\nrise %d\ntimeout %ds", name, rapid.IntRange(4, 9).Draw(t, "interval"), rapid.IntRange(1, 3).Draw(t, "fall"),
		rapid.IntRange(1, 3).Draw(t, "rise"), rapid.IntRange(1, 3).Draw(t, "timeout"))
}

// corefileOf puts parts together. What they share never changes.
func corefileOf(parts []part) Source {
	var b strings.Builder
	b.WriteString("example.org {\nhealthroute {\nlocations locations.txt\n")
	b.WriteString("probe all http {\nhost shared.example.org\ninterval 7s\nfall 3\n}\nprobe beside tcp {\ntarget 192.0.2.61\nport 80\n}\nprobe gate push {\nmax_age 50s\n}\n")
	b.WriteString("group always simple {\nprobe all\nrecord 192.0.2.1\n}\nprobe both calculated {\nof beside,gate\nhealthy any\n}\ngroup sum simple {\nprobe both\nrecord 192.0.2.2\n}\n")
	for _, p := range parts {
		b.WriteString(p.text())
	}
	b.WriteString("}\n}\n")
	const locations = "198.51.100.0/24 country=JP continent=AS site=a ms:b=20\n203.0.113.0/24 continent=EU site=b ms:a=30\n"
	return Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(b.String()), "locations.txt": []byte(locations)}}
}

// told is what a world says of a name: all possible replies with their probabilities, TTLs, and scopes, for several clients. Without TTLs it leaves out what
// depends on schedules to come.
func told(t *rapid.T, w *World, name string, ttls bool) string {
	var all []string
	for _, q := range questionsOf(strings.Replace(name, "*", "some", 1)) {
		outcomes, err := w.Ask(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			text := fmt.Sprint(o.Part.RatString(), " of ", dns.RcodeToString[o.Result.Msg.Rcode], Values(o.Result.Msg), " scope ", o.Result.Scope)
			for _, rr := range append(o.Result.Msg.Answer, o.Result.Msg.Ns...) {
				if ttls {
					text += fmt.Sprint(" ttl ", rr.Header().Ttl)
				}
			}
			all = append(all, fmt.Sprint(q.From, " ", dns.Type(q.Type), ": ", text))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func questionsOf(name string) (all []Question) {
	for _, from := range []string{"198.51.100.7", "203.0.113.200"} {
		for _, qtype := range []uint16{dns.TypeA, dns.TypeAAAA} {
			all = append(all, Question{Name: name, Type: qtype, From: netip.MustParseAddr(from)})
		}
	}
	return all
}

// states are what a world knows of the checks of parts, by who uses them: status, counters, since when, the last attempt and when the next one is due.
func states(w *World, parts []part) map[string]string {
	out := map[string]string{}
	named := []string{"beside", "gate", "both", "all 192.0.2.1"} // probes, and of the shared one its targets
	for _, p := range parts {
		named = append(named, "own"+p.name)
		text := p.behind
		if p.shared {
			text = p.text()
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,\n", r) }) {
			named = append(named, "all "+word)
		}
	}
	for _, c := range w.Checks() {
		name := c.Probe().Name
		if slices.Contains(named, name) || slices.Contains(named, name+" "+c.Target().Address.String()) {
			s := c.State()
			out[fmt.Sprint(name, " of ", c.Target().Host, " at ", c.TargetString())] = fmt.Sprintf("%s %+v since %s last %s %s next %s held %s recovered %s",
				s.Status, s.Counter, At(s.Since), s.Last.Outcome, At(s.LastAt), At(s.Next), At(s.HeldUntil(time.Minute)), At(s.RecoveredAt(0)))
		}
	}
	return out
}

// TestReloadsAreNotSeen lets two servers live through the same world. The Corefile of one is edited now and then, also into some that are refused; the
// other one's never. Parts that no edit has touched answer alike all the time, with the same TTLs, and their checks have the same counters and the same
// attempts at the same instants (user report 21). Where only a probe's options were edited, the answers right after the reload are those of before.
func TestReloadsAreNotSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []part
		for i := range rapid.IntRange(2, 5).Draw(t, "parts") {
			parts = append(parts, drawPart(t, fmt.Sprintf("g%d", i)))
		}
		quiet, edited := mustWorld(t, corefileOf(parts)), mustWorld(t, corefileOf(parts))
		defer quiet.Close()
		defer edited.Close()
		now, untouched := slices.Clone(parts), slices.Clone(parts)
		down := map[string]bool{}
		both := func(do func(*World)) { do(quiet); do(edited) }
		for range rapid.IntRange(4, 25).Draw(t, "steps") {
			at := quiet.Now() + time.Duration(rapid.IntRange(0, 30_000).Draw(t, "milliseconds"))*time.Millisecond
			both(func(w *World) { w.AdvanceTo(at) })
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				now, untouched = edit(t, edited, now, untouched)
			case 2, 3:
				target := rapid.SampledFrom(targetsOfParts(untouched)).Draw(t, "target")
				kind := rapid.SampledFrom([]BehaviourKind{Refuse, Hang, CannotTell}).Draw(t, "behaviour")
				if down[target] = !down[target]; !down[target] {
					kind = Up
				}
				both(func(w *World) { must(t, w.SetTarget(target, Behaviour{Kind: kind})) })
			default:
				happen(t, both, untouched)
			}
			if at > edited.Now() {
				t.Fatal("Expected a clock that moves")
			}
			compare(t, quiet, edited, untouched)
		}
	})
}

// targetsOfParts are the addresses that a change of the world is seen by.
func targetsOfParts(parts []part) []string {
	targets := []string{"192.0.2.1", "192.0.2.61"}
	for _, p := range parts {
		for _, word := range strings.FieldsFunc(p.text(), func(r rune) bool { return strings.ContainsRune(" ,\n", r) }) {
			if strings.HasPrefix(word, "192.0.2.") {
				targets = append(targets, word)
			}
		}
	}
	return targets
}

// happen lets an operator or a pusher speak of what is untouched.
func happen(t *rapid.T, both func(func(*World)), untouched []part) {
	healthy := rapid.Bool().Draw(t, "pushed")
	untouched = slices.DeleteFunc(slices.Clone(untouched), func(p part) bool { return p.shared }) // what another part wants is attempted
	if len(untouched) == 0 || rapid.IntRange(0, 4).Draw(t, "push") == 0 {
		both(func(w *World) { must(t, w.Push("gate", healthy)) })
		return
	}
	p := rapid.SampledFrom(untouched).Draw(t, "part")
	object := rapid.SampledFrom(p.objects).Draw(t, "object")
	state := rapid.SampledFrom([]string{"disabled", "enabled", "draining", "failback", "unhealthy", "healthy", "unhealthy", "healthy"}).Draw(t, "state")
	lasts := time.Duration(rapid.IntRange(0, 60).Draw(t, "lasts")) * time.Second
	both(func(w *World) {
		switch state {
		case "failback":
			must(t, w.Failback(p.questions[0]))
		case "healthy", "unhealthy":
			_ = w.SetHealth(object, state) // what is calculated follows others
		default:
			must(t, w.Admin(object, state, lasts))
		}
	})
}

// edit reloads the world with some parts changed, added, removed and moved, and returns those of now and those that no edit has touched.
func edit(t *rapid.T, w *World, now, untouched []part) (after, left []part) {
	after = slices.Clone(now)
	touch := func(name string) {
		untouched = slices.DeleteFunc(slices.Clone(untouched), func(p part) bool { return p.name == name })
	}
	redefined := ""
	switch i := rapid.IntRange(0, len(now)-1).Draw(t, "edited"); rapid.IntRange(0, 5).Draw(t, "edit") {
	case 0:
		touch(now[i].name)
		after[i] = drawPart(t, now[i].name)
	case 1:
		after = append(after, drawPart(t, fmt.Sprintf("n%d", w.Now()/time.Millisecond)))
		if slices.ContainsFunc(now, func(p part) bool { return p.name == after[len(after)-1].name }) {
			after = now
		}
	case 2:
		if len(now) > 1 {
			touch(now[i].name)
			after = slices.Delete(after, i, i+1)
		}
	case 3:
		after = rapid.Permutation(after).Draw(t, "order")
	case 4:
		touch(now[i].name)
		redefined = now[i].questions[0]
		after[i].probe = drawProbe(t, now[i].name)
	case 5:
		refused := corefileOf(after)
		refused.Files["Corefile"] = append(refused.Files["Corefile"], "example.net {\nhealthroute {\ngroup www nonsense\n}\n}\n"...)
		if w.Reload(refused).Errors() == nil {
			t.Fatal("Expected the reload to be refused")
		}
		return now, untouched
	}
	before := ""
	if redefined != "" {
		before = told(t, w, redefined, false)
	}
	if errs := w.Reload(corefileOf(after)).Errors(); errs != nil {
		t.Fatalf("Expected a good Corefile, got: %v\n%s", errs, corefileOf(after).Files["Corefile"])
	}
	if redefined != "" {
		if got := told(t, w, redefined, false); got != before {
			t.Fatalf("Expected of %s after its probe was edited\n%s\ngot\n%s", redefined, before, got)
		}
	}
	return after, untouched
}

// compare holds what one world says against what the other one says.
func compare(t *rapid.T, quiet, edited *World, untouched []part) {
	names := []string{"always", "sum"}
	for _, p := range untouched {
		names = append(names, p.questions...)
	}
	for _, name := range names {
		if want, got := told(t, quiet, name, true), told(t, edited, name, true); got != want {
			t.Fatalf("Expected of %s at %s\n%s\ngot\n%s", name, quiet.Now(), want, got)
		}
	}
	want, got := states(quiet, untouched), states(edited, untouched)
	for _, check := range slices.Sorted(maps.Keys(want)) {
		if _, there := got[check]; there && got[check] != want[check] {
			t.Fatalf("Expected of %s at %s\n%s\ngot\n%s", check, quiet.Now(), want[check], got[check])
		}
	}
}

func mustWorld(t *rapid.T, s Source) *World {
	w, problems := NewWorld(s)
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a good Corefile, got: %v\n%s", errs, s.Files["Corefile"])
	}
	return w
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
