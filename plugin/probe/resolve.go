package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
)

// resolver is the part of *net.Resolver that probes need.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// systemResolver asks the servers of this host's resolv.conf, after its hosts file. It is Go's own resolver, because
// a lookup in the C library cannot be abandoned: its thread would outlive the attempt.
func systemResolver(dial func(ctx context.Context, network, address string) (net.Conn, error)) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			// The resolver heeds the deadline of a context but not its cancellation, and would wait on for seconds.
			context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}}
}

func dialServer(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// address is where to find the target: a name is looked up anew at each attempt (spec 2.2, check by name), and the
// first address of the answer counts.
func (d *dialer) address(ctx context.Context, t Target) (netip.Addr, *finding) {
	if t.Address.IsValid() {
		return t.Address.Unmap(), nil
	}
	return d.lookup(ctx, d.network, t.Name)
}

// lookup resolves a name to an address of the network: "ip" for any, "ip4" or "ip6". That the name does not exist or
// has no such address is the target's fault; that nobody can tell us is not.
func (d *dialer) lookup(ctx context.Context, network, name string) (netip.Addr, *finding) {
	t := begin(ctx, StepResolve)
	addrs, f := d.resolve(ctx, network, name)
	if f != nil {
		return netip.Addr{}, t.broken(f)
	}
	addr := addrs[0].Unmap()
	t.done().tell("%s is %s, %d found", name, addr, len(addrs))
	return addr, nil
}

// resolve returns all addresses of a name, at least one.
func (d *dialer) resolve(ctx context.Context, network, name string) ([]netip.Addr, *finding) {
	// Host names of probes are absolute (design, The Corefile language): no search list may complete them.
	addrs, err := d.resolver.LookupNetIP(ctx, network, strings.TrimSuffix(name, ".")+".")
	var fault *net.DNSError
	switch {
	case err == nil && len(addrs) > 0:
		return addrs, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, cannotTell("attempt abandoned").because(Abandoned)
	case err == nil, errors.As(err, &fault) && fault.IsNotFound:
		return nil, failed("DNS resolution failed: %s has no %saddress", quoted(name), families[network])
	case ctx.Err() != nil:
		return nil, cannotTell("timed out while resolving %s", quoted(name)).because(OurResolver)
	case fault == nil:
		return nil, cannotTell("our resolver failed for %s: %s", quoted(name), bare(err)).because(OurResolver)
	case fault.IsTimeout:
		return nil, cannotTell("our resolver %s did not answer for %s", fault.Server, quoted(name)).because(OurResolver)
	}
	// What is wrong stands last in the text; before it comes the way there, both ends of the socket included.
	what := fault.Err[strings.LastIndex(fault.Err, ": ")+1:]
	return nil, cannotTell("our resolver %s failed for %s: %s", fault.Server, quoted(name), strings.TrimSpace(what)).because(OurResolver)
}

// families are the words for what lookup looks for.
var families = map[string]string{"ip4": "IPv4 ", "ip6": "IPv6 "}

// networkOf is the network for lookup that has the address's family.
func networkOf(addr netip.Addr) string {
	if addr.Is4() {
		return "ip4"
	}
	return "ip6"
}
