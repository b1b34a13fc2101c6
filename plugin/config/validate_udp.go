package config

import "fmt"

// maxDatagram is the most that fits into a datagram over IPv4: 65535 bytes without the headers of IP and UDP.
const maxDatagram = 65507

// udp checks what a udp probe says. Without a datagram of ours nothing would come back, not even that nobody listens.
func (v *validator) udp(p *Probe) {
	at := p.Places.Of("send")
	switch {
	case p.Exchange.Send == "" && !p.Places.Faulty:
		v.fault(at, fmt.Sprintf("the udp probe %q has nothing to send", p.Name), "`send TEXT`")
	case len(p.Exchange.Send) > maxDatagram:
		v.fault(at, fmt.Sprintf("%d bytes in \"send\"", len(p.Exchange.Send)), fmt.Sprintf("at most %d", maxDatagram))
	}
}
