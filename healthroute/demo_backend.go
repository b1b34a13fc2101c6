package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// mode is how a backend treats those who ask it.
type mode int32

const (
	modeUp     mode = iota // answers with status 200
	modeRefuse             // does not listen
	modeHang               // accepts and never answers
	modeError              // answers with status 500
)

// backend is a small HTTP server that misbehaves when told to. One goroutine may use it at a time.
type backend struct {
	address string // host and port; the same after a restart
	mode    atomic.Int32
	server  *http.Server   // nil while it does not listen
	serving sync.WaitGroup // the goroutine that accepts
}

// openBackends starts one backend on each host, all on one port that is free on all of them.
func openBackends(hosts []string) ([]*backend, error) {
	const tries = 20 // a port that is free on the first host is hardly ever taken on another
	var err error
	for range tries {
		var backends []*backend
		if backends, err = openBackendsOnce(hosts); err == nil {
			return backends, nil
		}
	}
	return nil, fmt.Errorf("the backends need %s on the loopback interface: %w", hosts, err)
}

func openBackendsOnce(hosts []string) ([]*backend, error) {
	var backends []*backend
	port := 0 // the first listener's choice
	for _, host := range hosts {
		b := &backend{address: net.JoinHostPort(host, strconv.Itoa(port))}
		if err := b.listen(); err != nil {
			closeBackends(backends)
			return nil, err
		}
		backends = append(backends, b)
		port = b.port()
	}
	return backends, nil
}

func closeBackends(backends []*backend) {
	for _, b := range backends {
		b.close()
	}
}

// port is the port of the address.
func (b *backend) port() int {
	_, port, _ := net.SplitHostPort(b.address)
	n, _ := strconv.Atoi(port)
	return n
}

// set changes the mode; it has taken effect for connections that begin after it.
func (b *backend) set(m mode) error {
	b.mode.Store(int32(m))
	if m == modeRefuse {
		b.close()
		return nil
	}
	if b.server != nil {
		return nil
	}
	return b.listen()
}

func (b *backend) listen() error {
	listener, err := net.Listen("tcp", b.address)
	if err != nil {
		return err
	}
	b.address = listener.Addr().String()
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	server := b.server
	b.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // the listener is ours; nothing else closes it
		}
	})
	return nil
}

// close ends all connections and waits until the port is free.
func (b *backend) close() {
	if b.server == nil {
		return
	}
	_ = b.server.Close() // what a killed process leaves
	b.serving.Wait()
	b.server = nil
}

// ServeHTTP answers as the mode says.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch mode(b.mode.Load()) {
	case modeHang:
		<-r.Context().Done() // the client gave up, or the backend was closed
	case modeError:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		fmt.Fprintln(w, "ok")
	}
}
