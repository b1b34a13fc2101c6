// Package status serves the API over HTTP: what the server knows, and what operators say.
//
// A Server listens at one address; Handler is what it serves, over a Backend that the root package implements. Files by what they are about:
// server.go and listen.go the address and its life; handler.go, guard.go, login.go and audit.go what every request goes through; read.go and write.go the
// requests; events.go and stream.go what happens while somebody listens; group.go, pool.go, check.go and order.go what goes over the wire, which
// openapi.json describes; object.go how things are named; client.go the other side, for the command line. Everything here may be used from any number
// of goroutines; those that a Server starts end before its Close returns.
package status

import (
	"context"
	"crypto/tls"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/healthroute/healthroute/plugin/config"
)

// Log is where a server says what happens to it. A line for people each.
type Log interface {
	Infof(format string, args ...any)
	Warningf(format string, args ...any)
	Errorf(format string, args ...any)
	Debugf(format string, args ...any)
}

// Options are what a server needs besides its configuration.
type Options struct {
	Backend Backend
	Events  *Events
	Log     Log
	// Connections bounds those that are open at the same time; a quarter of them is kept for others than listeners to events.
	Connections int
}

// Server serves the API at one address, or goes on trying to: that somebody else has the address is no reason not to answer DNS. Its owner calls Start
// once and then Close.
type Server struct {
	config  *config.Status
	options Options
	http    *http.Server
	listen  func() (net.Listener, error) // tests have their own

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup
	address atomic.Pointer[net.Addr] // nil while it does not listen
}

// Limits of what a request may take. Listeners to events have no end, but must keep reading.
const (
	maxHeader     = 16 << 10
	maxBody       = 64 << 10
	readTimeout   = 10 * time.Second // header and body
	handleTimeout = 15 * time.Second // until a backend has answered
	writeTimeout  = 30 * time.Second // from the end of the header on
	idleTimeout   = 60 * time.Second
	lastRequests  = 2 * time.Second // that Close leaves to requests under way
)

// retryEvery is the pause between attempts to listen.
const retryEvery = 5 * time.Second

// NewServer returns a server. The configuration must be valid.
func NewServer(c *config.Status, o Options) *Server {
	s := &Server{config: c, options: o}
	s.listen = func() (net.Listener, error) { return listen(s.ctx, c.Address) }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:        NewHandler(c, o),
		BaseContext:    func(net.Listener) context.Context { return s.ctx },
		ReadTimeout:    readTimeout,
		WriteTimeout:   writeTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       stdlog.New(debugWriter{o.Log}, "", 0),
		Protocols:      new(http.Protocols),
	}
	s.http.Protocols.SetHTTP1(true) // one stream a connection is all that anybody needs here, and less that can go wrong
	return s
}

// debugWriter takes what the HTTP server has to say of connections that others broke.
type debugWriter struct{ log Log }

// Write is io.Writer's.
func (w debugWriter) Write(line []byte) (int, error) {
	w.log.Debugf("status: %s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// Start listens. If that fails it is logged once, and tried again until it works or the server is closed.
func (s *Server) Start() {
	l, err := s.open()
	if err != nil {
		s.options.Log.Errorf("status %s: %v; trying again, and DNS is answered meanwhile", s.config.Address, err)
	}
	s.running.Go(func() {
		for err != nil {
			if !s.pause(retryEvery) {
				return
			}
			l, err = s.open()
		}
		s.serve(l)
	})
}

// pause waits, and reports whether the server was not closed meanwhile.
func (s *Server) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// open reads the files and listens.
func (s *Server) open() (net.Listener, error) {
	secret, err := newTLS(s.config)
	if err != nil {
		return nil, err
	}
	l, err := s.listen()
	if err != nil {
		return nil, err
	}
	address := l.Addr()
	s.address.Store(&address)
	l = netutil.LimitListener(l, s.options.Connections)
	if secret != nil {
		l = tls.NewListener(l, secret)
	}
	return l, nil
}

func (s *Server) serve(l net.Listener) {
	s.options.Log.Infof("status: API at %s", l.Addr())
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.options.Log.Errorf("status %s: %v", s.config.Address, err)
	}
}

// Address returns where the server listens, nil if it does not.
func (s *Server) Address() net.Addr {
	if a := s.address.Load(); a != nil {
		return *a
	}
	return nil
}

// Close ends listeners to events at once, leaves requests under way a moment, and waits for everything that Start began.
func (s *Server) Close() {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), lastRequests)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close() // whoever is still there has been told often enough
	}
	s.running.Wait()
}
