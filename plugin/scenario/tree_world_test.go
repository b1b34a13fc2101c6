package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// corefile writes the tree for the product. Every record that has a health has a check.
func (t *tree) corefile() string {
	var b strings.Builder
	b.WriteString("example.org {\nhealthroute {\n")
	if t.preset == config.PresetNLB {
		b.WriteString("preset nlb\n") // of probes; all others take what has no verdict yet as usable
	}
	if t.locations() != "" {
		b.WriteString("locations locations.txt\n")
	}
	b.WriteString("probe web http\n")
	for i := range t.ownChecks() {
		fmt.Fprintf(&b, "probe own%d http {\ntarget 192.0.2.%d\n}\n", i, 201+i)
	}
	t.writePools(&b)
	for _, g := range t.groups {
		t.writeGroup(&b, g)
	}
	if t.otherTypes {
		fmt.Fprintf(&b, "group %s simple {\nrecord TXT text\n}\n", short(t.groups[0].Names[0]))
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// ownChecks are the records, as GROUP/RECORD, that have a check which is not their address's.
func (t *tree) ownChecks() []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(t.health)) {
		if strings.Contains(key, "/") {
			out = append(out, key)
		}
	}
	return out
}

func (t *tree) writeGroup(b *strings.Builder, g *config.Group) {
	fmt.Fprintf(b, "group %s %s {\n", short(g.Names[0]), g.Policy)
	line := func(on bool, format string, args ...any) {
		if on {
			fmt.Fprintf(b, format+"\n", args...)
		}
	}
	line(true, "preset %s", cmp.Or(g.Preset, config.PresetNone))
	line(g.Policy == config.PolicyMultivalue || g.Max > 0 && ofPools(g) && g.Policy != config.PolicyWeighted, "max %d", g.Max)
	line(g.LastResort != config.LastResortAlias, "last_resort %s", g.LastResort)
	if g.LastResort == config.LastResortAlias {
		line(true, "last_resort alias %s", short(g.Sorry[0]))
	}
	line(g.FamiliesTogether, "families together")
	line(g.Strict, "strict")
	line(g.Disabled, "disabled")
	line(g.MinHealthy != config.MinHealthy{}, "min_healthy%s", minHealthyWords(g.MinHealthy))
	if g.Sticky != nil {
		line(true, "sticky ipv4 %d ipv6 %d", g.Sticky.IPv4, g.Sticky.IPv6)
	}
	for _, o := range g.Overrides {
		line(true, "override from %s use %s", sourceWords(o.From), o.Use)
	}
	for _, r := range g.Records {
		b.WriteString(t.recordLine(g, r) + "\n")
	}
	b.WriteString("}\n")
}

func minHealthyWords(m config.MinHealthy) string {
	text := ""
	if m.Count > 0 {
		text = fmt.Sprintf(" %d%s", m.Count, map[bool]string{true: "%"}[m.Percent])
	}
	if m.ShowAll {
		text += " show_all"
	}
	if m.IPv4 > 0 {
		text += fmt.Sprintf(" ipv4 %d", m.IPv4)
	}
	if m.IPv6 > 0 {
		text += fmt.Sprintf(" ipv6 %d", m.IPv6)
	}
	return text
}

func sourceWords(from []config.Source) string {
	var out []string
	for _, s := range from {
		out = append(out, s.String())
	}
	return strings.Join(out, ",")
}

func (t *tree) recordLine(g *config.Group, r *config.Record) string {
	var words []string
	add := func(on bool, word ...string) {
		if on {
			words = append(words, word...)
		}
	}
	checked := t.health[objectOf(g, r)] != ""
	switch {
	case r.Alias != nil:
		switch {
		case r.Alias.Pool != "":
			add(true, "alias", "pool", r.Alias.Pool)
		case r.Alias.Balancer != "":
			add(true, "alias", "balancer", r.Alias.Balancer)
		default:
			add(true, "alias", short(r.Alias.Group[0]))
		}
		add(!r.Alias.Evaluate, "evaluate", "off")
		add(r.Alias.MinHealthy != config.MinHealthy{}, "min_healthy"+minHealthyWords(r.Alias.MinHealthy))
	case r.Values[0].Type == dns.TypeCNAME:
		add(true, "record", "CNAME", r.Values[0].Data)
	default:
		var addresses []string
		for _, v := range r.Values {
			addresses = append(addresses, v.Data)
			checked = checked || t.health[v.Data] != ""
		}
		add(true, "record", strings.Join(addresses, ","))
	}
	add(true, "id", r.ID)
	add(g.Policy == config.PolicyWeighted, "weight", fmt.Sprint(r.Weight))
	add(g.Policy == config.PolicyPriority, "priority", fmt.Sprint(r.Priority))
	add(g.Policy == config.PolicyFailover, string(r.Role))
	add(r.Site != "", "site", r.Site)
	if g.Policy == config.PolicyProximity {
		add(true, "coordinates", fmt.Sprintf("%g,%g", r.Coordinates.Lat, r.Coordinates.Lon), "bias", fmt.Sprint(r.Bias))
	}
	if g.Policy == config.PolicyGeo {
		l := r.Locations
		add(len(l.ASNs) > 0, "asn", strings.Trim(strings.ReplaceAll(fmt.Sprint(l.ASNs), " ", ","), "[]"))
		add(len(l.Subdivisions) > 0, "subdivision", strings.Join(l.Subdivisions, ","))
		add(len(l.Countries) > 0, "country", strings.Join(l.Countries, ","))
		add(len(l.Continents) > 0, "continent", strings.Join(l.Continents, ","))
	}
	add(g.Policy == config.PolicySubnet && len(r.From) > 0, "from", sourceWords(r.From))
	add((g.Policy == config.PolicySubnet || g.Policy == config.PolicyGeo) && r.Default, "default")
	add(r.Admin != "" && r.Admin != config.Enabled, string(r.Admin))
	if i := slices.Index(t.ownChecks(), objectOf(g, r)); i >= 0 {
		add(true, "probe", fmt.Sprintf("own%d", i))
	} else {
		add(checked, "probe", "web")
	}
	return strings.Join(words, " ")
}

// asker is the whole address that the client asks from, unless an ECS option says more.
func (t *tree) asker() netip.Addr {
	if p := t.client.network; p.IsValid() && p.IsSingleIP() {
		return p.Addr()
	}
	return netip.MustParseAddr("198.51.100.7")
}

// locations is the file that says what is known of the client.
func (t *tree) locations() string {
	c := t.client
	var words []string
	for key, value := range map[string]string{"subdivision": c.subdivision, "country": c.country, "continent": c.continent, "site": c.own} {
		if value != "" {
			words = append(words, key+"="+value)
		}
	}
	if c.asn != 0 {
		words = append(words, fmt.Sprintf("asn=%d", c.asn))
	}
	if c.coordinates != nil {
		words = append(words, fmt.Sprintf("coordinates=%g,%g", c.coordinates.Lat, c.coordinates.Lon))
	}
	for site, ms := range c.ms {
		words = append(words, fmt.Sprintf("ms:%s=%g", site, ms))
	}
	if words == nil {
		return ""
	}
	slices.Sort(words)
	network := netip.PrefixFrom(t.asker(), 24).Masked()
	if c.network.IsValid() {
		network = c.network
	}
	return fmt.Sprintf("%s %s\n", network, strings.Join(words, " "))
}

// world plays the tree in the product.
func (t *tree) world() (*World, error) {
	files := map[string][]byte{"Corefile": []byte(t.corefile())}
	if text := t.locations(); text != "" {
		files["locations.txt"] = []byte(text)
	}
	w, problems := NewWorld(Source{Name: "Corefile", Files: files})
	if errs := problems.Errors(); errs != nil {
		return nil, fmt.Errorf("the Corefile is refused: %w", errs)
	}
	var errs []error
	for key, word := range t.health {
		if !strings.ContainsAny(key, "/@") {
			key = "web@" + key
		}
		errs = append(errs, w.SetHealth(key, word))
	}
	for object, word := range t.admin {
		if word == "deregistered" {
			errs = append(errs, w.Deregister(object))
			continue
		}
		if word == "stopped" { // a health word: nobody says it of what is not probed
			errs = append(errs, w.SetHealth(object, word))
			continue
		}
		errs = append(errs, w.Admin(object, word, 0))
	}
	for _, shift := range t.shifts {
		balancer, site, _ := strings.Cut(shift, "/")
		errs = append(errs, w.Shift(balancer, site, time.Hour))
	}
	return w, errors.Join(errs...)
}

// question asks for the first group as the client does.
func (t *tree) question(qtype uint16) Question {
	q := Question{Name: short(t.groups[0].Names[0]), Type: qtype, From: t.asker()}
	if p := t.client.network; p.IsValid() && !p.IsSingleIP() {
		q.Subnet = p
	}
	return q
}

// ask returns the product's exact distribution of answers.
func (t *tree) ask(w *World, qtype uint16) (dist, error) {
	outcomes, err := w.Ask(t.question(qtype))
	if err != nil {
		return nil, err
	}
	out := dist{}
	for _, o := range outcomes {
		out.add(o.Part, sure(answered(o.Result.Msg, qtype)))
	}
	if sum := out.sum(); sum.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, fmt.Errorf("the parts sum to %s", sum.RatString())
	}
	return out, nil
}

// answered writes a reply as the model does.
func answered(m *dns.Msg, qtype uint16) string {
	switch {
	case len(m.Answer) == 1 && m.Answer[0].Header().Rrtype == dns.TypeCNAME && qtype != dns.TypeCNAME:
		return "CNAME " + m.Answer[0].(*dns.CNAME).Target
	case m.Rcode != dns.RcodeSuccess:
		return strings.ToLower(dns.RcodeToString[m.Rcode])
	case len(m.Answer) == 0:
		return nodata
	}
	return join(Values(m))
}
