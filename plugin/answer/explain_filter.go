package answer

import (
	"fmt"
	"net/netip"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// FilterReason is a filter's part in an answer: how the addresses stand that whoever stands behind us answered.
type FilterReason struct {
	Filter     string          `json:"filter"`
	LastResort string          `json:"last_resort,omitempty"` // the word, where nothing in an RRset was usable
	Addresses  []AddressReason `json:"addresses"`
}

// AddressReason is why an address is in or out.
type AddressReason struct {
	Address  string       `json:"address"`
	Answered bool         `json:"answered"`
	Health   string       `json:"health"`
	Why      string       `json:"why"`
	Check    *CheckReason `json:"check,omitempty"` // nil while it has none
}

// explainFilter reads a filter's part off what it did and the reply that was sent, which may be nil.
func explainFilter(f *Filtered, reply *dns.Msg) *FilterReason {
	r := &FilterReason{Filter: f.Filter.Name, Addresses: []AddressReason{}}
	if f.LastResort {
		r.LastResort = string(f.Filter.Config.LastResort)
	}
	told := map[netip.Addr]bool{}
	add := func(a netip.Addr, answered bool) {
		if !told[a] {
			told[a] = true
			r.Addresses = append(r.Addresses, f.address(a, answered))
		}
	}
	for _, a := range f.Gone {
		add(a, false)
	}
	if reply == nil {
		return r
	}
	for _, section := range [][]dns.RR{reply.Answer, reply.Extra} {
		for _, rr := range section {
			if a, ok := addressIn(rr); ok {
				add(a, true)
			}
		}
	}
	return r
}

// address explains one address.
func (f *Filtered) address(a netip.Addr, answered bool) AddressReason {
	r := AddressReason{Address: a.String(), Answered: answered, Health: health.Unmonitored.String()}
	c := f.Filter.Check(a)
	if c == nil {
		r.Why = "not checked"
		if config.IsUnicast(a) && f.Unchecked > 0 {
			r.Why = "not checked: the filter is full"
		}
		return r
	}
	check := explainCheck(c)
	r.Check, r.Health = &check, check.Health
	switch {
	case !answered:
		r.Why = "not usable: " + why([]CheckReason{check})
	case c.Usable():
		r.Why = "usable"
	case f.Signed > 0:
		r.Why = "not usable, but its RRset is signed"
	default:
		r.Why = "not usable, but nothing better is: last resort"
	}
	return r
}

// reason is the step that decided, in a few words; "" if the filter changed nothing that matters.
func (f *Filtered) reason() string {
	switch {
	case f.LastResort:
		return "last resort, no usable address"
	case len(f.Gone) > 0:
		return "filter " + f.Filter.Name + " takes out what is not usable"
	}
	return ""
}

// text writes the filter's part of the tree.
func (r *FilterReason) text(b *strings.Builder, at func(time.Time) string) {
	fmt.Fprintf(b, "  filter %s", r.Filter)
	if r.LastResort != "" {
		fmt.Fprintf(b, ", no usable address: last_resort %s", r.LastResort)
	}
	b.WriteString("\n")
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, a := range r.Addresses {
		part := "0"
		if a.Answered {
			part = "1"
		}
		fmt.Fprintf(table, "    %s\t%s\t%s\t%s\n", a.Address, share(part), a.Health, a.Why)
	}
	_ = table.Flush() // into memory
	for _, a := range r.Addresses {
		if a.Check != nil {
			a.Check.text(b, at, "      ")
		}
	}
}
