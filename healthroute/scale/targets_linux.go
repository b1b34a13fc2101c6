package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const targetsWord = "targets"

// ports are where the process of the targets listens, on every address of 127.0.0.0/8.
type ports struct {
	TCP, TCPHang, HTTP, HTTPHang int
	HTTPFlap                     int // answers 200 and 503 in turns of flapping
}

// flapping is how long a target that flaps stays as it is.
const flapping = 45 * time.Second

// targets is a process that the checks test.
type targets struct {
	ports
	command *exec.Cmd
	in      io.Closer
}

// startTargets starts the process; it ends when its input does.
func startTargets() (*targets, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := &targets{command: exec.Command(self, targetsWord)}
	t.command.Stderr = os.Stderr
	in, err := t.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	t.in = in
	out, err := t.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.command.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscanln(bufio.NewReader(out), &t.TCP, &t.TCPHang, &t.HTTP, &t.HTTPHang, &t.HTTPFlap); err != nil {
		t.stop()
		return nil, fmt.Errorf("the targets do not start: %w", err)
	}
	return t, nil
}

func (t *targets) stop() {
	_ = t.in.Close()
	_ = t.command.Wait()
}

// serveTargets is that process.
func serveTargets(in io.Reader, out io.Writer) error {
	answer := func(conn net.Conn) { reply(conn, "200 OK") }
	start := time.Now()
	flap := func(conn net.Conn) {
		if int(time.Since(start)/flapping)%2 == 0 {
			reply(conn, "200 OK")
		} else {
			reply(conn, "503 Service Unavailable")
		}
	}
	var all ports
	for to, handle := range map[*int]func(net.Conn){&all.TCP: drain, &all.HTTP: answer, &all.HTTPHang: drain, &all.HTTPFlap: flap} {
		l, err := listen(syscall.SOMAXCONN)
		if err != nil {
			return err
		}
		*to = l.Addr().(*net.TCPAddr).Port
		go accept(l, handle)
	}
	full, err := listen(0)
	if err != nil {
		return err
	}
	all.TCPHang = full.Addr().(*net.TCPAddr).Port
	fill(all.TCPHang)
	fmt.Fprintln(out, all.TCP, all.TCPHang, all.HTTP, all.HTTPHang, all.HTTPFlap)
	_, err = io.Copy(io.Discard, in)
	runtime.KeepAlive(full) // a listener that nobody refers to any more is closed
	return err
}

// listen opens a socket on all addresses of the loopback interface and of no other one.
func listen(backlog int) (net.Listener, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer func() { _ = file.Close() }() // the listener has a descriptor of its own
	if err := syscall.BindToDevice(fd, "lo"); err != nil {
		return nil, fmt.Errorf("cannot bind to the loopback interface: %w", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{}); err != nil {
		return nil, err
	}
	if err := syscall.Listen(fd, backlog); err != nil {
		return nil, err
	}
	return net.FileListener(file)
}

func accept(l net.Listener, handle func(net.Conn)) {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err == nil:
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}
}

// drain waits until the peer has closed.
func drain(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)); _, _ = io.Copy(io.Discard, conn) }

// reply reads a request, and answers with the status.
func reply(conn net.Conn, status string) {
	buffer := make([]byte, 1024)
	if n, err := conn.Read(buffer); err != nil || !strings.HasSuffix(string(buffer[:n]), "\r\n\r\n") {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
}

// fill connects until the backlog is full, and keeps the connections.
func fill(port int) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		cancel()
		if err != nil {
			return
		}
		held = append(held, conn)
	}
}

var held []net.Conn // so that nobody closes them
