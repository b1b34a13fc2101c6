package probe

import (
	"context"
	"io"
	"net"

	"github.com/healthroute/healthroute/plugin/config"
)

// greeting is how a client and a service begin to talk.
type greeting struct {
	server string // who greets, with its article
	hello  string // what the client says first; "" if the service does
	// judge reads what has come so far. done is false while more must come; with it, f is nil if the service works.
	judge func(reply []byte) (done bool, f *finding)
	bye   string // what the client says when it goes, so that the service need not wonder; "" if closing is good manners
}

// The services, as reasons name them.
const (
	redisServer    = "a Redis server"
	smtpServer     = "an SMTP server"
	imapServer     = "an IMAP server"
	postgresServer = "a PostgreSQL server"
	mysqlServer    = "a MySQL server"
	ldapServer     = "an LDAP server"
)

var greetings = map[config.ProbeType]greeting{
	config.ProbePostgres: postgres,
	config.ProbeMySQL:    mysql,
	config.ProbeRedis:    redis,
	config.ProbeSMTP:     smtp,
	config.ProbeIMAP:     imap,
	config.ProbeLDAP:     ldap,
}

// greetingProbe passes when the service greets as it should. It needs no credentials and changes nothing.
type greetingProbe struct {
	*dialer
	greeting
}

func newGreeting(p *config.Probe, _ files, d *dialer) (kind, error) {
	return &greetingProbe{d, greetings[p.Type]}, nil
}

func (p *greetingProbe) test(ctx context.Context, t Target) *finding {
	conn, _, f := p.reach(ctx, t)
	if f != nil {
		return f
	}
	defer closeWith(ctx, conn)()
	return p.greet(ctx, conn)
}

// greet says hello, and reads until it is clear what the other side is.
func (p *greetingProbe) greet(ctx context.Context, conn net.Conn) *finding {
	if p.hello != "" {
		if _, err := io.WriteString(conn, p.hello); err != nil {
			return explain(ctx, sending, err)
		}
	}
	reply := make([]byte, 0, maxCompared)
	for {
		n, err := conn.Read(reply[len(reply):maxCompared])
		reply = reply[:len(reply)+n]
		if n > 0 {
			if done, f := p.judge(reply); done {
				if f == nil && p.bye != "" {
					_, _ = io.WriteString(conn, p.bye) // nobody waits for what follows
				}
				return f
			}
		}
		switch {
		case len(reply) == maxCompared:
			return failed("the first %d bytes are no greeting of %s: %s", maxCompared, p.server, quoted(reply))
		case err != nil:
			f := explain(ctx, stage("waiting for the greeting of "+p.server), err)
			if f.outcome == Fail {
				f.reason += ", got " + soFar(len(reply) > 0, reply)
			}
			return f
		}
	}
}

// stranger is the finding about a peer that does not speak the protocol: what it says tells what it is.
func stranger(server string, reply []byte) (bool, *finding) {
	return true, failed("not %s: it says %s", server, quoted(reply))
}

// refusal is the finding about a server that greets with an error.
func refusal(text []byte) (bool, *finding) {
	return true, failed("the server refuses: %s", quoted(text))
}
