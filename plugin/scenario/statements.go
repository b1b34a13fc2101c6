package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// word is a word that may begin a line: its form, and how the words behind it become a statement. An error that begins with "expected" says
// what is missing; another one says what is wrong.
type word struct {
	kind  kind
	form  string
	parse func(p *parser, args []string, l line) (statement, error)
}

// wordOf finds the word that begins a line.
func wordOf(name string) (word, bool) {
	w, ok := statementWords[name]
	if !ok {
		w, ok = expectationWords[name]
	}
	return w, ok
}

// statementWords are the words that move the clock or change the world.
var statementWords = map[string]word{
	"at":         {moves, "at 1m30s", parseAt},
	"every":      {repeats, "every 30s until 5m", parseEvery},
	"target":     {changes, "target ADDRESS[:PORT]|NAME up|refuse|hang|status N|cannot_tell [connect D] [after D]", parseTarget},
	"health":     {changes, "health PROBE@TARGET|GROUP/RECORD|POOL/TARGET healthy|unhealthy|checking|stopped|votes M/N", parseHealth},
	"admin":      {changes, "admin GROUP|GROUP/RECORD|POOL|POOL/TARGET|site NAME enabled|disabled|draining|always [for D]", parseAdmin},
	"reload":     {changes, "reload FILE", parseReload},
	"restart":    {changes, "restart", parseRestart},
	"observers":  {changes, "observers N", parseObservers},
	"offset":     {changes, "offset OBSERVER D", parseOffset},
	"resolve":    {changes, "resolve NAME ADDRESS...|nothing [ttl D]", parseResolve},
	"failback":   {changes, "failback GROUP", parseFailback},
	"shift":      {changes, "shift BALANCER SITE for D", parseShift},
	"register":   {changes, "register POOL/TARGET", parseRegister},
	"deregister": {changes, "deregister POOL/TARGET", parseDeregister},
	"push":       {changes, "push PROBE healthy|unhealthy", parsePush},
}

// does makes a statement of what it does.
func does(play func(*player) error) (statement, error) { return statement{play: play}, nil }

// duration reads Go's durations, and a bare 0.
func duration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no duration", word)
	}
	return d, nil
}

func parseAt(p *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one time")
	}
	t, err := duration(args[0])
	if err != nil {
		return statement{}, err
	}
	if t < p.now {
		return statement{}, fmt.Errorf("time goes back from %s to %s", p.now, t)
	}
	p.now = t
	return does(func(p *player) error {
		p.world.AdvanceTo(t)
		return nil
	})
}

func parseEvery(p *parser, args []string, _ line) (statement, error) {
	if len(args) != 3 || args[1] != "until" {
		return statement{}, errors.New("expected a period, `until` and a time")
	}
	period, err := duration(args[0])
	if err != nil {
		return statement{}, err
	}
	until, err := duration(args[2])
	if err != nil {
		return statement{}, err
	}
	if period <= 0 || until < p.now {
		return statement{}, fmt.Errorf("a period of %s until %s never comes after %s", period, until, p.now)
	}
	if (until-p.now)/period >= maxRepeats {
		return statement{}, fmt.Errorf("the lines below would be played more than %d times", maxRepeats)
	}
	p.now = until
	return statement{period: period, until: until}, nil
}

// maxRepeats bounds what a misspelt period can cost.
const maxRepeats = 1_000_000

func parseTarget(_ *parser, args []string, _ line) (statement, error) {
	if len(args) < 2 {
		return statement{}, errors.New("expected a target and what attempts on it meet")
	}
	b := Behaviour{Kind: BehaviourKind(strings.ToLower(args[1]))}
	kinds := []string{string(Up), string(Refuse), string(Hang), string(Status), string(CannotTell)}
	if !slices.Contains(kinds, string(b.Kind)) {
		return statement{}, unknown("behaviour", args[1], kinds)
	}
	rest := args[2:]
	if b.Kind == Status {
		if len(rest) == 0 {
			return statement{}, errors.New("expected a status code")
		}
		code, err := strconv.Atoi(rest[0])
		if err != nil || code < 100 || code > 599 {
			return statement{}, fmt.Errorf("%q is no status code", rest[0])
		}
		b.Status, rest = code, rest[1:]
	}
	for _, option := range []struct {
		word string
		to   *time.Duration
	}{{"connect", &b.Connect}, {"after", &b.After}} {
		if len(rest) < 2 || rest[0] != option.word {
			continue
		}
		var err error
		if *option.to, err = duration(rest[1]); err != nil {
			return statement{}, err
		}
		if b.Kind == Hang {
			return statement{}, fmt.Errorf("a target that hangs has no `%s`: the attempt ends at its timeout", option.word)
		}
		rest = rest[2:]
	}
	if len(rest) > 0 {
		return statement{}, fmt.Errorf("%q is too much", strings.Join(rest, " "))
	}
	return does(func(p *player) error { return p.world.SetTarget(args[0], b) })
}

func parseHealth(_ *parser, args []string, _ line) (statement, error) {
	if len(args) < 2 {
		return statement{}, errors.New("expected an object and its health")
	}
	word := strings.ToLower(args[1])
	if word == "votes" {
		return parseVotes(args)
	}
	if states := []string{"healthy", "unhealthy", "checking", "stopped"}; !slices.Contains(states, word) || len(args) > 2 {
		return statement{}, unknown("health", strings.Join(args[1:], " "), append(states, "votes"))
	}
	return does(func(p *player) error { return p.world.SetHealth(args[0], word) })
}

func parseAdmin(_ *parser, args []string, _ line) (statement, error) {
	if len(args) > 2 && args[0] == "site" {
		args = append([]string{"site " + args[1]}, args[2:]...)
	}
	if len(args) != 2 && (len(args) != 4 || args[2] != "for") {
		return statement{}, errors.New("expected an object and its admin state")
	}
	state := health.AdminState(strings.ToLower(args[1]))
	if states := health.AdminStates(); !slices.Contains(states, state) {
		names := make([]string, len(states))
		for i, s := range states {
			names[i] = string(s)
		}
		return statement{}, unknown("admin state", args[1], names)
	}
	lasts := time.Duration(0)
	if len(args) == 4 {
		var err error
		if lasts, err = duration(args[3]); err != nil {
			return statement{}, err
		}
	}
	return does(func(p *player) error { return p.world.Admin(args[0], string(state), lasts) })
}

func parseReload(p *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected a file of the archive")
	}
	if _, ok := p.script.Files[args[0]]; !ok {
		return statement{}, fmt.Errorf("the archive has no file %q", args[0])
	}
	return does(func(p *player) error {
		if errs := p.world.Reload(Source{Name: args[0], Files: p.script.Files}).Errors(); errs != nil {
			return fmt.Errorf("%s is refused: %w", args[0], errs)
		}
		return nil
	})
}

func parseRestart(_ *parser, args []string, _ line) (statement, error) {
	if len(args) > 0 {
		return statement{}, fmt.Errorf("%q is too much", strings.Join(args, " "))
	}
	return does(func(p *player) error {
		if errs := p.world.Restart().Errors(); errs != nil {
			return errs
		}
		return nil
	})
}

func parseFailback(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one group")
	}
	return does(func(p *player) error { return p.world.Failback(args[0]) })
}

// unknown is the error for a word that is not in a list.
func unknown(what, word string, list []string) error {
	text := fmt.Sprintf("unknown %s %q", what, word)
	if nearest := config.Nearest(word, list); nearest != "" {
		text += fmt.Sprintf(", did you mean %q?", nearest)
	}
	return errors.New(text)
}
