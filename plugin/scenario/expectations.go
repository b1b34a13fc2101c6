package scenario

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// expectationWords are the words that ask, and those that expect something.
var expectationWords = map[string]word{
	"query":          {asks, "query NAME TYPE [from ADDRESS] [subnet PREFIX] [do]", parseQuery},
	"answer":         {expects, "answer VALUE...", parseAnswer},
	"one_of":         {expects, "one_of VALUE+VALUE... VALUE...", parseOneOf},
	"share":          {expects, "share VALUE 1/3 VALUE+VALUE 2/3", parseShare},
	"count":          {expects, "count N", number(expectCount)},
	"nodata":         {expects, "nodata", bare(expectNoData)},
	"referral":       {expects, "referral NAMESERVER...", parseReferral},
	"rcode":          {expects, "rcode NXDOMAIN", parseRcode},
	"ttl":            {expects, "ttl 30s", parseTTL},
	"scope":          {expects, "scope N", number(expectScope)},
	"soa":            {expects, "soa ZONE", parseSOA},
	"ede":            {expects, "ede N", number(expectEDE)},
	"aa":             {expects, "aa", bare(expectAA)},
	"same":           {expects, "same", bare(expectSame)},
	"state":          {inspects, "state GROUP/RECORD|PROBE@TARGET WORD", parseState},
	"group":          {inspects, "group GROUP online|degraded|checking|inactive|disabled", parseGroup},
	"attempts":       {inspects, "attempts TARGET N", parseAttempts},
	"transitions":    {inspects, "transitions PROBE@TARGET N", parseTransitions},
	"config_error":   {inspects, "config_error TEXT", parseConfigError},
	"config_warning": {inspects, "config_warning TEXT", parseConfigWarning},
}

func parseQuery(p *parser, args []string, _ line) (statement, error) {
	if len(args) < 2 {
		return statement{}, errors.New("expected a name and a type")
	}
	qtype, ok := queryType(args[1])
	if !ok {
		return statement{}, fmt.Errorf("%q is no type", args[1])
	}
	q := Question{Name: args[0], Type: qtype}
	for rest := args[2:]; len(rest) > 0; {
		option := strings.ToLower(rest[0])
		switch {
		case option == "do":
			q.DO, rest = true, rest[1:]
		case (option == "from" || option == "subnet") && len(rest) > 1:
			if err := q.client(option, rest[1]); err != nil {
				return statement{}, err
			}
			rest = rest[2:]
		default:
			return statement{}, unknown("option", rest[0], []string{"from", "subnet", "do"})
		}
	}
	p.qtype = qtype
	return does(func(p *player) error { return p.ask(q) })
}

// client reads who asks.
func (q *Question) client(option, word string) error {
	var err error
	if option == "from" {
		if q.From, err = netip.ParseAddr(word); err != nil {
			return fmt.Errorf("%q is no address", word)
		}
		return nil
	}
	if q.Subnet, err = netip.ParsePrefix(word); err != nil {
		return fmt.Errorf("%q is no prefix", word)
	}
	if q.Subnet != q.Subnet.Masked() {
		return fmt.Errorf("%q has bits beyond its length, did you mean %q?", word, q.Subnet.Masked())
	}
	return nil
}

// queryType reads a type; ANY is one for questions.
func queryType(word string) (uint16, bool) {
	if strings.EqualFold(word, "ANY") {
		return dns.TypeANY, true
	}
	return config.ParseType(word)
}

// number makes an expectation of one whole number.
func number(expect func(*player, int) error) func(*parser, []string, line) (statement, error) {
	return func(_ *parser, args []string, _ line) (statement, error) {
		if len(args) != 1 {
			return statement{}, errors.New("expected one number")
		}
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 {
			return statement{}, fmt.Errorf("%q is no whole number", args[0])
		}
		return does(func(p *player) error { return expect(p, n) })
	}
}

// bare makes an expectation without arguments.
func bare(expect func(*player) error) func(*parser, []string, line) (statement, error) {
	return func(_ *parser, args []string, _ line) (statement, error) {
		if len(args) > 0 {
			return statement{}, fmt.Errorf("%q is too much", strings.Join(args, " "))
		}
		return does(expect)
	}
}

func parseAnswer(p *parser, args []string, _ line) (statement, error) {
	if len(args) == 0 {
		return statement{}, errors.New("expected a value")
	}
	if err := p.judgeValues(args); err != nil {
		return statement{}, err
	}
	return does(func(p *player) error { return p.expectSets([][]string{args}) })
}

func parseOneOf(p *parser, args []string, _ line) (statement, error) {
	if len(args) == 0 {
		return statement{}, errors.New("expected a set of values")
	}
	sets := make([][]string, len(args))
	for i, set := range args {
		sets[i] = strings.Split(set, "+")
		if err := p.judgeValues(sets[i]); err != nil {
			return statement{}, err
		}
	}
	return does(func(p *player) error { return p.expectSets(sets) })
}

func parseShare(p *parser, args []string, _ line) (statement, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return statement{}, errors.New("expected sets of values, each with its part")
	}
	var sets [][]string
	var parts []*big.Rat
	sum := new(big.Rat)
	for i := 0; i < len(args); i += 2 {
		set := strings.Split(args[i], "+")
		if err := p.judgeValues(set); err != nil {
			return statement{}, err
		}
		part, ok := new(big.Rat).SetString(args[i+1])
		if !ok || strings.Trim(args[i+1], "0123456789/") != "" { // exact fractions only
			return statement{}, fmt.Errorf("%q is no part", args[i+1])
		}
		sets, parts = append(sets, set), append(parts, part)
		sum.Add(sum, part)
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return statement{}, fmt.Errorf("the parts sum to %s and not to 1", sum.RatString())
	}
	return does(func(p *player) error { return p.expectShares(sets, parts) })
}

func parseRcode(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one code")
	}
	code, ok := dns.StringToRcode[strings.ToUpper(args[0])]
	if !ok {
		return statement{}, unknown("code", args[0], []string{"noerror", "nxdomain", "servfail", "refused", "formerr"})
	}
	return does(func(p *player) error { return expectRcode(p, code) })
}

func parseTTL(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one duration")
	}
	d, err := duration(args[0])
	if err != nil {
		return statement{}, err
	}
	if d%time.Second != 0 {
		return statement{}, fmt.Errorf("%q is no whole number of seconds", args[0])
	}
	return does(func(p *player) error { return expectTTL(p, uint32(d.Seconds())) })
}

func parseSOA(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one zone")
	}
	return does(func(p *player) error { return expectSOA(p, args[0]) })
}

func parseState(_ *parser, args []string, _ line) (statement, error) {
	states := []string{"checking", "healthy", "unhealthy", "unmonitored", "stopped", "enabled", "disabled", "draining", "unused", "always"}
	return worldWord(args, "state", states, func(p *player, object, word string) error {
		got, err := p.world.RecordState(object)
		if err != nil {
			return err
		}
		if !slices.Contains(got, word) {
			return failf("expected %s to be %s, got %s", object, word, strings.Join(got, " and "))
		}
		return nil
	})
}

func parseGroup(_ *parser, args []string, _ line) (statement, error) {
	states := []string{"online", "degraded", "checking", "inactive", "disabled"}
	return worldWord(args, "group state", states, func(p *player, object, word string) error {
		got, err := p.world.GroupState(object)
		if err != nil {
			return err
		}
		if got != word {
			return failf("expected group %s to be %s, got %s", object, word, got)
		}
		return nil
	})
}

// worldWord makes an expectation of an object and one word of a list.
func worldWord(args []string, what string, list []string, expect func(p *player, object, word string) error) (statement, error) {
	if len(args) != 2 {
		return statement{}, errors.New("expected an object and one word")
	}
	word := strings.ToLower(args[1])
	if !slices.Contains(list, word) {
		return statement{}, unknown(what, args[1], list)
	}
	return does(func(p *player) error { return expect(p, args[0], word) })
}

func parseAttempts(_ *parser, args []string, _ line) (statement, error) {
	return counted(args, "attempts", func(p *player, object string) (int, error) { return p.world.Attempts(object), nil })
}

func parseTransitions(_ *parser, args []string, _ line) (statement, error) {
	return counted(args, "transitions", func(p *player, object string) (int, error) { return p.world.Transitions(object) })
}

// counted makes an expectation of an object and a number.
func counted(args []string, what string, count func(p *player, object string) (int, error)) (statement, error) {
	if len(args) != 2 {
		return statement{}, errors.New("expected an object and a number")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 0 {
		return statement{}, fmt.Errorf("%q is no whole number", args[1])
	}
	return does(func(p *player) error {
		got, err := count(p, args[0])
		if err != nil {
			return err
		}
		if got != n {
			return failf("expected %d %s of %s, got %d", n, what, args[0], got)
		}
		return nil
	})
}

func parseConfigError(p *parser, args []string, l line) (statement, error) {
	if len(args) == 0 {
		return statement{}, errors.New("expected a text")
	}
	p.script.configErrors = append(p.script.configErrors, expectedProblem{p.position(l.number), l.text})
	return statement{}, nil
}

func parseConfigWarning(p *parser, args []string, l line) (statement, error) {
	if len(args) == 0 {
		return statement{}, errors.New("expected a text")
	}
	p.script.configWarnings = append(p.script.configWarnings, expectedProblem{p.position(l.number), l.text})
	return statement{}, nil
}
