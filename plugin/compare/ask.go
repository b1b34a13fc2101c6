package compare

import (
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// Who answers what healthroute does not.
const (
	nextPlugin = "next plugin" // the server block's
	nobody     = "nobody here" // no server block with healthroute is for the name
)

// answers are all that a question can get.
type answers struct {
	possible []Possible
	together bool   // records one by one
	key      string // equal for equal answers
}

// ask returns the answers of a side to a client's question.
func (c *comparison) ask(f found, name string, qtype uint16, who client) answers {
	if !f.there || !f.ours() {
		from := nobody
		if f.there {
			from = nextPlugin
		}
		return sealed([]Possible{{Share: "1", From: from, Answer: []string{}}})
	}
	d, err := f.block.Distribution(scenario.Question{Name: name, Type: qtype, From: who.from, Place: who.place(), Everybody: true})
	if err != nil {
		c.note(fmt.Sprintf("%s: %v", name, err))
		return answers{}
	}
	var out []Possible
	for _, p := range d.Possible {
		if p.Theirs {
			out = append(out, Possible{Share: p.Share, From: nextPlugin, Answer: []string{}})
			continue
		}
		own := Possible{Share: p.Share, Rcode: p.Rcode, Answer: slices.Clone(p.Answer), Refers: p.Refers, TTL: p.TTL}
		for i, data := range own.Answer {
			own.Answer[i] = c.pretended.unveil(data)
		}
		out = append(out, own)
	}
	all := sealed(out)
	all.together = d.Together
	return all
}

// sealed adds the key.
func sealed(possible []Possible) answers {
	lines := make([]string, len(possible))
	for i, p := range possible {
		lines[i] = fmt.Sprintf("%q", []any{p.Share, p.From, p.Rcode, p.Answer, p.Refers, p.TTL})
	}
	slices.Sort(lines)
	return answers{possible: possible, key: strings.Join(lines, "\n")}
}

// timeless is the key without how long the answers may be kept.
func (a answers) timeless() string {
	without := slices.Clone(a.possible)
	for i := range without {
		without[i].TTL = 0
	}
	return sealed(without).key
}

// mostSets is how many answers of several records are told as such. Where there are more, samples of many, each record is told by itself.
const mostSets = 20

// byRecord tells each record by itself, with the part of answers that it stands in.
func (a answers) byRecord() []Possible {
	if a.together || !a.hasSets() {
		return a.possible
	}
	parts := map[string]*big.Rat{}
	var out []Possible
	for _, p := range a.possible {
		share, _ := new(big.Rat).SetString(p.Share)
		if len(p.Answer) == 0 {
			out = append(out, p)
		}
		for _, data := range p.Answer {
			if parts[data] == nil {
				parts[data] = new(big.Rat)
				one := p
				one.Answer = []string{data}
				out = append(out, one)
			}
			parts[data].Add(parts[data], share)
		}
	}
	for i, p := range out {
		if len(p.Answer) > 0 {
			out[i].Share = parts[p.Answer[0]].RatString()
		}
	}
	return out
}

func (a answers) hasSets() bool {
	return slices.ContainsFunc(a.possible, func(p Possible) bool { return len(p.Answer) > 1 })
}

// isNone reports whether healthroute has nothing to do with the answer.
func (a answers) isNone() bool { return len(a.possible) == 1 && a.possible[0].From != "" }

// pretended are the addresses that names have which only a running server can look up. Both sides have the same.
type pretended struct {
	addresses map[string][]netip.Addr
	names     map[netip.Addr]string
}

// Pretended addresses stand where no host can be: in what is reserved for future use (RFC 1112), and in the discard-only prefix (RFC 6666).
var (
	firstPretended4 = netip.MustParseAddr("240.0.0.1")
	firstPretended6 = netip.MustParseAddr("100::1")
)

func newPretended() *pretended {
	return &pretended{addresses: map[string][]netip.Addr{}, names: map[netip.Addr]string{}}
}

// of returns the addresses of a name.
func (p *pretended) of(name string) []netip.Addr {
	if known := p.addresses[name]; known != nil {
		return known
	}
	n := len(p.addresses)
	v4, v6 := firstPretended4.As4(), firstPretended6.As16()
	v4[1], v4[2], v4[3] = byte(n>>14), byte(n>>7)&0x7f, byte(n&0x7f)+1
	v6[12], v6[13], v6[14] = byte(n>>16), byte(n>>8), byte(n)
	p.addresses[name] = []netip.Addr{netip.AddrFrom4(v4), netip.AddrFrom16(v6)}
	for _, a := range p.addresses[name] {
		p.names[a] = name
	}
	return p.addresses[name]
}

// unveil writes what is shown instead of data that is a pretended address.
func (p *pretended) unveil(data string) string {
	if a, err := netip.ParseAddr(data); err == nil {
		if name, made := p.names[a]; made {
			return "addresses of " + name
		}
	}
	return data
}

// isMade reports whether an address is pretended, and of which name.
func (p *pretended) isMade(a netip.Addr) (name string, made bool) {
	name, made = p.names[a]
	return name, made
}
