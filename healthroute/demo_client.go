package main

import (
	"context"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// weightedQueries is how many queries for the weighted name a look makes.
const weightedQueries = 20

// snapshot is what a client got in one second.
type snapshot struct {
	second     int
	failover   answer
	weighted   []answer
	multivalue answer
}

// answer is the addresses of a reply in ascending order, or the reason why there are none.
type answer struct {
	addresses []string
	problem   string
}

// demoClient asks a server as any resolver would, over UDP.
type demoClient struct{ server string }

// look asks for the demo's three names.
func (c demoClient) look(ctx context.Context, second int) snapshot {
	s := snapshot{second: second, failover: c.ask(ctx, "www.example.org."), multivalue: c.ask(ctx, "all.example.org.")}
	for range weightedQueries {
		s.weighted = append(s.weighted, c.ask(ctx, "app.example.org."))
	}
	return s
}

// ask makes one query for the name's IPv4 addresses.
func (c demoClient) ask(ctx context.Context, name string) answer {
	client := dns.Client{Timeout: time.Second}
	query := new(dns.Msg)
	query.SetQuestion(name, dns.TypeA)
	reply, _, err := client.ExchangeContext(ctx, query, c.server)
	if err != nil {
		return answer{problem: "no reply"}
	}
	if reply.Rcode != dns.RcodeSuccess {
		return answer{problem: dns.RcodeToString[reply.Rcode]}
	}
	var a answer
	for _, rr := range reply.Answer {
		if rr, ok := rr.(*dns.A); ok {
			a.addresses = append(a.addresses, rr.A.String())
		}
	}
	if len(a.addresses) == 0 {
		return answer{problem: "NODATA"}
	}
	slices.Sort(a.addresses)
	return a
}
