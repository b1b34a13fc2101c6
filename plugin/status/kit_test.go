package status

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// then is when everything in the fake backend happened.
var then = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// fake is a backend with one of everything. It counts what is written to it.
type fake struct {
	mu     sync.Mutex
	orders []Order // guarded by mu
	by     []By    // guarded by mu; of every write
	err    error   // what everything fails with
	block  bool    // everything takes until the context ends
}

func (f *fake) wait(ctx context.Context) error {
	if f.block {
		<-ctx.Done()
		return ctx.Err()
	}
	return f.err
}

// wrote notes a write.
func (f *fake) wrote(by By, o ...Order) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.by, f.orders = append(f.by, by), append(f.orders, o...)
}

func (f *fake) writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.by)
}

func fakeOverride() *Override {
	return &Override{Object: "www.example.org./192.0.2.1", State: "disabled", Reason: "power", Author: "alice", Since: then, Age: 60,
		Until: &then, Matches: []string{"www.example.org./192.0.2.1"}}
}

func fakeRecord(n int) Record {
	return Record{
		Group: "www.example.org.", Record: fmt.Sprintf("192.0.2.%d", n), Block: "example.org. #0", Values: []string{fmt.Sprintf("A 192.0.2.%d", n)},
		Alias: "app.example.org.", Site: "fra", Admin: "enabled", Override: fakeOverride(), Health: "healthy", Since: &then, Reason: "status 200",
		Shares: map[string]string{"A": "1/2"}, Checks: []CheckRef{{"0011", "web@192.0.2.1:80", "healthy"}},
	}
}

// Groups has 25 groups, so that there are pages.
func (f *fake) Groups(ctx context.Context, s Selection) (Page[Group], error) {
	var numbers []int
	for n := range 25 {
		if s.Name == "" || Names(s.Name, []string{fmt.Sprintf("g%02d.example.org.", n)}, "") {
			numbers = append(numbers, n)
		}
	}
	key := func(n int) string { return fmt.Sprintf("g%02d.example.org.", n) }
	return Cut(s, numbers, key, func(n int) Group {
		return Group{
			Group: key(n), Names: []string{key(n)}, Block: "example.org. #0", Policy: "weighted", State: "online", TTL: 30, LastResort: "all",
			Override: fakeOverride(), Types: []TypeState{{Type: "A", Usable: 2, Eligible: 2}}, Records: []Record{fakeRecord(1)},
		}
	}), f.wait(ctx)
}

func (f *fake) Records(ctx context.Context, s Selection) (Page[Record], error) {
	return Cut(s, []int{1, 2}, func(n int) string { return fmt.Sprint(n) }, fakeRecord), f.wait(ctx)
}

func (f *fake) Pools(ctx context.Context, s Selection) (Page[Pool], error) {
	target := Target{Target: "10.0.1.1:8080", Values: []string{"10.0.1.1"}, Port: 8080, Site: "a", Weight: 1, Found: "dns", Admin: "draining",
		Override: fakeOverride(), DrainingUntil: &then, Health: "healthy", Since: &then, Reason: "status 200", Shares: map[string]string{"A": "0"},
		Checks: []CheckRef{{"0011", "web@10.0.1.1:8080", "healthy"}}}
	pool := Pool{Pool: "app", Block: "example.org. #0", Zone: "example.org.", Admin: "enabled", Override: fakeOverride(), DNSFailover: "count 1",
		FailOpen: "count 1", Drain: 300, Balancers: []string{"shop"},
		Sources: []Source{{Source: "dns app.example.net. A", Fortune: "refused", Known: 1, Good: &then, Fault: "no answer"}},
		Sites:   []PoolSite{{Site: "a", Family: "ipv4", Registered: 1, Usable: 1, Answers: true}}, Targets: []Target{target}}
	return Cut(s, []Pool{pool}, func(p Pool) string { return p.Pool }, func(p Pool) Pool { return p }), f.wait(ctx)
}

func (f *fake) Balancers(ctx context.Context, s Selection) (Page[Balancer], error) {
	site := Site{Site: "a", Family: "ipv4", Addresses: []string{"203.0.113.1"}, Answers: true, Why: "enough works", Shifted: true, Override: fakeOverride(),
		Checks: []CheckRef{{"0011", "web@203.0.113.1:443", "healthy"}}, Pools: []SitePool{{Pool: "app", Registered: 2, Usable: 1}}}
	balancer := Balancer{Balancer: "shop", Block: "example.org. #0", Zone: "example.org.", Declared: true, Pools: []string{"app"}, Affinity: "any",
		Shift: fakeOverride(), Families: []BalancerFamily{{"ipv4", false, "pool app has no target"}}, Sites: []Site{site}}
	return Cut(s, []Balancer{balancer}, func(b Balancer) string { return b.Balancer }, func(b Balancer) Balancer { return b }), f.wait(ctx)
}

func (f *fake) Checks(ctx context.Context, s Selection) (Page[Check], error) {
	check := Check{
		ID: "0011", Check: "web@192.0.2.1:80", Probe: "web", Type: "http", Target: "192.0.2.1:80", Host: "www.example.org", SNI: "www.example.org",
		Health: "healthy", Usable: true, Since: then, Passes: 3, Next: &then, Expires: &then,
		Last: []Attempt{{At: then, Outcome: "cannot_tell", Reason: "no route", Cause: "no_route", Duration: 0.1, Steps: map[string]float64{"connect": 0.1}}},
	}
	return Cut(s, []Check{check}, func(c Check) string { return c.Check }, func(c Check) Check { return c }), f.wait(ctx)
}

func (f *fake) Explain(ctx context.Context, q Question) (Explanation, error) {
	scope := 24
	inner := answer.Reason{Group: "app.example.org.", Policy: "simple", Records: []answer.CandidateReason{}}
	return Explanation{Block: "example.org. #0", Explanation: answer.Explanation{
		Name: q.Name, Type: "A", Zone: "example.org.", Entry: q.Name, Found: "exact name", Reason: "the only record", Rcode: "NOERROR",
		Answer: []string{"192.0.2.1"}, TTL: 30, Scope: &scope,
		Groups: []answer.Reason{{Group: "www.example.org.", Policy: "weighted", LastResort: "all", Step: "drawn", Records: []answer.CandidateReason{{
			Record: "192.0.2.1", Alias: "app.example.org.", Site: "fra", Admin: "enabled", Health: "healthy", Share: "1", Why: "usable", Behind: &inner,
			Checks: []answer.CheckReason{{Check: "web@192.0.2.1:80", Health: "healthy", Since: then, LastAttempt: "pass", At: then}},
		}}}},
	}}, f.wait(ctx)
}

func (f *fake) Configuration(ctx context.Context) ([]Stanza, error) {
	return []Stanza{{Block: "example.org. #0", File: "Corefile", Line: 2, Zones: []string{"example.org."}, Corefile: "healthroute {\n}\n"}}, f.wait(ctx)
}

func (f *fake) State(ctx context.Context) (State, error) {
	age := 60.0
	return State{Version: "1", Host: "ns1", Started: then, Now: then, Reloaded: then, Blocks: []string{"example.org. #0"},
		Checks: map[string]int{"healthy": 1}, Canaries: []string{},
		File: &StateFile{"/var/lib/healthroute/state", &then, "it is empty", &then, &age, 1024, &then, "no space left on device"},
	}, f.wait(ctx)
}

func (f *fake) Overrides(ctx context.Context) ([]Override, error) {
	return []Override{*fakeOverride()}, f.wait(ctx)
}

func (f *fake) Say(ctx context.Context, o Order, by By) (Said, error) {
	if err := f.wait(ctx); err != nil {
		return Said{}, err
	}
	f.wrote(by, o)
	return Said{Changed: []Change{{"www.example.org./192.0.2.1", "", o.State, &then, "because"}},
		Emptied: []Remainder{{"www.example.org.", "A", "all", []string{"192.0.2.2"}}}}, nil
}

func (f *fake) Failback(ctx context.Context, _ FailbackOrder, by By) (FailedBack, error) {
	f.wrote(by)
	return FailedBack{[]FailedBackGroup{{"www.example.org.", true}}}, f.wait(ctx)
}

func (f *fake) Push(ctx context.Context, _ Pushed, by By) (Reached, error) {
	f.wrote(by)
	return Reached{[]CheckRef{{"0022", "release@push", "healthy"}}}, f.wait(ctx)
}

func (f *fake) Attempt(ctx context.Context, _ AttemptOrder, by By) (Reached, error) {
	f.wrote(by)
	return Reached{[]CheckRef{{"0011", "web@192.0.2.1:80", "healthy"}}}, f.wait(ctx)
}

// journal is a log that tests read.
type journal struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

func (j *journal) line(level, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(&j.text, level+" "+format+"\n", args...)
}

func (j *journal) Infof(format string, args ...any)    { j.line("INFO", format, args...) }
func (j *journal) Warningf(format string, args ...any) { j.line("WARNING", format, args...) }
func (j *journal) Errorf(format string, args ...any)   { j.line("ERROR", format, args...) }
func (j *journal) Debugf(format string, args ...any)   { j.line("DEBUG", format, args...) }

// String is what has been written.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// bench is a handler with what it works on.
type bench struct {
	*Handler
	backend *fake
	log     *journal
}

func newBench(t testing.TB, c *config.Status) *bench {
	t.Helper()
	b := &bench{backend: &fake{}, log: &journal{}}
	b.Handler = NewHandler(c, b.options())
	return b
}

func (b *bench) options() Options {
	return Options{Backend: b.backend, Events: NewEvents(100), Log: b.log, Connections: 100}
}

// local is the configuration of a loopback address.
func local() *config.Status { return &config.Status{Address: "127.0.0.1:0"} }

// secret is the token of the tests.
const secret = "correct horse battery staple"

// withToken is a configuration that wants a token.
func withToken(t testing.TB, reads bool) *config.Status {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &config.Status{Address: "127.0.0.1:0", Token: name, Reads: reads}
}

// bodies are what each route that writes takes.
var bodies = map[string]string{
	"admin":    `{"objects":["www/192.0.2.1"],"state":"disabled","for":"30m","reason":"power","author":"alice"}`,
	"failback": `{"groups":["www"]}`,
	"push":     `{"probe":"release","health":"healthy"}`,
	"attempts": `{"checks":["web@192.0.2.1:80"]}`,
}

// queries are what some routes that read need.
var queries = map[string]string{"explain": "?name=www.example.org&type=A"}

// ask makes a good request for a route; edit may spoil it.
func (r route) ask(edit ...func(*http.Request)) *http.Request {
	req := httptest.NewRequest(r.method, "http://127.0.0.1:8053"+base+r.path+queries[r.path], nil)
	if r.method == http.MethodPost {
		req = httptest.NewRequest(r.method, req.URL.String(), strings.NewReader(bodies[r.path]))
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	return req
}

// answer is what came back.
func (b *bench) answer(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// expectProblem wants a reply with the code and a Problem whose text has the words.
func expectProblem(t *testing.T, w *httptest.ResponseRecorder, code int, words string) {
	t.Helper()
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != code || !strings.Contains(p.Error(), words) {
		t.Errorf("Expected %d with %q, got %d %s", code, words, w.Code, w.Body)
	}
}

func authorized(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func hosted(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// finite are the routes whose answer has an end.
func finite() []route {
	var out []route
	for _, r := range routes {
		if !r.listen {
			out = append(out, r)
		}
	}
	return out
}
