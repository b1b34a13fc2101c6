package main

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
)

// A backend dies in each way and comes back on the same port.
func TestBackendModes(t *testing.T) {
	b := openTestBackend(t)
	address := b.address
	for _, m := range []mode{modeUp, modeRefuse, modeUp, modeError, modeHang, modeRefuse, modeRefuse, modeHang, modeUp} {
		if err := b.set(m); err != nil {
			t.Fatalf("Expected mode %d, got error %v", m, err)
		}
		status, err := ask(context.Background(), b)
		switch m {
		case modeUp:
			if status != http.StatusOK {
				t.Errorf("Expected status 200, got %d, %v", status, err)
			}
		case modeError:
			if status != http.StatusInternalServerError {
				t.Errorf("Expected status 500, got %d, %v", status, err)
			}
		case modeRefuse:
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("Expected a refused connection, got %d, %v", status, err)
			}
		case modeHang:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Expected no answer until the client gives up, got %d, %v", status, err)
			}
		}
	}
	if b.address != address {
		t.Errorf("Expected address %s kept, got %s", address, b.address)
	}
}

func TestBackendsShareAPort(t *testing.T) {
	backends, err := openBackends([]string{"127.0.0.1", "127.0.0.1"})
	if err == nil {
		closeBackends(backends)
		t.Fatal("Expected an error for a host that cannot have the port twice")
	}
	b := openTestBackend(t)
	if b.port() == 0 {
		t.Errorf("Expected a port in %s", b.address)
	}
}

func openTestBackend(t *testing.T) *backend {
	t.Helper()
	backends, err := openBackends([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeBackends(backends) })
	return backends[0]
}

// ask makes one request on a connection of its own. While the backend hangs it gives up when the request has arrived.
func ask(ctx context.Context, b *backend) (status int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if mode(b.mode.Load()) == modeHang {
		inner := b.server.Handler
		b.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cancel()
			inner.ServeHTTP(w, r)
		})
		defer func() { b.server.Handler = inner }()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.address+"/healthz", nil)
	if err != nil {
		return 0, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return reply.StatusCode, reply.Body.Close()
}
