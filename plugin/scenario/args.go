package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// args reads what stands behind the first word of a line, token by token. After the first problem of the line it reports no more
// and gives zero values.
type args struct {
	*parser
	name  string // the first word
	usage string
	left  []token
	tried []string // optional words that could have stood where the line went on
	stop  bool
}

func (a *args) fail(message, expected, nearest string) {
	if !a.stop {
		a.report(message, expected, nearest)
	}
	a.stop = true
}

// token takes the next token; nil if there is none.
func (a *args) token() token {
	if len(a.left) == 0 {
		a.fail(fmt.Sprintf("%q ends too early", a.name), a.usage, "")
	}
	if a.stop {
		return nil
	}
	t := a.left[0]
	a.left, a.tried = a.left[1:], nil
	return t
}

// text takes the next token as it is.
func (a *args) text() string {
	t := a.token()
	if t != nil && t.text() == "" {
		a.fail(fmt.Sprintf("an empty word in %q", a.name), a.usage, "")
	}
	return t.text()
}

// more reports whether there are tokens left.
func (a *args) more() bool { return !a.stop && len(a.left) > 0 }

// optional takes the word if it comes next.
func (a *args) optional(word string) bool {
	if !a.more() {
		return false
	}
	if !a.left[0].is(word) {
		a.tried = append(a.tried, word)
		return false
	}
	a.left, a.tried = a.left[1:], nil
	return true
}

// keyword takes a word that must come next.
func (a *args) keyword(word string) {
	if a.optional(word) || a.stop {
		return
	}
	if len(a.left) == 0 {
		a.token()
		return
	}
	a.end()
}

// end reports what is left over.
func (a *args) end() {
	if a.more() {
		word := a.left[0].text()
		a.fail(fmt.Sprintf("unexpected %q in %q", word, a.name), a.usage, config.Nearest(word, a.tried))
	}
}

// choice takes one of the words.
func (a *args) choice(words ...string) string {
	t := a.token()
	if t == nil {
		return ""
	}
	word := strings.ToLower(t.text())
	if !slices.Contains(words, word) {
		a.fail(fmt.Sprintf("%q of %q is unknown", t.text(), a.name), config.OneOf(words), config.Nearest(word, words))
	}
	return word
}

// duration takes a length of time.
func (a *args) duration() time.Duration {
	text := a.text()
	if a.stop || text == "0" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		nearest := ""
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			nearest = text + "s"
		}
		a.fail(fmt.Sprintf("%q of %q is not a duration", text, a.name), "a number with its unit, as in 500ms, 30s or 1h30m", nearest)
	}
	if d < 0 {
		a.fail(fmt.Sprintf("%q of %q is below 0", text, a.name), "a duration from 0", "")
	}
	return d
}

// longer takes a length of time above 0.
func (a *args) longer() time.Duration {
	d := a.duration()
	if d == 0 {
		a.fail(fmt.Sprintf("a duration of 0 in %q", a.name), "a duration above 0", "")
	}
	return d
}

// number takes a whole number from low to high.
func (a *args) number(low, high int) int {
	text := a.text()
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high || text[0] == '+' {
		a.fail(fmt.Sprintf("%q of %q is out of range", text, a.name), fmt.Sprintf("a whole number from %d to %d", low, high), "")
	}
	return n
}

// address takes an IP address.
func (a *args) address() netip.Addr {
	text := a.text()
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" {
		a.fail(fmt.Sprintf("%q of %q is not an IP address", text, a.name), "an address such as 192.0.2.1 or 2001:db8::1", "")
	}
	return addr.Unmap()
}

// prefix takes an address prefix.
func (a *args) prefix() netip.Prefix {
	text := a.text()
	p, err := netip.ParsePrefix(text)
	if err != nil {
		a.fail(fmt.Sprintf("%q of %q is not an address prefix", text, a.name), "a prefix such as 198.51.100.0/24", "")
		return p
	}
	if p != p.Masked() {
		a.fail(fmt.Sprintf("%q of %q has bits beyond its length", text, a.name), "a prefix such as 198.51.100.0/24", p.Masked().String())
	}
	return p
}

// pair takes two parts with the separator between them.
func (a *args) pair(separator, form string) (before, after string) {
	text := a.text()
	before, after, _ = strings.Cut(text, separator)
	if before == "" || after == "" {
		a.fail(fmt.Sprintf("%q of %q is not complete", text, a.name), form, "")
	}
	return before, after
}
