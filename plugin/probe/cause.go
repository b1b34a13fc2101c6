package probe

import "syscall"

// Cause is why an attempt could not tell, in few words for counting; the reason says it in full.
type Cause uint8

// The causes of attempts that could not tell; NoCause is that of all others.
const (
	NoCause       Cause = iota
	NoRoute             // no network, route or address family, or forbidden here
	NoDescriptors       // the process, or the host, has no more
	NoLocalPort         // nor local address
	NoMemory            // nor buffers
	OurResolver         // it failed, or did not answer
	Abandoned           // nobody wanted the result any more
	OtherCause
)

func (c Cause) String() string {
	return [...]string{"", "no_route", "no_descriptors", "no_local_port", "no_memory", "resolver", "abandoned", "other"}[c]
}

// causes are the causes of the errors that say something about this host.
var causes = map[syscall.Errno]Cause{
	syscall.ENETUNREACH: NoRoute, syscall.ENETDOWN: NoRoute, syscall.EAFNOSUPPORT: NoRoute, syscall.EACCES: NoRoute, syscall.EPERM: NoRoute,
	syscall.EMFILE: NoDescriptors, syscall.ENFILE: NoDescriptors,
	syscall.EADDRNOTAVAIL: NoLocalPort, syscall.EAGAIN: NoLocalPort,
	syscall.ENOBUFS: NoMemory, syscall.ENOMEM: NoMemory,
}

// because gives a finding its cause.
func (f *finding) because(c Cause) *finding {
	f.cause = c
	return f
}
