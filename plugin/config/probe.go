package config

import (
	"fmt"
	"time"
)

// ProbeType is how a probe tests.
type ProbeType string

// The probe types.
const (
	ProbeHTTP  ProbeType = "http"
	ProbeHTTPS ProbeType = "https"
	ProbeTCP   ProbeType = "tcp"
	// ProbeCalculated makes no attempts: its health is counted from that of others (spec 2.7).
	ProbeCalculated ProbeType = "calculated"
)

// IsHTTP reports whether the type sends an HTTP request.
func (t ProbeType) IsHTTP() bool { return t == ProbeHTTP || t == ProbeHTTPS }

// Probe is a named definition of a test: what to send, how often, and what counts. Defaults are filled in.
type Probe struct {
	Name   string // unique in its stanza
	Type   ProbeType
	Preset Preset // "" is none
	Target string // host name (absolute or not, as written) or literal address; "" tests each record's own addresses
	Port   uint16 // 0 only while a tcp probe still lacks it

	Interval        time.Duration // between starts, 1 s to 1 h
	FromEnd         bool          // counted from the end of the previous attempt instead
	Timeout         time.Duration // whole attempt, 100 ms to 120 s; with the two below, their sum
	ConnectTimeout  time.Duration // http, https: until connected; 0 unless ResponseTimeout is set
	ResponseTimeout time.Duration // http, https: from connected to the end of what is read; 0 unless ConnectTimeout is set

	Fall    int     // consecutive failures until unhealthy, 1 to 10
	Rise    int     // consecutive passes until healthy again, 1 to 10
	Initial Initial // standing before the first verdict
	Invert  bool    // healthy means unhealthy and the other way round, before the first verdict too
	Assume  Assume  // not "": no attempts, this is the raw status
	Quorum  Quorum  // of the observers; the zero value is 50 %

	HTTP     HTTP     // http and https only
	TLS      TLS      // https only
	Exchange Exchange // tcp only
	Children Children // calculated only

	Places Places
}

// Quorum is which part of the observers must say healthy (spec 2.6).
type Quorum struct {
	Percent int  // 1 to 100; 0 stands for 50
	More    bool // more than so many, instead of at least
}

// Children are what a calculated probe counts.
type Children struct {
	Probes  []string    // names of probes of the stanza that have a target of their own
	Records []RecordRef // records of groups of the stanza
	// Healthy of them are needed: a number, or percent of them, rounded up. 0 is always healthy, more than there are never.
	Healthy int
	Percent bool
}

// RecordRef names a record of a group.
type RecordRef struct {
	Group  []string // the group's names, one for each zone of the stanza
	Record string   // id
}

// Initial is how a check counts before its first verdict (spec 2.5).
type Initial string

// The values of `initial`.
const (
	InitialFirst    Initial = "first"    // included; the first completed attempt is the verdict
	InitialIncluded Initial = "included" // included; fall and rise decide
	InitialExcluded Initial = "excluded" // not included; the first pass admits
)

// Assume fixes the raw status of a check without attempts.
type Assume string

// The values of `assume`; the empty one means that attempts decide.
const (
	AssumeHealthy   Assume = "healthy"
	AssumeUnhealthy Assume = "unhealthy"
)

// HTTP is what an http or https probe sends and what it accepts.
type HTTP struct {
	Method    string
	Path      string // begins with a slash; may hold a query
	Host      string // "" takes the target's name, else the group's first name, else the address
	Headers   []Header
	UserAgent string      // "" takes the product's own
	Expect    []CodeRange // accepted status codes, 1 to 8 ranges
	Body      string      // text that must be in the first 5120 bytes; at most 255 bytes; "" if not asked for
	BodyMatch string      // the same as a regular expression
	Redirects Redirects
}

// Header is one request header. Names compare without regard to case.
type Header struct{ Name, Value string }

// CodeRange is a range of HTTP status codes, both ends included.
type CodeRange struct{ From, To int }

func (r CodeRange) String() string {
	if r.From == r.To {
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// Redirects is what an http or https probe does with a redirect.
type Redirects string

// The values of `redirects`.
const (
	RedirectsJudge  Redirects = "judge"  // a redirect is judged by its code
	RedirectsFollow Redirects = "follow" // it is followed, and the last reply is judged
)

// TLS is how an https probe talks TLS.
type TLS struct {
	SNI    string // "" takes Host, by the same rule as HTTP.Host
	Verify bool   // the certificate must be valid for the SNI name
	CA     string // file of PEM certificates that replace the system's roots; "" keeps them
	Cert   string // file of the client certificate; "" sends none
	Key    string // file of its key
}

// Exchange is what a tcp probe says after connecting, and what it wants to hear.
type Exchange struct {
	Send        string // bytes to send; "" sends nothing
	ExpectReply string // regular expression that the first 5120 bytes of the reply must match; "" reads nothing
}

// DefaultProbe returns a probe of the type with every default of preset none filled in (spec, section 0).
// The timeout still has to be fitted to a short interval with DefaultTimeout.
func DefaultProbe(name string, t ProbeType) *Probe {
	p := &Probe{
		Name: name, Type: t,
		Interval: 10 * time.Second, Timeout: 5 * time.Second,
		Fall: 3, Rise: 2, Initial: InitialFirst,
	}
	switch t {
	case ProbeHTTP:
		p.Port = 80
	case ProbeHTTPS:
		p.Port = 443
		p.TLS.Verify = true
	}
	if t.IsHTTP() {
		p.HTTP = HTTP{
			Method: "GET", Path: "/",
			Expect:    []CodeRange{{From: 200, To: 399}},
			Redirects: RedirectsJudge,
		}
	}
	return p
}

// DefaultTimeout is the timeout of a probe that names none: 5 s, but at least a second below the interval,
// and half of an interval that leaves no two seconds (spec 2.3).
func DefaultTimeout(interval time.Duration) time.Duration {
	t := min(5*time.Second, interval-time.Second)
	if t < 2*time.Second {
		return min(5*time.Second, interval/2)
	}
	return t
}
