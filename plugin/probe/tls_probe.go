package probe

import (
	"context"
	"crypto/tls"

	"github.com/healthroute/healthroute/plugin/config"
)

// tlsProbe passes when the handshake succeeds, the certificate lives long enough and, inside TLS, what a tcp probe asks for holds.
type tlsProbe struct {
	*tcpProbe
	settings *tls.Config
}

func newTLSProbe(p *config.Probe, f files, d *dialer) (kind, error) {
	inner, err := tcpOf(p, d)
	if err != nil {
		return nil, err
	}
	settings, err := newTLS(p, f)
	if err != nil {
		return nil, err
	}
	return &tlsProbe{inner, settings}, nil
}

func (p *tlsProbe) test(ctx context.Context, t Target) *finding {
	conn, addr, f := p.reach(ctx, t)
	if f != nil {
		return f
	}
	defer closeWith(ctx, conn)()
	client, f := handshake(ctx, conn, p.settings, plain(t.SNI), addr)
	if f != nil {
		return f
	}
	return p.talk(ctx, client)
}
