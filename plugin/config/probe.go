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
	ProbeTLS   ProbeType = "tls"
	ProbePing  ProbeType = "ping" // ICMP echo
	ProbeUDP   ProbeType = "udp"
	ProbeDNS   ProbeType = "dns"
	ProbeGRPC  ProbeType = "grpc" // the standard health service
	ProbeExec  ProbeType = "exec" // a program's exit status

	// Greetings of well-known services: tcp probes that say what a client says first, and know what a server that works answers.
	ProbePostgres ProbeType = "postgres"
	ProbeMySQL    ProbeType = "mysql"
	ProbeRedis    ProbeType = "redis"
	ProbeSMTP     ProbeType = "smtp"
	ProbeIMAP     ProbeType = "imap"
	ProbeLDAP     ProbeType = "ldap"

	ProbePrometheus ProbeType = "prometheus" // an instant query
	ProbePush       ProbeType = "push"       // makes no attempts: somebody tells
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
	Port   uint16 // 0 while a probe that needs one still lacks it, and where the type has none or, for exec, nobody asks for one

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

	Source        string // address that attempts come from; "" leaves it to the system
	Resolver      string // ADDRESS or ADDRESS:PORT of the server that names are asked of; "" is the system's
	ProxyProtocol bool   // a PROXY protocol v2 header comes first

	HTTP       HTTP       // http and https only
	TLS        TLS        // https, tls and grpc only
	Exchange   Exchange   // tcp, tls and udp only
	DNS        DNS        // dns only
	GRPC       GRPC       // grpc only
	Command    []string   // exec only: the program and its arguments
	Prometheus Prometheus // prometheus only
	Push       Push       // push only
	Children   Children   // calculated only

	Places Places
}

// FirstPassAdmits reports whether the first pass is a verdict whatever `rise` says (spec, section 0). It is so for traffic_manager
// although a target is included before it.
func (p *Probe) FirstPassAdmits() bool {
	return p.Initial != InitialIncluded || p.Preset == PresetTrafficManager
}

// IsAttempted reports whether checks of the probe make attempts: neither `assume` nor others' health decides instead.
func (p *Probe) IsAttempted() bool { return p.Assume == "" && p.Type.MakesAttempts() }

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
	// Expires fails an attempt when the certificate is valid for less than this; 0 does not look.
	Expires time.Duration
}

// Exchange is what a tcp probe says after connecting, and what it wants to hear.
type Exchange struct {
	Send        string // bytes to send; "" sends nothing
	ExpectReply string // regular expression that the first 5120 bytes of the reply must match; "" reads nothing
}

// DNS is what a dns probe asks, and what it wants to hear.
type DNS struct {
	Name   string // absolute
	Type   uint16
	Answer string // data of a record that must be in the answer, in zone file form; "" asks for none
	Rcode  int    // that the reply must have
	TCP    bool   // asked over TCP; a truncated reply over UDP is asked for again over TCP anyway
}

// GRPC is what a grpc probe asks.
type GRPC struct {
	Service string // "" is the server as a whole
	TLS     bool   // instead of plaintext
}

// Prometheus is what a prometheus probe asks, and what counts as healthy.
type Prometheus struct {
	URL     string // of the server, without /api/v1/query
	Query   string // PromQL, of one number or several series that all must be healthy
	Compare string // ==, !=, <, <=, > or >=
	Number  float64
	Missing Missing
	Token   string // file of a bearer token; "" sends none
}

// Push is how long what somebody told holds.
type Push struct {
	MaxAge  time.Duration
	Missing Missing
}

// Missing is what counts while there is no data (spec 2.8).
type Missing string

// The values of `missing`.
const (
	MissingHealthy   Missing = "healthy"
	MissingUnhealthy Missing = "unhealthy"
	MissingLast      Missing = "last" // what was known last; healthy if nothing was
)
