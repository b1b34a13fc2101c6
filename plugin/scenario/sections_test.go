package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/answer"
)

// shape is a random Corefile of groups of many types at few names, which lead to one another.
type shape struct {
	text  string
	names []string // absolute, of the groups
	cuts  []string // of those, the delegations
	owned []Question
}

// shapeNames are relative to example.org.; in.example.org. is a zone of its own, and over.example.org. one of another server block.
var shapeNames = []string{"@", "a", "b", "c.a", "d.c.a", "*.w", "x.w", "*.x.w", "sub", "h.sub", "y.h.sub", "in", "h.in", "*.in", "e.n.t"}

// shapeHosts are what data leads to.
var shapeHosts = append([]string{"new.w", "h.w", "y.x.w", "gone", "gone.in", "n.t", "host.example.net.", "h.over", "."}, shapeNames...)

func drawShape(t *rapid.T) shape {
	var s shape
	var groups strings.Builder
	nameserver := rapid.Bool().Draw(t, "nameserver")
	used := map[string]bool{}
	for i := range rapid.IntRange(2, 9).Draw(t, "groups") {
		name := rapid.SampledFrom(shapeNames).Draw(t, "name")
		if used[name] {
			continue
		}
		used[name] = true
		full := absolute(name)
		s.names = append(s.names, full)
		kinds := drawKinds(t, name, nameserver)
		for j, kind := range kinds {
			if kind.word == "NS" && name != "@" && name != "in" {
				s.cuts = append(s.cuts, full)
			}
			qtype, _ := queryType(kind.word)
			s.owned = append(s.owned, Question{Name: strings.Replace(full, "*", "any", 1), Type: qtype})
			fmt.Fprintf(&groups, "group %s %s {\n%s}\n", full, kind.policy, kind.records(t, fmt.Sprintf("%d-%d", i, j)))
		}
	}
	s.text = "example.org {\nhealthroute example.org in.example.org {\n"
	if nameserver {
		s.text += "nameserver ns.example.net.\n"
	}
	s.text += "other_types " + rapid.SampledFrom([]string{"next", "nodata"}).Draw(t, "other_types") + "\n" +
		"probe dead tcp {\ntarget 192.0.2.250\nport 1\nassume unhealthy\n}\n" + groups.String() + "}\n"
	if rapid.Bool().Draw(t, "file") {
		s.text += "file db example.org\nfile in in.example.org\n"
	}
	s.text += "}\nover.example.org {\nhealthroute {\ngroup h simple {\nrecord 192.0.2.1\n}\n}\n}\n"
	return s
}

func absolute(name string) string {
	switch {
	case name == "@":
		return "example.org."
	case strings.HasSuffix(name, "."):
		return name
	}
	return name + ".example.org."
}

// drawnKind is a type with a policy.
type drawnKind struct{ word, policy string }

// drawKinds draws what a name has: a CNAME alone, or some of the others.
func drawKinds(t *rapid.T, name string, nameserver bool) []drawnKind {
	apex := name == "@" || name == "in"
	policies := []string{"simple", "weighted", "failover", "priority", "multivalue", "roundrobin", "geo", "subnet"}
	if !apex && rapid.IntRange(0, 4).Draw(t, "cname") == 0 {
		return []drawnKind{{"CNAME", rapid.SampledFrom([]string{"simple", "weighted", "failover", "roundrobin", "geo"}).Draw(t, "policy")}}
	}
	words := []string{"A", "A", "HTTPS", "HTTPS", "MX", "SRV", "TXT", "TYPE65280"} // the first ones more often
	if !strings.HasPrefix(name, "*") && !(apex && nameserver) {
		words = append(words, "NS")
	}
	var kinds []drawnKind
	for _, word := range rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 4, rapid.ID).Draw(t, "types") {
		kinds = append(kinds, drawnKind{word, rapid.SampledFrom(policies).Draw(t, "policy")})
	}
	return kinds
}

// records are two or three records in the shape that the policy asks for, some of which are not usable.
func (k drawnKind) records(t *rapid.T, id string) string {
	n := rapid.IntRange(1, 3).Draw(t, "records")
	switch k.policy {
	case "simple":
		n = 1
	case "failover", "geo":
		n = min(n, 2)
	}
	lines := "last_resort " + rapid.SampledFrom([]string{"all", "none", "servfail", "refused", "nxdomain"}).Draw(t, "last_resort") + "\n"
	lines += "ttl " + rapid.SampledFrom([]string{"5s", "30s"}).Draw(t, "ttl") + "\n"
	for i := range n {
		option := ""
		switch k.policy {
		case "failover":
			option = []string{"primary", "secondary"}[i]
		case "priority":
			option = fmt.Sprint("priority ", rapid.IntRange(1, 2).Draw(t, "priority"))
		case "geo":
			option = []string{"default", "country CH"}[i]
		case "subnet":
			option = fmt.Sprintf("from 198.51.%d.0/24", i)
		}
		lines += "record " + k.value(t, i) + " id " + fmt.Sprint(k.word, id, i) + " " + option + " " +
			rapid.SampledFrom([]string{"", "", "disabled", "probe dead"}).Draw(t, "state") + "\n"
	}
	return lines
}

// value is the data of one record; some records have the data of others.
func (k drawnKind) value(t *rapid.T, i int) string {
	host := absolute(rapid.SampledFrom(shapeHosts).Draw(t, "host"))
	switch k.word {
	case "A":
		return rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2", "192.0.2.3,2001:db8::3", "2001:db8::4"}).Draw(t, "address")
	case "MX", "HTTPS":
		data := fmt.Sprintf("%d %s", i, host)
		if k.word == "HTTPS" {
			if rapid.Bool().Draw(t, "own") {
				host = "."
			}
			data = fmt.Sprintf("%d %s", i+1, host) + rapid.SampledFrom([]string{"", " ipv4hint=192.0.2.99", " ipv4hint=192.0.2.99 ipv6hint=2001:db8::99"}).Draw(t, "hints")
		}
		return k.word + ` "` + data + `"`
	case "SRV":
		return fmt.Sprintf(`SRV "%d 0 5060 %s"`, i, host)
	case "TXT":
		return "TXT text" + fmt.Sprint(i/2)
	case "TYPE65280":
		return `TYPE65280 "\# 1 0` + fmt.Sprint(i) + `"`
	}
	if host == "." {
		host = "a.example.org."
	}
	return k.word + " " + host
}

// What stands behind, in half of the shapes.
const (
	shapeZone = `$ORIGIN example.org.
@ 3600 IN SOA ns hostmaster 1 7200 1800 86400 60
@ IN NS ns
h.w IN A 198.51.100.1
gone IN MX 10 a
a IN TXT "beside"
`
	shapeInner = `$ORIGIN in.example.org.
@ 3600 IN SOA ns hostmaster 1 7200 1800 86400 60
@ IN NS ns
n.t IN TXT "deep"
`
)

// TestSections: whatever is asked, the sections of our replies obey the rules of the DNS.
func TestSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		w, problems := NewWorld(Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(s.text), "db": []byte(shapeZone), "in": []byte(shapeInner)}})
		if errs := problems.Errors(); errs != nil {
			fmt.Println(errs)
			t.Skip("refused")
		}
		defer w.Close()
		for range 12 {
			q := drawQuestion(t, s)
			if !dns.IsSubDomain("example.org.", q.Name) {
				continue
			}
			if rapid.Bool().Draw(t, "subnet") {
				q.Subnet = netip.MustParsePrefix(rapid.SampledFrom([]string{"198.51.0.0/24", "198.51.1.0/24", "203.0.113.0/24"}).Draw(t, "network"))
			}
			if err := judgeSections(w, s, q); err != nil {
				t.Fatalf("%s %s: %v\n%s", q.Name, dns.Type(q.Type), err, s.text)
			}
		}
	})
}

// drawQuestion draws what a group has, or anything about a name around them.
func drawQuestion(t *rapid.T, s shape) Question {
	q := rapid.SampledFrom(s.owned).Draw(t, "owned")
	if rapid.Bool().Draw(t, "anything") {
		q.Name = absolute(rapid.SampledFrom(shapeHosts).Draw(t, "asked"))
		q.Type = rapid.SampledFrom([]uint16{dns.TypeA, dns.TypeAAAA, dns.TypeMX, dns.TypeSRV, dns.TypeHTTPS, dns.TypeNS, dns.TypeTXT, dns.TypeCNAME,
			dns.TypeSOA, dns.TypeDS, dns.TypeANY, 65280}).Draw(t, "type")
	}
	if rapid.IntRange(0, 9).Draw(t, "below") == 0 {
		q.Name = "below." + strings.TrimPrefix(q.Name, ".")
	}
	if rapid.Bool().Draw(t, "case") {
		q.Name = strings.ToUpper(q.Name)
	}
	return q
}

// judgeSections looks at every reply that is possible.
func judgeSections(w *World, s shape, q Question) error {
	outcomes, err := w.Ask(q)
	if err != nil {
		return err
	}
	query, _, err := w.query(q)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if m := o.Result.Msg; !answer.Explain(query, o.Result, m).Passed {
			if err := judgeReply(w, s, q, m); err != nil {
				return fmt.Errorf("%w in\n%s", err, m)
			}
		}
	}
	return nil
}

func judgeReply(w *World, s shape, q Question, m *dns.Msg) error {
	wire, err := m.Pack()
	if err != nil || new(dns.Msg).Unpack(wire) != nil {
		return fmt.Errorf("expected a message that packs, got %w", err)
	}
	for _, section := range [][]dns.RR{m.Answer, m.Ns, m.Extra} {
		for i, rr := range section {
			for _, other := range section[:i] {
				if dns.IsDuplicate(rr, other) {
					return fmt.Errorf("expected %v once", rr)
				}
				if a, b := rr.Header(), other.Header(); strings.EqualFold(a.Name, b.Name) && a.Rrtype == b.Rrtype && a.Ttl != b.Ttl {
					return fmt.Errorf("expected one TTL in the RRset of %v", rr)
				}
			}
		}
	}
	if servers(m) != nil {
		return judgeReferral(q, m)
	}
	for _, cut := range s.cuts {
		ds := q.Type == dns.TypeDS && strings.EqualFold(cut, q.Name)
		if dns.IsSubDomain(cut, q.Name) && !ds && m.Rcode != dns.RcodeServerFailure && m.Rcode != dns.RcodeRefused {
			return fmt.Errorf("expected a referral from %s", cut)
		}
		for _, rr := range append(slices.Clone(m.Answer), m.Extra...) {
			if dns.IsSubDomain(cut, rr.Header().Name) && q.Type != dns.TypeDS {
				return fmt.Errorf("expected nothing below the delegation %s, got %v", cut, rr)
			}
		}
	}
	if !m.Authoritative && m.Rcode != dns.RcodeServerFailure && m.Rcode != dns.RcodeRefused {
		return fmt.Errorf("expected AA")
	}
	last, open, err := judgeChain(q, m)
	if err != nil {
		return err
	}
	if err := judgeNegative(s, m, last, open); err != nil {
		return err
	}
	return judgeAdditional(w, q, m)
}

// judgeChain follows the CNAMEs of an answer, and returns the last name and whether nothing stands there.
func judgeChain(q Question, m *dns.Msg) (last string, open bool, err error) {
	last, open = q.Name, true
	seen := map[string]bool{}
	for i, rr := range m.Answer {
		h := rr.Header()
		if !strings.EqualFold(h.Name, last) || i == 0 && h.Name != q.Name {
			return "", false, fmt.Errorf("expected %v at %s", rr, last)
		}
		alias, ok := rr.(*dns.CNAME)
		if ok && q.Type != dns.TypeCNAME && q.Type != dns.TypeANY {
			if seen[strings.ToLower(last)] || !open {
				return "", false, fmt.Errorf("expected nothing beside %v", rr)
			}
			seen[strings.ToLower(last)] = true
			last = alias.Target
			continue
		}
		if ok && i > 0 || h.Rrtype != q.Type && q.Type != dns.TypeANY || h.Rrtype != m.Answer[len(m.Answer)-1].Header().Rrtype {
			return "", false, fmt.Errorf("expected no %v", rr)
		}
		open = false
	}
	return last, open, nil
}

// judgeNegative wants one SOA, of a zone around the last name, where nothing stands at it, and no word of authority elsewhere.
func judgeNegative(s shape, m *dns.Msg, last string, open bool) error {
	for _, rr := range m.Ns {
		soa, ok := rr.(*dns.SOA)
		switch {
		case !ok || len(m.Ns) > 1:
			return fmt.Errorf("expected one SOA at most, got %v", m.Ns)
		case !open:
			return fmt.Errorf("expected no SOA beside an answer")
		case !dns.IsSubDomain(soa.Hdr.Name, last) || dns.IsSubDomain("in.example.org.", last) && soa.Hdr.Name != "in.example.org.":
			if !strings.EqualFold(last, "in.example.org.") || m.Question[0].Qtype != dns.TypeDS {
				return fmt.Errorf("expected the SOA of the zone of %s", last)
			}
		case soa.Hdr.Ttl > 30 && len(m.Answer) == 0:
			return fmt.Errorf("expected a TTL of 30 at most")
		}
	}
	if open && len(m.Answer) == 0 && len(m.Ns) == 0 && (m.Rcode == dns.RcodeSuccess || m.Rcode == dns.RcodeNameError) {
		return fmt.Errorf("expected an SOA")
	}
	if m.Rcode != dns.RcodeNameError {
		return nil
	}
	if !open {
		return fmt.Errorf("expected no NXDOMAIN of a name that has data")
	}
	for _, name := range s.names {
		if dns.IsSubDomain(last, name) && !strings.EqualFold(last, name) {
			return fmt.Errorf("expected no NXDOMAIN above %s", name)
		}
	}
	return nil
}

// judgeReferral wants name servers of one name at or above the one asked for, and nothing else.
func judgeReferral(q Question, m *dns.Msg) error {
	for _, rr := range m.Ns {
		if _, ok := rr.(*dns.NS); !ok || !strings.HasSuffix(q.Name, rr.Header().Name) || rr.Header().Name != m.Ns[0].Header().Name {
			return fmt.Errorf("expected the name servers of one name above %s, got %v", q.Name, rr)
		}
	}
	for _, rr := range m.Extra {
		if rr.Header().Rrtype != dns.TypeOPT && !slices.Contains(hostsOf(m.Ns), strings.ToLower(rr.Header().Name)) {
			return fmt.Errorf("expected only addresses of the name servers, got %v", rr)
		}
	}
	return nil
}

// judgeAdditional wants addresses of hosts that the records name, such as a query for them could get now, and hints that agree.
func judgeAdditional(w *World, q Question, m *dns.Msg) error {
	hosts := hostsOf(m.Answer)
	sets := map[string][]string{}
	for _, rr := range m.Extra {
		h := rr.Header()
		switch {
		case h.Rrtype == dns.TypeOPT:
			continue
		case h.Rrtype != dns.TypeA && h.Rrtype != dns.TypeAAAA || !slices.Contains(hosts, strings.ToLower(h.Name)):
			return fmt.Errorf("expected only addresses of %v, got %v", hosts, rr)
		}
		key := h.Name + " " + dns.Type(h.Rrtype).String()
		sets[key] = append(sets[key], answer.Data(rr))
	}
	for key, got := range sets {
		name, word, _ := strings.Cut(key, " ")
		outcomes, err := w.Ask(Question{Name: name, Type: dns.StringToType[word], From: q.From, Subnet: q.Subnet})
		if err != nil {
			return err
		}
		slices.Sort(got)
		if !slices.ContainsFunc(outcomes, func(o Outcome) bool { return slices.Equal(Values(o.Result.Msg), got) }) {
			return fmt.Errorf("expected addresses of %s that a query for it could get, %s, got %v", key, describe(outcomes), got)
		}
	}
	for _, rr := range m.Answer {
		binding, ok := rr.(*dns.HTTPS)
		if !ok {
			continue
		}
		name := hostOf(rr)
		for _, p := range binding.Value {
			key := map[dns.SVCBKey]string{dns.SVCB_IPV4HINT: " A", dns.SVCB_IPV6HINT: " AAAA"}[p.Key()]
			shown := sets[name+key]
			hints := strings.Split(p.String(), ",")
			slices.Sort(hints)
			if key != "" && shown != nil && !slices.Equal(shown, hints) {
				return fmt.Errorf("expected hints %v as in the additional section, got %v", shown, hints)
			}
		}
	}
	return nil
}

func hostOf(rr dns.RR) string {
	switch rr := rr.(type) {
	case *dns.MX:
		return rr.Mx
	case *dns.SRV:
		return rr.Target
	case *dns.NS:
		return rr.Ns
	case *dns.HTTPS:
		if rr.Target == "." {
			return rr.Hdr.Name
		}
		return rr.Target
	}
	return ""
}

func hostsOf(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, strings.ToLower(hostOf(rr)))
	}
	return out
}
