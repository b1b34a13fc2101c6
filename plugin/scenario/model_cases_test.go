package scenario

import (
	"math/big"
	"net/netip"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// specCase is a numbered case of the specification. The answers are written as the model's, "1/3 a, 2/3 b"; one alone is certain.
type specCase struct {
	id     string
	preset config.Preset
	client string // a word of caseClients, an address, or a prefix for ECS
	qtype  uint16 // A if 0
	text   string
	want   string
}

// caseClients are the clients of the cases by the words that they are called there.
func caseClient(word string) modelClient {
	here := &config.Coordinates{}
	switch word {
	case "":
		return modelClient{network: netip.MustParsePrefix("203.0.113.1/32")}
	case "US-CA", "US-TX":
		return modelClient{subdivision: word, country: "US", continent: "NA"}
	case "MX":
		return modelClient{country: "MX", continent: "NA"}
	case "FR", "DE", "IE":
		return modelClient{country: word, continent: "EU"}
	case "BR":
		return modelClient{country: "BR", continent: "SA"}
	case "unknown":
		return modelClient{}
	case "us20":
		return modelClient{ms: map[string]float64{"us": 20, "eu": 80, "ap": 200}}
	case "eu20":
		return modelClient{ms: map[string]float64{"eu": 20, "us": 80, "ap": 200}}
	case "us20at203.0.113.1":
		return modelClient{ms: map[string]float64{"us": 20, "eu": 80, "ap": 200}, network: netip.MustParsePrefix("203.0.113.1/32")}
	case "here":
		return modelClient{coordinates: here}
	}
	if p, err := netip.ParsePrefix(word); err == nil {
		return modelClient{network: p}
	}
	a := netip.MustParseAddr(word)
	return modelClient{network: netip.PrefixFrom(a, a.BitLen())}
}

func (c specCase) tree() *tree {
	t := readTree(c.preset, c.text)
	t.client = caseClient(c.client)
	t.otherTypes = strings.HasSuffix(c.id, " TXT")
	return t
}

func (c specCase) query() uint16 {
	if c.qtype == 0 {
		return dns.TypeA
	}
	return c.qtype
}

func (c specCase) expected() dist {
	out := dist{}
	for part := range strings.SplitSeq(c.want, ", ") {
		share, answer, ok := strings.Cut(part, " ")
		p, good := new(big.Rat).SetString(share)
		if !ok || !good {
			p, answer = big.NewRat(1, 1), part
		}
		out[answer] = p
	}
	return out
}

func specCases() []specCase {
	all := weightedCases()
	for _, more := range [][]specCase{failoverCases(), treeCases(), multivalueCases(), distanceCases(), geoCases(), subnetCases(), nestedCases(),
		dualStackCases(), optionCases()} {
		all = append(all, more...)
	}
	return all
}

// TestModelFollowsTheSpecification holds the model against the numbered cases.
func TestModelFollowsTheSpecification(t *testing.T) {
	for _, c := range specCases() {
		t.Run(c.id, func(t *testing.T) {
			if got, want := c.tree().answer(c.query()).String(), c.expected().String(); got != want {
				t.Errorf("Expected %s, got %s\n%s", want, got, c.text)
			}
		})
	}
}
