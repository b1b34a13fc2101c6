package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/healthroute/healthroute/plugin/config"
)

// grpcServer is a real gRPC server; register adds its services, if any.
func grpcServer(t testing.TB, register func(*grpc.Server), options ...grpc.ServerOption) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	if register != nil {
		register(server)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-ended })
	return listener.Addr().(*net.TCPAddr).AddrPort()
}

// healthOf is the library's health service with a status for the whole and one for the service "shop".
func healthOf(whole, shop grpc_health_v1.HealthCheckResponse_ServingStatus) func(*grpc.Server) {
	return func(s *grpc.Server) {
		own := health.NewServer()
		own.SetServingStatus("", whole)
		own.SetServingStatus("shop", shop)
		grpc_health_v1.RegisterHealthServer(s, own)
	}
}

// answering is a health service that does what the function does.
type answering struct {
	grpc_health_v1.UnimplementedHealthServer
	check func(context.Context) (*grpc_health_v1.HealthCheckResponse, error)
}

func (a answering) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	return a.check(ctx)
}

func answers1(check func(context.Context) (*grpc_health_v1.HealthCheckResponse, error)) func(*grpc.Server) {
	return func(s *grpc.Server) { grpc_health_v1.RegisterHealthServer(s, answering{check: check}) }
}

func serviceOf(name string) func(*config.Probe) {
	return func(p *config.Probe) { p.GRPC.Service = name }
}

const (
	serving    = grpc_health_v1.HealthCheckResponse_SERVING
	notServing = grpc_health_v1.HealthCheckResponse_NOT_SERVING
	unknown    = grpc_health_v1.HealthCheckResponse_UNKNOWN
)

func TestGRPC(t *testing.T) {
	fails := func(code codes.Code) func(*grpc.Server) {
		return answers1(func(context.Context) (*grpc_health_v1.HealthCheckResponse, error) {
			return nil, status.Error(code, "for\na reason")
		})
	}
	tests := []struct {
		name     string
		service  string
		register func(*grpc.Server)
		reason   string
	}{
		{"serving", "", healthOf(serving, notServing), ""},
		{"service serving", "shop", healthOf(notServing, serving), ""},
		{"not serving", "", healthOf(notServing, serving), "the server is NOT_SERVING, expected SERVING"},
		{"service not serving", "shop", healthOf(serving, notServing), `service "shop" is NOT_SERVING, expected SERVING`},
		{"unknown", "", healthOf(unknown, serving), "the server is UNKNOWN, expected SERVING"},
		{"another status", "", healthOf(17, serving), "the server is 17, expected SERVING"},
		{"unknown service", "shoop", healthOf(serving, serving), `service "shoop" is SERVICE_UNKNOWN: the server has no health status for it`},
		{"no health service", "", nil, "the server has no health service (grpc.health.v1): unknown service grpc.health.v1.Health"},
		{"denied", "", fails(codes.PermissionDenied), "the health call failed: PermissionDenied: for.a reason"},
		{"unavailable", "", fails(codes.Unavailable), "the health call failed: Unavailable: for.a reason"},
		{"the server's own deadline", "", fails(codes.DeadlineExceeded), "timed out after connecting, waiting for the health status"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			prober := proberOf(t, config.ProbeGRPC, serviceOf(test.service))
			expect(t, attempt(t, prober, at(grpcServer(t, test.register)), patience), outcome, test.reason)
		})
	}
}

// The authority is the host with its port, the target's address if there is none.
func TestGRPCAuthority(t *testing.T) {
	heard := make(chan metadata.MD, 1)
	server := grpcServer(t, answers1(func(ctx context.Context) (*grpc_health_v1.HealthCheckResponse, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		heard <- md
		return &grpc_health_v1.HealthCheckResponse{Status: serving}, nil
	}))
	for host, want := range map[string]string{"shop.example.": "shop.example", "": "127.0.0.1"} {
		target := at(server)
		target.Host = host
		expect(t, attempt(t, proberOf(t, config.ProbeGRPC), target, patience), Pass, "")
		got := <-heard
		if want = fmt.Sprintf("[%s:%d]", want, server.Port()); fmt.Sprint(got[":authority"]) != want {
			t.Errorf("Expected authority %s, got %v", want, got[":authority"])
		}
		if agent := fmt.Sprint(got["user-agent"]); len(agent) < 12 || agent[:13] != "[healthroute/" {
			t.Errorf("Expected our own user agent, got %s", agent)
		}
	}
}

func TestGRPCOverTLS(t *testing.T) {
	good := certificate(t, issued{names: []string{"a.example"}})
	secure := func(own tls.Certificate) netip.AddrPort {
		return grpcServer(t, healthOf(serving, serving), grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{own}})))
	}
	overTLS := func(p *config.Probe) { p.GRPC.TLS = true }
	tests := []struct {
		name   string
		probe  []func(*config.Probe)
		server netip.AddrPort
		sni    string
		reason string
	}{
		{"verified", []func(*config.Probe){overTLS, trusting(t)}, secure(good), "a.example", ""},
		{"not verified", []func(*config.Probe){overTLS, careless}, secure(good), "b.example", ""},
		{"wrong name", []func(*config.Probe){overTLS, trusting(t)}, secure(good), "b.example", `certificate is not valid for "b.example" (it is for a.example)`},
		{"unknown authority", []func(*config.Probe){overTLS}, secure(good), "a.example", "certificate signed by unknown authority"},
		{"expires", []func(*config.Probe){overTLS, careless, func(p *config.Probe) { p.TLS.Expires = 400 * 24 * 3600e9 }}, secure(good), "a.example", "certificate expires on " + good.Leaf.NotAfter.UTC().Format(time.DateOnly) + ", in 36..."},
		{"plaintext server", []func(*config.Probe){overTLS, careless}, grpcServer(t, nil), "a.example", `not a TLS reply: "\x00\x00\x06\x04\x00"`},
		{"TLS server, plaintext probe", nil, secure(good), "", "..."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			target := at(test.server)
			target.SNI = test.sni
			expect(t, attempt(t, proberOf(t, config.ProbeGRPC, test.probe...), target, patience), outcome, test.reason)
		})
	}
}

func TestGRPCMisbehaviour(t *testing.T) {
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	tests := []struct {
		name   string
		do     behaviour
		within bool // its timeout
		reason string
	}{
		{"silent", silent, true, "timed out after connecting, waiting for the health status"},
		{"closes", hangsUp, false, "connection closed after connecting, waiting for the health status"},
		{"resets", then(reads, resets), false, "connection reset after connecting, waiting for the health status"},
		{"HTTP/1.1", then(reads, writes("HTTP/1.1 400 Bad Request\r\n\r\n"), hangsUp), false, `not a gRPC reply: "HTTP/1.1 400 Bad Request\r\n\r\n"`},
		{"another protocol", then(writes("220 mail.example ESMTP\r\n"), silent), false, `not a gRPC reply: "220 mail.example ESMTP\r\n"`},
		{"begins and is silent", then(writes(settings), silent), true, "timed out after connecting, waiting for the health status"},
		{"begins and closes", then(writes(settings), reads), false, "..."},
		{"drips", then(writes(settings[:3]), silent), true, "timed out after connecting, waiting for the health status"},
		{"goes away", then(writes(settings+"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), silent), false, "the server broke the HTTP/2 connection off before it told its health"},
		{"endless settings", repeats(settings), true, "timed out after connecting, waiting for the health status"},
		{"endless garbage", repeats("garbage"), false, "not a gRPC reply: ..."},
		{"garbage after settings", then(writes(settings), repeats("garbage")), false, "the server broke the HTTP/2 connection off before it told its health"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			deadline := patience
			if test.within {
				deadline = briefly
			}
			expect(t, attempt(t, proberOf(t, config.ProbeGRPC), at(serve(t, test.do)), deadline), Fail, test.reason)
		})
	}
}

// A call that hangs ends with its context.
func TestGRPCHangs(t *testing.T) {
	server := grpcServer(t, answers1(func(ctx context.Context) (*grpc_health_v1.HealthCheckResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	expect(t, attempt(t, proberOf(t, config.ProbeGRPC), at(server), briefly), Fail, "timed out after connecting, waiting for the health status")

	ctx, cancel := context.WithCancel(t.Context())
	mute := serve(t, func(conn net.Conn) { reads(conn); cancel(); silent(conn) })
	expect(t, proberOf(t, config.ProbeGRPC).Attempt(ctx, at(mute)), CannotTell, "attempt abandoned")
}
