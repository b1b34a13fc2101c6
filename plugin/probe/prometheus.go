package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	maxAnswer = 1 << 20  // bytes of an answer: some thousand series
	maxToken  = 64 << 10 // bytes of a token file
)

// prometheusProbe asks a Prometheus for a number and compares it. Health that it does not know, for whatever reason, is no verdict:
// only a number is.
type prometheusProbe struct {
	*dialer
	options config.Prometheus
	query   *url.URL
	tls     *tls.Config
}

func newPrometheus(p *config.Probe, f files, d *dialer) (kind, error) {
	query, err := url.Parse(p.Prometheus.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	query.Path = strings.TrimSuffix(query.Path, "/") + "/api/v1/query"
	query.RawQuery = url.Values{"query": {p.Prometheus.Query}}.Encode()
	settings, err := newTLS(p, f)
	if err != nil {
		return nil, err
	}
	settings.NextProtos = []string{"http/1.1"}
	q := &prometheusProbe{d, p.Prometheus, query, settings}
	if _, err := q.token(); err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	return q, nil
}

func (p *prometheusProbe) test(ctx context.Context, t Target) *finding {
	answer, f := p.ask(ctx, t)
	if f != nil {
		// Whatever is wrong with the Prometheus says nothing of what it watches.
		if f.reason != abandoned {
			f = cannotTell("Prometheus: %s", f.reason)
		}
		return f
	}
	samples, err := parseAnswer(answer)
	if err != nil {
		return cannotTell("Prometheus: %s", bare(err))
	}
	return p.judge(samples)
}

const abandoned = "attempt abandoned"

// token reads the token anew each time: such files are renewed while the server runs.
func (p *prometheusProbe) token() (string, error) {
	if p.options.Token == "" {
		return "", nil
	}
	file, err := os.Open(p.options.Token)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("file %q: expected one line with the token", p.options.Token)
	}
	return token, nil
}

// ask sends the query and returns the answer's body, of whatever status: the API tells its errors in there.
func (p *prometheusProbe) ask(ctx context.Context, t Target) ([]byte, *finding) {
	token, err := p.token()
	if err != nil {
		return nil, cannotTell("token: %s", bare(err))
	}
	conn, addr, f := p.reach(ctx, t)
	if f != nil {
		return nil, f
	}
	defer closeWith(ctx, conn)()
	if p.query.Scheme == "https" {
		if conn, f = handshake(ctx, conn, p.tls, plain(t.Name), addr); f != nil {
			return nil, f
		}
	}
	request := &http.Request{Method: http.MethodGet, URL: p.query, Host: p.query.Host, Close: true, Header: http.Header{
		"User-Agent": {"healthroute/" + Version}, "Accept": {"application/json"},
	}}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	var text bytes.Buffer
	if err := request.Write(&text); err != nil {
		return nil, cannotTell("cannot write the request: %s", bare(err))
	}
	if _, err := conn.Write(text.Bytes()); err != nil {
		return nil, explain(ctx, sending, err)
	}
	reply, f := readReply(ctx, conn, request, begin(ctx, StepFirstByte)) //nolint:bodyclose // the body is the connection, which is closed above
	if f != nil {
		return nil, f
	}
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxAnswer+1))
	switch {
	case err != nil && errors.Is(err, io.ErrUnexpectedEOF) && ctx.Err() == nil:
		return nil, failed("body ends early")
	case err != nil:
		return nil, explain(ctx, readingBody, err)
	case len(body) > maxAnswer:
		return nil, failed("the answer exceeds %d bytes: aggregate the series", maxAnswer)
	case reply.StatusCode/100 != 2 && !bytes.HasPrefix(body, []byte("{")):
		return nil, failed("status %d", reply.StatusCode)
	}
	return body, nil
}

// judge compares what came: all series must be healthy.
func (p *prometheusProbe) judge(samples []sample) *finding {
	unknown := 0
	var bad []sample
	for _, s := range samples {
		switch {
		case math.IsNaN(s.value):
			unknown++
		case !holds(s.value, p.options.Compare, p.options.Number):
			bad = append(bad, s)
		}
	}
	switch {
	case len(bad) > 0:
		f := failed("%s is %s, expected %s %s", bad[0].name, number(bad[0].value), p.options.Compare, number(p.options.Number))
		if len(samples) > 1 {
			f.reason += fmt.Sprintf(" (%d of %d series)", len(bad), len(samples))
		}
		return f
	case len(samples) > 0 && unknown == 0:
		return nil
	}
	what := "the query has no result"
	if len(samples) > 0 {
		what = fmt.Sprintf("%d of %d results are NaN", unknown, len(samples))
	}
	switch p.options.Missing {
	case config.MissingHealthy:
		return nil
	case config.MissingUnhealthy:
		return failed("no data: %s", what)
	}
	return cannotTell("no data: %s", what)
}

func holds(value float64, operator string, limit float64) bool {
	switch operator {
	case "==":
		return value == limit
	case "!=":
		return value != limit
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case ">":
		return value > limit
	}
	return value >= limit
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
