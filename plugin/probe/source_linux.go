package probe

import "syscall"

// bindAddressNoPort is IP_BIND_ADDRESS_NO_PORT of linux/in.h, which package syscall lacks.
const bindAddressNoPort = 24

// latePort lets the kernel choose a socket's port when it connects and not already when it is bound to a source: a port
// is then taken for one destination only, so that many targets do not use them up.
func latePort(_, _ string, socket syscall.RawConn) error {
	return socket.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, bindAddressNoPort, 1) // a kernel without it has fewer ports, that is all
	})
}
