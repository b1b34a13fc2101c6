package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/healthroute/healthroute/plugin/config"
)

// maxMessage bounds the reply: a health status has a few bytes.
const maxMessage = 4 << 10

// grpcProbe asks the standard health service (grpc.health.v1) and passes when it says SERVING. Connection and handshake are made as for
// every type; the library only speaks over what it is given.
type grpcProbe struct {
	*dialer
	service  string
	settings *tls.Config // nil for plaintext
}

func newGRPC(p *config.Probe, f files, d *dialer) (kind, error) {
	g := &grpcProbe{dialer: d, service: p.GRPC.Service}
	if !p.GRPC.TLS {
		return g, nil
	}
	var err error
	if g.settings, err = newTLS(p, f); err != nil {
		return nil, err
	}
	g.settings.NextProtos = []string{"h2"}
	return g, nil
}

func (p *grpcProbe) test(ctx context.Context, t Target) *finding {
	conn, addr, f := p.reach(ctx, t)
	if f != nil {
		return f
	}
	defer closeWith(ctx, conn)()
	heard, secure := &listened{Conn: conn, below: conn}, insecure.NewCredentials()
	if p.settings != nil {
		client, f := handshake(ctx, conn, p.settings, plain(t.SNI), addr)
		if f != nil {
			return f
		}
		heard.Conn, secure = client, shaken{}
	}
	return p.ask(ctx, heard, secure, grpcAuthority(cmp.Or(plain(t.Host), addr.WithZone("").String()), t.Port))
}

// grpcAuthority is the :authority of a call; gRPC knows no usual port that could be left out.
func grpcAuthority(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// ask makes one call on the connection. Nothing of the library outlives it.
func (p *grpcProbe) ask(ctx context.Context, heard *listened, secure credentials.TransportCredentials, authority string) *finding {
	var dialled atomic.Int32
	client, err := grpc.NewClient("passthrough:///target",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if dialled.Add(1) > 1 {
				return nil, errors.New("one connection an attempt")
			}
			return heard, nil
		}),
		grpc.WithTransportCredentials(secure), grpc.WithAuthority(authority), grpc.WithUserAgent("healthroute/"+Version),
		grpc.WithNoProxy(), grpc.WithDisableRetry(), grpc.WithDisableServiceConfig(), grpc.WithDisableHealthCheck(),
		grpc.WithMaxHeaderListSize(maxHeader), grpc.WithIdleTimeout(0),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return cannotTell("cannot make a gRPC call: %s", bare(err))
	}
	defer func() { _ = client.Close() }() // the connection is ours to close
	reply, err := grpc_health_v1.NewHealthClient(client).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: p.service})
	if err != nil {
		return p.explainCall(ctx, heard, dialled.Load() > 1, err)
	}
	if got := reply.GetStatus(); got != grpc_health_v1.HealthCheckResponse_SERVING {
		return failed("%s is %s, expected SERVING", p.what(), strings.ToUpper(got.String()))
	}
	return nil
}

// what is what the probe asks about.
func (p *grpcProbe) what() string {
	if p.service == "" {
		return "the server"
	}
	return "service " + quoted(p.service)
}

// explainCall says what a call that failed means; again tells that the library wanted another connection.
func (p *grpcProbe) explainCall(ctx context.Context, heard *listened, again bool, err error) *finding {
	const waiting stage = "after connecting, waiting for the health status"
	start, ended := heard.soFar()
	answer, _ := status.FromError(err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return cannotTell("attempt abandoned")
	case len(start) > 0 && !isHTTP2(start):
		return failed("not a gRPC reply: %s", quoted(start))
	case ctx.Err() != nil, answer.Code() == codes.DeadlineExceeded: // the server knows our deadline, and may be the first to heed it
		return failed("timed out %s", waiting)
	case answer.Code() == codes.NotFound:
		return failed("%s is SERVICE_UNKNOWN: the server has no health status for it", p.what())
	case answer.Code() == codes.Unimplemented:
		return failed("the server has no health service (grpc.health.v1): %s", bare(errors.New(answer.Message())))
	case answer.Code() == codes.Unavailable && ended != nil:
		return explain(ctx, waiting, ended)
	case again, answer.Code() == codes.Unavailable && strings.Contains(answer.Message(), "http2: "): // which of both the library notices first is chance
		return failed("the server broke the HTTP/2 connection off before it told its health")
	}
	return failed("the health call failed: %s: %s", answer.Code(), bare(errors.New(answer.Message())))
}

// shaken are credentials for a connection whose handshake is done.
type shaken struct {
	credentials.TransportCredentials
}

// ClientHandshake has nothing left to do.
func (shaken) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	client, ok := conn.(*listened)
	if !ok {
		return nil, nil, errors.New("not our connection")
	}
	info := credentials.TLSInfo{CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}
	if secure, ok := client.Conn.(*tls.Conn); ok {
		info.State = secure.ConnectionState()
	}
	return conn, info, nil
}

// Info makes the library call the scheme https.
func (shaken) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone returns the same: there is nothing to change.
func (s shaken) Clone() credentials.TransportCredentials { return s }

// listened is a connection that remembers how the other side began, and how it ended.
type listened struct {
	net.Conn
	below net.Conn // what Close closes: saying goodbye in TLS could wait for a peer that does not read

	mu    sync.Mutex
	start []byte // guarded by mu
	ended error  // guarded by mu
}

// Read reads, and remembers.
func (l *listened) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.remember(p[:n], err)
	return n, err
}

// Write writes, and remembers how that ended.
func (l *listened) Write(p []byte) (int, error) {
	n, err := l.Conn.Write(p)
	l.remember(nil, err)
	return n, err
}

// remember keeps the first bytes and the first error that is not our own doing.
func (l *listened) remember(heard []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const enough = 64
	l.start = append(l.start, heard[:min(len(heard), max(0, enough-len(l.start)))]...)
	if l.ended == nil && !errors.Is(err, net.ErrClosed) {
		l.ended = err
	}
}

// Close closes the connection below.
func (l *listened) Close() error { return l.below.Close() }

func (l *listened) soFar() (start []byte, ended error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.start, l.ended
}

// isHTTP2 reports whether a server's first bytes can be an HTTP/2 frame of settings (RFC 9113, 3.4): a length far below 64 KiB, type 4.
func isHTTP2(start []byte) bool { return start[0] == 0 && (len(start) < 4 || start[3] == 4) }
