package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// serverResolver asks one server, which must do recursion. It is not Go's resolver with another address to dial: that
// looks into the hosts file first, and blames the servers of resolv.conf for what this one does.
type serverResolver struct {
	server netip.AddrPort
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

const (
	resolverTries   = 3               // over UDP, whose packets get lost
	resolverTimeout = 2 * time.Second // of each try
)

// LookupNetIP returns the addresses of a name: for "ip" those of IPv4, or if there are none those of IPv6.
func (r *serverResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	types := map[string][]uint16{"ip": {dns.TypeA, dns.TypeAAAA}, "ip4": {dns.TypeA}, "ip6": {dns.TypeAAAA}}[network]
	for _, qtype := range types {
		addrs, err := r.ask(ctx, host, qtype)
		if err != nil || len(addrs) > 0 {
			return addrs, err
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, Server: r.server.String(), IsNotFound: true}
}

// ask returns the addresses of one type; none if the name does not exist or has none.
func (r *serverResolver) ask(ctx context.Context, host string, qtype uint16) ([]netip.Addr, error) {
	query := new(dns.Msg).SetQuestion(dns.Fqdn(host), qtype)
	query.SetEdns0(1232, false) // what passes without fragments (the DNS flag day of 2020)
	var (
		reply *dns.Msg
		err   error
	)
	for range resolverTries {
		if reply, err = r.exchange(ctx, "udp", query); err == nil || ctx.Err() != nil || !isTimeout(err) {
			break
		}
	}
	if err == nil && reply.Truncated {
		reply, err = r.exchange(ctx, "tcp", query)
	}
	switch {
	case err != nil:
		return nil, &net.DNSError{Err: err.Error(), Name: host, Server: r.server.String(), IsTimeout: isTimeout(err)}
	case reply.Rcode == dns.RcodeNameError:
		return nil, nil
	case reply.Rcode != dns.RcodeSuccess:
		return nil, &net.DNSError{Err: dns.RcodeToString[reply.Rcode], Name: host, Server: r.server.String()}
	}
	addrs := addressesOf(reply, dns.Fqdn(host), qtype)
	if len(addrs) == 0 && !reply.Authoritative && !reply.RecursionAvailable {
		return nil, &net.DNSError{Err: "it does no recursion", Name: host, Server: r.server.String()}
	}
	return addrs, nil
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// exchange asks once, on a connection of its own that ends with the context.
func (r *serverResolver) exchange(ctx context.Context, network string, query *dns.Msg) (*dns.Msg, error) {
	conn, err := r.dial(ctx, network, r.server.String())
	if err != nil {
		return nil, err
	}
	defer closeWith(ctx, conn)()
	client := dns.Client{Net: network, Timeout: resolverTimeout, UDPSize: 1232}
	reply, _, err := client.ExchangeWithConn(query, &dns.Conn{Conn: conn})
	if err == nil && (len(reply.Question) != 1 || !strings.EqualFold(reply.Question[0].Name, query.Question[0].Name) ||
		reply.Question[0].Qtype != query.Question[0].Qtype) {
		err = errors.New("the reply is for another question")
	}
	return reply, err
}

// addressesOf returns the addresses at the end of the aliases (CNAME) that begin at a name.
func addressesOf(reply *dns.Msg, name string, qtype uint16) (found []netip.Addr) {
	for range len(reply.Answer) + 1 { // each alias is followed once
		var next string
		for _, rr := range reply.Answer {
			if !strings.EqualFold(rr.Header().Name, name) {
				continue
			}
			var addr netip.Addr
			switch rr := rr.(type) {
			case *dns.A:
				addr, _ = netip.AddrFromSlice(rr.A)
			case *dns.AAAA:
				addr, _ = netip.AddrFromSlice(rr.AAAA)
			case *dns.CNAME:
				next = rr.Target
			}
			if addr.IsValid() && rr.Header().Rrtype == qtype {
				found = append(found, addr.Unmap())
			}
		}
		if len(found) > 0 || next == "" {
			return found
		}
		name = next
	}
	return nil
}
