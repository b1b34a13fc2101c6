package probe

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// queries is a prometheus probe; the URL's host only names the server, the target says where it is.
func queries(expression string, change ...func(*config.Prometheus)) func(*config.Probe) {
	return func(p *config.Probe) {
		p.Prometheus = config.Prometheus{URL: "http://prometheus.example:9090/below", Query: expression, Compare: ">=", Number: 1, Missing: config.MissingLast}
		for _, do := range change {
			do(&p.Prometheus)
		}
	}
}

func missing(m config.Missing) func(*config.Prometheus) {
	return func(q *config.Prometheus) { q.Missing = m }
}

func compares(operator string, number float64) func(*config.Prometheus) {
	return func(q *config.Prometheus) { q.Compare, q.Number = operator, number }
}

// vector is an answer with series of a label each, `a=1,b=NaN`.
func vector(series string) string {
	var all []string
	for part := range strings.SplitSeq(series, ",") {
		if label, value, ok := strings.Cut(part, "="); ok {
			all = append(all, `{"metric":{"__name__":"up","instance":"`+label+`"},"value":[1435781451.781,"`+value+`"]}`)
		}
	}
	return success("vector", "["+strings.Join(all, ",")+"]")
}

func success(kind, result string) string {
	return `{"status":"success","data":{"resultType":"` + kind + `","result":` + result + `},"warnings":["w"]}`
}

func TestPrometheus(t *testing.T) {
	healthy, unhealthy := missing(config.MissingHealthy), missing(config.MissingUnhealthy)
	refused := "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n"
	tests := []struct {
		name    string
		probe   func(*config.Probe)
		reply   string
		outcome Outcome
		reason  string
	}{
		{"one series", queries("up"), reply("", vector("a=1")), Pass, ""},
		{"scalar", queries("scalar(up)"), reply("", success("scalar", `[1435781451.781,"1"]`)), Pass, ""},
		{"scalar below", queries("scalar(up)"), reply("", success("scalar", `[1435781451,"0.5"]`)), Fail, "the result is 0.5, expected >= 1"},
		{"infinite", queries("up"), reply("", vector("a=+Inf")), Pass, ""},
		{"all of several", queries("up"), reply("", vector("a=1,b=2,c=3e5")), Pass, ""},
		{"one below", queries("up"), reply("", vector("a=0")), Fail, `up{instance="a"} is 0, expected >= 1`},
		{"one of several below", queries("up"), reply("", vector("a=1,b=0,c=1,d=-1")), Fail, `up{instance="b"} is 0, expected >= 1 (2 of 4 series)`},
		{"one below, one NaN", queries("up"), reply("", vector("a=NaN,b=0")), Fail, `up{instance="b"} is 0, expected >= 1 (1 of 2 series)`},
		{"==", queries("up", compares("==", 0.5)), reply("", vector("a=0.5")), Pass, ""},
		{"!=", queries("up", compares("!=", 0.5)), reply("", vector("a=0.5")), Fail, `up{instance="a"} is 0.5, expected != 0.5`},
		{"<", queries("up", compares("<", 2)), reply("", vector("a=2")), Fail, `up{instance="a"} is 2, expected < 2`},
		{"<=", queries("up", compares("<=", 2)), reply("", vector("a=2")), Pass, ""},
		{">", queries("up", compares(">", 1e9)), reply("", vector("a=1e9")), Fail, `up{instance="a"} is 1e+09, expected > 1e+09`},
		{"nothing, last", queries("up"), reply("", vector("")), CannotTell, "no data: the query has no result"},
		{"nothing, healthy", queries("up", healthy), reply("", vector("")), Pass, ""},
		{"nothing, unhealthy", queries("up", unhealthy), reply("", vector("")), Fail, "no data: the query has no result"},
		{"NaN, last", queries("up"), reply("", vector("a=NaN")), CannotTell, "no data: 1 of 1 results are NaN"},
		{"NaN, unhealthy", queries("up", unhealthy), reply("", success("scalar", `[1,"NaN"]`)), Fail, "no data: 1 of 1 results are NaN"},
		{"one of several NaN", queries("up", unhealthy), reply("", vector("a=1,b=NaN")), Fail, "no data: 1 of 2 results are NaN"},

		{"bad query", queries("up{", unhealthy), refused + `{"status":"error","errorType":"bad_data","error":"1:4: parse error"}`, CannotTell, "Prometheus: bad_data: 1:4: parse error"},
		{"error of many lines", queries("up", unhealthy), refused + `{"status":"error","errorType":"execution","error":"a\nb"}`, CannotTell, "Prometheus: execution: a.b"},
		{"not the API", queries("up", unhealthy), "HTTP/1.1 502 Bad Gateway\r\n\r\n<html>", CannotTell, "Prometheus: status 502"},
		{"page", queries("up", unhealthy), reply("", "<html>"), CannotTell, `Prometheus: not an answer of the API: "<html>"`},
		{"other JSON", queries("up", unhealthy), reply("", "{}"), CannotTell, `Prometheus: not an answer of the API: "{}"`},
		{"matrix", queries("up[5m]", unhealthy), reply("", success("matrix", "[]")), CannotTell, `Prometheus: the query gives a "matrix", expected a number or an instant vector`},
		{"string", queries(`"a"`, unhealthy), reply("", success("string", `[1,"a"]`)), CannotTell, `Prometheus: the query gives a "string", expected a number or an instant vector`},
		{"histogram", queries("h", unhealthy), reply("", success("vector", `[{"metric":{},"histogram":[1,{}]}]`)), CannotTell, "Prometheus: {} is a histogram, expected a number"},
		{"no number", queries("up", unhealthy), reply("", vector("a=many")), CannotTell, `Prometheus: up{instance="a"}: "many" is no number`},
		{"odd vector", queries("up", unhealthy), reply("", success("vector", `7`)), CannotTell, "Prometheus: the vector cannot be read"},
		{"redirect", queries("up", unhealthy), "HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n", CannotTell, "Prometheus: status 302"},
		{"ends early", queries("up", unhealthy), "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", CannotTell, "Prometheus: body ends early"},
		{"chunked", queries("up"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(vector("a=1")) + "0\r\n\r\n", Pass, ""},
		{"too much", queries("up", unhealthy), reply("", strings.Repeat(" ", maxAnswer+1)), CannotTell, "Prometheus: the answer exceeds 1048576 bytes: aggregate the series"},
		{"another protocol", queries("up", unhealthy), "SSH-2.0\r\n", CannotTell, `Prometheus: not an HTTP reply: "SSH-2.0"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prober := proberOf(t, config.ProbePrometheus, test.probe)
			expect(t, attempt(t, prober, at(serve(t, says(test.reply))), patience), test.outcome, test.reason)
		})
	}
}

func chunk(text string) string { return "000" + hexadecimal(len(text)) + "\r\n" + text + "\r\n" }

func hexadecimal(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return digits[n : n+1]
	}
	return hexadecimal(n/16) + digits[n%16:n%16+1]
}

// A Prometheus that does not answer is no verdict on what it watches, whatever `missing` says.
func TestPrometheusMisbehaviour(t *testing.T) {
	prober := proberOf(t, config.ProbePrometheus, queries("up", missing(config.MissingUnhealthy)))
	head := "HTTP/1.1 200 OK\r\n\r\n"
	tests := []struct {
		name   string
		do     behaviour
		within bool // its timeout
		reason string
	}{
		{"silent", silent, true, "timed out after connecting, waiting for the status line"},
		{"closes", reads, false, "connection closed after connecting, waiting for the status line"},
		{"resets", then(reads, resets), false, "connection reset after connecting, waiting for the status line"},
		{"drips", then(says(head+"{"), silent), true, "timed out while reading the body"},
		{"endless headers", then(says("HTTP/1.1 200 OK\r\n"), repeats("X: y\r\n")), false, "status line and headers exceed 16384 bytes"},
		{"endless body", then(says(head), repeats(strings.Repeat("{", 4096))), false, "the answer exceeds 1048576 bytes: aggregate the series"},
		{"endless interim replies", repeats("HTTP/1.1 100 Continue\r\n\r\n"), false, "more than 10 interim replies (1xx)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			deadline := patience
			if test.within {
				deadline = briefly
			}
			expect(t, attempt(t, prober, at(serve(t, test.do)), deadline), CannotTell, "Prometheus: "+test.reason)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	mute := serve(t, then(reads, func(conn net.Conn) { cancel(); silent(conn) }))
	expect(t, prober.Attempt(ctx, at(mute)), CannotTell, "attempt abandoned")
}

// The request is the API's: path below the URL's, the expression encoded, the token in its header and read anew each time.
func TestPrometheusRequest(t *testing.T) {
	token := file(t, "token", []byte("secret-1\n"))
	heard := make(chan *http.Request, 1)
	server := serve(t, replies(func(r *http.Request) string { heard <- r; return reply("", vector("a=1")) }))
	prober := proberOf(t, config.ProbePrometheus, queries(`sum(up{job="a b"}) & 1`, func(q *config.Prometheus) { q.Token = token }))
	for _, secret := range []string{"secret-1", "secret-2"} {
		if err := os.WriteFile(token, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, attempt(t, prober, at(server), patience), Pass, "")
		r := <-heard
		if r.URL.Path != "/below/api/v1/query" || r.URL.Query().Get("query") != `sum(up{job="a b"}) & 1` || r.Host != "prometheus.example:9090" {
			t.Errorf("Expected the query below /below at prometheus.example:9090, got %s at %s", r.URL, r.Host)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("Expected the token %s, got %q", secret, got)
		}
	}
	if err := os.WriteFile(token, []byte("two\nlines"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, attempt(t, prober, at(server), patience), CannotTell, "Prometheus: token: ...")
}

func TestPrometheusOverTLS(t *testing.T) {
	own := certificate(t, issued{names: []string{"prometheus.example"}})
	server := at(serve(t, overTLS(t, own, says(reply("", vector("a=1"))))))
	server.Name = "prometheus.example"
	secure := func(p *config.Probe) { p.Prometheus.URL = "https://prometheus.example" }
	expect(t, attempt(t, proberOf(t, config.ProbePrometheus, queries("up"), secure, trusting(t)), server, patience), Pass, "")
	expect(t, attempt(t, proberOf(t, config.ProbePrometheus, queries("up"), secure), server, patience), CannotTell,
		"Prometheus: certificate signed by unknown authority")
	server.Name = "other.example"
	expect(t, attempt(t, proberOf(t, config.ProbePrometheus, queries("up"), secure, trusting(t)), server, patience), CannotTell,
		`Prometheus: certificate is not valid for "other.example" (it is for prometheus.example)`)
}

// FuzzPrometheusAnswer feeds whatever a server may answer to the reading of it.
func FuzzPrometheusAnswer(f *testing.F) {
	for _, seed := range []string{vector("a=1,b=NaN"), success("scalar", `[1,"2"]`), `{"status":"error","errorType":"x","error":"y"}`, "{}", "[]", success("vector", "null")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		samples, err := parseAnswer(text)
		p := prometheusProbe{options: config.Prometheus{Compare: "==", Number: 1, Missing: config.MissingUnhealthy}}
		reason := ""
		if err != nil {
			reason = bare(err)
		} else if found := p.judge(samples); found != nil {
			reason = found.reason
		}
		if len(reason) > 512 || strings.ContainsAny(reason, "\r\n\x00") {
			t.Errorf("Expected a short line, got %q", reason)
		}
	})
}
