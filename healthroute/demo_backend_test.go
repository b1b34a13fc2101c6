package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"testing/synctest"
)

// A backend dies and comes back on the same port.
func TestBackendModes(t *testing.T) {
	b := openTestBackend(t)
	address := b.address
	for _, m := range []mode{modeUp, modeRefuse, modeUp, modeError, modeUp, modeHang, modeRefuse, modeRefuse, modeError} {
		if err := b.set(m); err != nil {
			t.Fatalf("Expected mode %d, got error %v", m, err)
		}
		if m == modeHang {
			continue
		}
		status, err := requestStatus(t, b)
		switch m {
		case modeRefuse:
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("Expected a refused connection, got %d, %v", status, err)
			}
		default:
			want := map[mode]int{modeUp: http.StatusOK, modeError: http.StatusInternalServerError}[m]
			if status != want {
				t.Errorf("Expected status %d in mode %d, got %d, %v", want, m, status, err)
			}
		}
	}
	if b.address != address {
		t.Errorf("Expected address %s kept, got %s", address, b.address)
	}
}

func TestBackendHangsUntilTheClientGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b backend
		b.mode.Store(int32(modeHang))
		ctx, giveUp := context.WithCancel(context.Background())
		reply := httptest.NewRecorder()
		ended := false
		go func() {
			b.ServeHTTP(reply, httptest.NewRequestWithContext(ctx, http.MethodGet, "/healthz", nil))
			ended = true
		}()
		synctest.Wait()
		if ended {
			t.Error("Expected no answer, got one")
		}
		giveUp()
		synctest.Wait()
		if !ended || reply.Body.Len() > 0 {
			t.Errorf("Expected an end without a body, got ended %t, body %q", ended, reply.Body)
		}
	})
}

// One port serves all hosts; when that cannot be, the error names them and nothing stays open.
func TestOpenBackends(t *testing.T) {
	b := openTestBackend(t)
	if b.port() == 0 {
		t.Errorf("Expected a port in %s", b.address)
	}
	backends, err := openBackends([]string{"127.0.0.1", "127.0.0.1"})
	if err == nil {
		closeBackends(backends)
		t.Error("Expected an error for a host that cannot have the port twice")
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

// requestStatus makes one request on a connection of its own.
func requestStatus(t *testing.T, b *backend) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+b.address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return reply.StatusCode, reply.Body.Close()
}
