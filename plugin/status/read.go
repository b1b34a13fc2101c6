package status

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
)

// Explanation says why a query is answered as it is.
type Explanation struct {
	Block string `json:"block"` // server block that answers it
	answer.Explanation
}

func (h *Handler) groups(r *request) error {
	s, p := selection(r.query, "name")
	if p != nil {
		return p
	}
	page, err := h.options.Backend.Groups(r.Context(), s)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Groups{page.Items, page.Next})
	return nil
}

func (h *Handler) records(r *request) error {
	s, p := selection(r.query, "name", "health", "site")
	if p != nil {
		return p
	}
	page, err := h.options.Backend.Records(r.Context(), s)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Records{page.Items, page.Next})
	return nil
}

func (h *Handler) pools(r *request) error {
	s, p := selection(r.query, "name")
	if p != nil {
		return p
	}
	page, err := h.options.Backend.Pools(r.Context(), s)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Pools{page.Items, page.Next})
	return nil
}

func (h *Handler) balancers(r *request) error {
	s, p := selection(r.query, "name")
	if p != nil {
		return p
	}
	page, err := h.options.Backend.Balancers(r.Context(), s)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Balancers{page.Items, page.Next})
	return nil
}

func (h *Handler) checks(r *request) error {
	s, p := selection(r.query, "name", "health")
	if p != nil {
		return p
	}
	page, err := h.options.Backend.Checks(r.Context(), s)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Checks{page.Items, page.Next})
	return nil
}

// Groups is a page of groups; Next is the `after` of the next one.
type Groups struct {
	Groups []Group `json:"groups"`
	Next   string  `json:"next,omitempty"`
}

// Records is a page of records.
type Records struct {
	Records []Record `json:"records"`
	Next    string   `json:"next,omitempty"`
}

// Pools is a page of pools.
type Pools struct {
	Pools []Pool `json:"pools"`
	Next  string `json:"next,omitempty"`
}

// Balancers is a page of balancers.
type Balancers struct {
	Balancers []Balancer `json:"balancers"`
	Next      string     `json:"next,omitempty"`
}

// Checks is a page of checks.
type Checks struct {
	Checks []Check `json:"checks"`
	Next   string  `json:"next,omitempty"`
}

// Overrides are all that are in force.
type Overrides struct {
	Overrides []Override `json:"overrides"`
}

// Configuration is the configuration as it was understood.
type Configuration struct {
	Stanzas []Stanza `json:"stanzas"`
}

func (h *Handler) explain(r *request) error {
	if p := onlyOnce(r.query, "name", "type", "client", "block"); p != nil {
		return p
	}
	q := Question{Name: r.query.Get("name"), Client: r.query.Get("client"), Block: r.query.Get("block")}
	if p := readQuestion(&q, r.query.Get("type")); p != nil {
		return p
	}
	x, err := h.options.Backend.Explain(r.Context(), q)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, x)
	return nil
}

// readQuestion checks a question, whose type is a word.
func readQuestion(q *Question, qtype string) *Problem {
	if q.Name == "" {
		return invalid(`"name" is missing`, "`name=NAME&type=TYPE`")
	}
	if _, ok := dns.IsDomainName(q.Name); !ok {
		return invalid(fmt.Sprintf("%q is no domain name", q.Name), "")
	}
	t, ok := config.ParseType(qtype)
	if !ok || t == dns.TypeAXFR || t == dns.TypeIXFR {
		p := invalid(fmt.Sprintf("%q of \"type\" is no type that can be asked for", qtype), "A, AAAA, MX ...")
		p.Nearest = config.Nearest(qtype, []string{"A", "AAAA", "ANY", "CNAME", "HTTPS", "MX", "NS", "SOA", "SRV", "SVCB", "TXT"})
		return p
	}
	q.Type = t
	if q.Client == "" {
		return nil
	}
	var err error
	if strings.Contains(q.Client, "/") {
		_, err = netip.ParsePrefix(q.Client)
	} else {
		_, err = netip.ParseAddr(q.Client)
	}
	if err != nil {
		return invalid(fmt.Sprintf("%q of \"client\" cannot be read", q.Client), "an address or a prefix")
	}
	return nil
}

func (h *Handler) configuration(r *request) error {
	if p := onlyOnce(r.query); p != nil {
		return p
	}
	stanzas, err := h.options.Backend.Configuration(r.Context())
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Configuration{stanzas})
	return nil
}

func (h *Handler) state(r *request) error {
	if p := onlyOnce(r.query); p != nil {
		return p
	}
	s, err := h.options.Backend.State(r.Context())
	if err != nil {
		return err
	}
	s.Events.Last, s.Events.Kept = h.options.Events.state()
	s.Events.Listeners = h.streams.count()
	reply(r.w, http.StatusOK, s)
	return nil
}

func (h *Handler) overrides(r *request) error {
	if p := onlyOnce(r.query); p != nil {
		return p
	}
	all, err := h.options.Backend.Overrides(r.Context())
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, Overrides{all})
	return nil
}

//go:embed openapi.json
var openAPI []byte

func (h *Handler) openAPI(r *request) error {
	r.w.Header().Set("Content-Type", "application/json")
	_, _ = r.w.Write(openAPI) // what cannot be written is the client's loss
	return nil
}
