package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// tree is groups that point to one another, the states of their records, and a client. The first group is asked.
type tree struct {
	preset     config.Preset
	groups     []*config.Group
	health     map[string]string // as the model's
	admin      map[string]string // as the model's
	client     modelClient
	otherTypes bool

	pools      []*config.Pool
	balancers  []*config.Balancer
	shifts     []string              // as the model's
	ownTargets map[string]netip.Addr // as the model's
}

func (t *tree) model() *model {
	m := &model{
		groups: map[string]*config.Group{}, health: t.health, admin: t.admin, client: t.client, otherTypes: t.otherTypes, asked: t.groups[0],
		excluded: t.preset == config.PresetNLB, pools: map[string]*config.Pool{}, balancers: map[string]*config.Balancer{}, shifts: t.shifts,
		ownTargets: t.ownTargets,
	}
	for _, p := range t.pools {
		m.pools[p.Name] = p
	}
	for _, b := range t.balancers {
		m.balancers[b.Name] = b
	}
	for _, g := range t.groups {
		m.groups[short(g.Names[0])] = g
	}
	return m
}

// answer is what the model says.
func (t *tree) answer(qtype uint16) dist { return t.model().answer(t.groups[0], qtype) }

// readTree reads groups in the short form of the tables of cases, one a line: NAME POLICY OPTION... : RECORD; RECORD...
//
// A record is an id and words: H, U, - (no check), NEW; off, draining, stopped, always; wN, pN, primary, secondary; >GROUP (an alias that
// evaluates), ~GROUP (one that does not); v4=VALUE:STATE and v6=VALUE:STATE, repeated (else it has one value of type A, its id);
// cname=NAME; site=, place= (codes joined by /, * is the default), at=LAT/LON, bias=, from= (joined by /-free commas); min=N.
func readTree(preset config.Preset, text string) *tree {
	t := &tree{preset: preset, health: map[string]string{}, admin: map[string]string{}}
	for _, line := range strings.Split(text, "\n") {
		head, body, _ := strings.Cut(line, ":")
		words := strings.Fields(head)
		g := &config.Group{
			Names: []string{words[0] + zone}, Policy: config.Policy(words[1]), Preset: preset, Max: config.DefaultMax, LastResort: config.LastResortAll,
		}
		if preset == config.PresetTrafficManager {
			g.Max = 2
		}
		for _, word := range words[2:] {
			groupWord(g, word)
		}
		for i, text := range strings.Split(body, ";") {
			g.Records = append(g.Records, t.readRecord(g, i, strings.Fields(text)))
		}
		t.groups = append(t.groups, g)
	}
	return t
}

func groupWord(g *config.Group, word string) {
	key, value, _ := strings.Cut(word, "=")
	n, _ := strconv.Atoi(strings.TrimSuffix(value, "%"))
	switch key {
	case "max":
		g.Max = n
	case "min":
		g.MinHealthy.Count, g.MinHealthy.Percent = n, strings.HasSuffix(value, "%")
	case "min4":
		g.MinHealthy.IPv4 = n
	case "min6":
		g.MinHealthy.IPv6 = n
	case "show":
		g.MinHealthy.ShowAll = true
	case "last":
		g.LastResort = config.LastResort(value)
	case "sorry":
		g.LastResort, g.Sorry = config.LastResortAlias, []string{value + zone}
	case "together":
		g.FamiliesTogether = true
	case "strict":
		g.Strict = true
	case "disabled":
		g.Disabled = true
	case "override":
		block, use, _ := strings.Cut(value, "/use/")
		g.Overrides = append(g.Overrides, config.Override{From: readSources(block), Use: use})
	default:
		panic("unknown word of a group: " + word)
	}
}

func (t *tree) readRecord(g *config.Group, i int, words []string) *config.Record {
	r := &config.Record{ID: words[0], Weight: config.DefaultWeight}
	if g.Policy == config.PolicyPriority {
		r.Priority = i + 1
	}
	state := ""
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case key == "v4" || key == "v6":
			data, own, _ := strings.Cut(value, ":")
			r.Values = append(r.Values, config.Value{Type: map[string]uint16{"v4": dns.TypeA, "v6": dns.TypeAAAA}[key], Data: data})
			t.setHealth(data, own)
		case key == "cname":
			r.Values = []config.Value{{Type: dns.TypeCNAME, Data: value}}
		case word[0] == '>' || word[0] == '~':
			r.Alias = &config.Alias{Group: []string{word[1:] + zone}, Evaluate: word[0] == '>'}
		case len(value) == 0 && slices.Contains([]string{"H", "U", "-", "NEW"}, word):
			state = word
		case word == "off" || word == "draining" || word == "always" || word == "stopped":
			t.admin[objectOf(g, r)] = strings.Replace(word, "off", "disabled", 1)
		default:
			recordWord(r, key, value)
		}
	}
	if r.Values == nil && r.Alias == nil {
		r.Values = []config.Value{{Type: dns.TypeA, Data: r.ID}}
	}
	if len(r.Values) == 1 && r.Values[0].IsAddress() {
		if state != "" {
			t.setHealth(r.Values[0].Data, state)
		}
	} else {
		t.setHealth(objectOf(g, r), state)
	}
	return r
}

func (t *tree) setHealth(key, word string) {
	if state := map[string]string{"H": "healthy", "U": "unhealthy", "NEW": "checking"}[word]; state != "" {
		t.health[key] = state
	}
}

func recordWord(r *config.Record, key, value string) {
	n, _ := strconv.Atoi(value)
	switch {
	case key == "primary" || key == "secondary":
		r.Role = config.Role(key)
	case key == "site":
		r.Site = value
	case key == "bias":
		r.Bias = n
	case key == "min":
		r.Alias.MinHealthy.Count = n
	case key == "min4":
		r.Alias.MinHealthy.IPv4 = n
	case key == "min6":
		r.Alias.MinHealthy.IPv6 = n
	case key == "from" && value == "*":
		r.Default = true
	case key == "from":
		r.From = readSources(value)
	case key == "at":
		r.Coordinates = &config.Coordinates{}
		_, _ = fmt.Sscanf(value, "%g/%g", &r.Coordinates.Lat, &r.Coordinates.Lon)
	case key == "place":
		readPlaces(r, value)
	case key[0] == 'w':
		r.Weight, _ = strconv.Atoi(key[1:])
	case key[0] == 'p':
		r.Priority, _ = strconv.Atoi(key[1:])
	default:
		panic("unknown word of a record: " + key)
	}
}

func readPlaces(r *config.Record, codes string) {
	for code := range strings.SplitSeq(codes, "/") {
		switch {
		case code == "*":
			r.Default = true
		case strings.HasPrefix(code, "AS") && len(code) > 2:
			n, _ := strconv.Atoi(code[2:])
			r.Locations.ASNs = append(r.Locations.ASNs, uint32(n))
		case strings.Contains(code, "-"):
			r.Locations.Subdivisions = append(r.Locations.Subdivisions, code)
		case code == "EU" || code == "NA":
			r.Locations.Continents = append(r.Locations.Continents, code)
		default:
			r.Locations.Countries = append(r.Locations.Countries, code)
		}
	}
}

// readSources reads prefixes and ranges with commas between them.
func readSources(text string) []config.Source {
	var out []config.Source
	for word := range strings.SplitSeq(text, ",") {
		if from, to, isRange := strings.Cut(word, "-"); isRange {
			out = append(out, config.Source{From: netip.MustParseAddr(from), To: netip.MustParseAddr(to)})
			continue
		}
		first, last := endsOf(netip.MustParsePrefix(word))
		out = append(out, config.Source{From: first, To: last})
	}
	return out
}
