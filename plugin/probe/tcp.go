package probe

import (
	"context"
	"fmt"
	"io"
	"net"
	"regexp"

	"github.com/healthroute/healthroute/plugin/config"
)

// tcpProbe passes when the connection is established (spec 2.2) and, if asked for, the peer answers as expected.
type tcpProbe struct {
	*dialer
	send   string
	expect *regexp.Regexp // nil reads nothing
}

func newTCP(p *config.Probe, _ files, d *dialer) (kind, error) {
	own, err := tcpOf(p, d)
	return own, err
}

// tcpOf is also what a tls probe does inside TLS.
func tcpOf(p *config.Probe, d *dialer) (*tcpProbe, error) {
	expect, err := compile("expect_reply", p.Exchange.ExpectReply)
	if err != nil {
		return nil, err
	}
	return &tcpProbe{dialer: d, send: p.Exchange.Send, expect: expect}, nil
}

// compile compiles the regular expression of an option; none, nil, for the empty one.
func compile(option, expression string) (*regexp.Regexp, error) {
	if expression == "" {
		return nil, nil
	}
	pattern, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", option, expression, err)
	}
	return pattern, nil
}

func (p *tcpProbe) test(ctx context.Context, t Target) *finding {
	conn, _, f := p.reach(ctx, t)
	if f != nil {
		return f
	}
	defer closeWith(ctx, conn)()
	return p.talk(ctx, conn)
}

// talk sends, and reads what it is answered.
func (p *tcpProbe) talk(ctx context.Context, conn net.Conn) *finding {
	t := begin(ctx, StepFirstByte)
	if p.send != "" {
		if _, err := io.WriteString(conn, p.send); err != nil {
			return t.broken(explain(ctx, sending, err))
		}
	}
	if p.expect == nil {
		return nil
	}
	return p.listen(ctx, conn, t)
}

// listen reads until the reply matches. It tries after every read, because a peer that waits for us closes nothing;
// an expression that ends in $ may therefore match a part of the reply.
func (p *tcpProbe) listen(ctx context.Context, conn net.Conn, t timing) *finding {
	reply := make([]byte, 0, maxCompared)
	for {
		n, err := conn.Read(reply[len(reply):maxCompared])
		if n > 0 && len(reply) == 0 {
			t.done()
			t = begin(ctx, StepBody)
		}
		reply = reply[:len(reply)+n]
		switch {
		case n > 0 && p.expect.Match(reply):
			t.done().tell("%s", quoted(reply))
			return nil
		case len(reply) == maxCompared:
			return t.broken(failed("the first %d bytes of the reply do not match %s: %s", maxCompared, quoted(p.expect.String()), quoted(reply)))
		case err != nil:
			return t.broken(p.tooLittle(explain(ctx, stage("waiting for a reply that matches "+quoted(p.expect.String())), err), reply))
		}
	}
}

// tooLittle adds to a failure what had come until then.
func (p *tcpProbe) tooLittle(f *finding, reply []byte) *finding {
	switch {
	case f.outcome != Fail:
		return f
	case len(reply) == 0:
		return failed("%s, got nothing", f.reason)
	}
	return failed("%s, got %s", f.reason, quoted(reply))
}
