package route

import (
	"math/big"

	"github.com/healthroute/healthroute/plugin/config"
)

// policy is how a group chooses.
type policy struct {
	// prepare makes the choice ready when a view is built, so that a query only draws. Among are the candidates that may answer, or,
	// for a policy of places, all that were not taken out. There is at least one.
	prepare func(s *Set, among []*Candidate) chooser
	// heldBack says why a candidate that may answer does not.
	heldBack string
	// places: the policy picks by where the client is and has its own rule for a match that is not usable (spec 4.9), so that it gets
	// the unusable candidates too.
	places bool
	// client: the choice depends on who asks.
	client bool
}

// policies is every policy. Adding one is a file and a line here.
var policies = map[config.Policy]*policy{
	config.PolicySimple:     {prepare: simple},
	config.PolicyWeighted:   {prepare: weighted, heldBack: "weight 0 is held back while another record has a weight"},
	config.PolicyFailover:   {prepare: priority, heldBack: "the primary stands before it"},
	config.PolicyPriority:   {prepare: priority, heldBack: "a record of a lower priority number stands before it"},
	config.PolicyMultivalue: {prepare: multivalue},
	config.PolicyRoundRobin: {prepare: roundRobin},
	config.PolicyGeo:        {prepare: geo, heldBack: "it is not for this client's place", places: true, client: true},
	config.PolicyProximity:  {prepare: proximity, heldBack: "another record is nearer to this client", client: true},
	config.PolicyLatency:    {prepare: latency, heldBack: "another site is nearer to this client", client: true},
	config.PolicySubnet:     {prepare: subnet, heldBack: "it is not for this client's address", places: true, client: true},
}

// chooser is a prepared choice. It is immutable and pure: the same query and random numbers give the same choice. The one exception is
// roundrobin, whose turn is a number that all queries share.
type chooser interface {
	// choose picks the records that answer one query.
	choose(q *Query) Choice
	// outcomes returns every choice that the query could get with its exact probability, or false if there are more than limit.
	outcomes(q *Query, limit int) ([]Outcome, bool)
}

// sharer is a chooser whose shares are known without listing its outcomes, which may be too many.
type sharer interface {
	shares() []Share
}

// fixed is the choice of policies that leave nothing to chance.
type fixed struct{ choice Choice }

func (f fixed) choose(*Query) Choice { return f.choice }

func (f fixed) outcomes(*Query, int) ([]Outcome, bool) { return certain(f.choice), true }

// byClient is the choice of policies that leave nothing to chance for one client.
type byClient func(q *Query) Choice

func (f byClient) choose(q *Query) Choice { return f(q) }

func (f byClient) outcomes(q *Query, _ int) ([]Outcome, bool) { return certain(f(q)), true }

// sharesOf sums the outcomes up by record, in the order of the candidates.
func sharesOf(outcomes []Outcome, candidates []*Candidate) []Share {
	parts := map[*Candidate]*big.Rat{}
	for _, o := range outcomes {
		for i := range o.Choice.Len() {
			c := o.Choice.At(i)
			if parts[c] == nil {
				parts[c] = new(big.Rat)
			}
			parts[c].Add(parts[c], o.Part)
		}
	}
	var out []Share
	for _, c := range candidates {
		if parts[c] != nil {
			out = append(out, Share{c, parts[c]})
		}
	}
	return out
}
