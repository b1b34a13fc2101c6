package discover

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// replyOf is a reply of these records; those behind "---" are additional. A first line that is a code is the reply's.
func replyOf(t testing.TB, text string) *dns.Msg {
	t.Helper()
	m := new(dns.Msg)
	m.Response = true
	section := &m.Answer
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		code, isCode := dns.StringToRcode[line]
		switch {
		case isCode:
			m.Rcode = code
		case line == "---":
			section = &m.Extra
		case line != "":
			rr, err := dns.NewRR(line)
			if err != nil {
				t.Fatalf("Expected a record, got %q: %v", line, err)
			}
			*section = append(*section, rr)
		}
	}
	return m
}

func TestFromDNS(t *testing.T) {
	tests := []struct {
		name    string
		qtype   uint16
		reply   string
		want    string
		missing string
		keep    time.Duration
	}{
		{"A", dns.TypeA, "app.test. 30 A 10.0.0.2\napp.test. 20 A 10.0.0.1\napp.test. 30 AAAA 2001:db8::1", "10.0.0.1  1\n10.0.0.2  1\n", "", 20 * time.Second},
		{"AAAA", dns.TypeAAAA, "APP.test. 30 AAAA 2001:db8::1\napp.test. 5 A 10.0.0.1", "2001:db8::1  1\n", "", 30 * time.Second},
		{"twice", dns.TypeA, "app.test. 30 A 10.0.0.1\napp.test. 30 A 10.0.0.1", "10.0.0.1  1\n", "", 30 * time.Second},
		{"of another name", dns.TypeA, "app.test. 30 A 10.0.0.1\nother.test. 1 A 10.0.0.2", "10.0.0.1  1\n", "", 30 * time.Second},
		{"CNAMEs, in any order", dns.TypeA, "c.test. 30 A 10.0.0.1\nb.test. 9 CNAME C.test.\napp.test. 30 CNAME b.test.", "10.0.0.1  1\n", "", 9 * time.Second},
		{"CNAMEs in a circle", dns.TypeA, "app.test. 30 CNAME b.test.\nb.test. 30 CNAME app.test.\nb.test. 30 A 10.0.0.1", "10.0.0.1  1\n", "", 30 * time.Second},
		{"TTL 0", dns.TypeA, "app.test. 0 A 10.0.0.1", "10.0.0.1  1\n", "", time.Second},
		{"TTL of a week", dns.TypeA, "app.test. 604800 A 10.0.0.1", "10.0.0.1  1\n", "", time.Hour},
		{"SRV", dns.TypeSRV, "app.test. 30 SRV 0 5 8080 a.test.\napp.test. 30 SRV 1 0 8081 b.test.\n---\na.test. 20 A 10.0.0.1\nA.test. 10 AAAA 2001:db8::1\nb.test. 30 A 10.0.0.2\nc.test. 1 A 10.0.0.3",
			"10.0.0.1:8080  5\n10.0.0.2:8081  1\n[2001:db8::1]:8080  5\n", "", 10 * time.Second},
		{"SRV, a host without address", dns.TypeSRV, "app.test. 30 SRV 0 5 80 a.test.\napp.test. 30 SRV 0 0 81 B.test.\n---\na.test. 20 A 10.0.0.1",
			"10.0.0.1:80  5\n", "b.test.:81 1", 20 * time.Second},
		{"SRV, two ports of a host", dns.TypeSRV, "app.test. 30 SRV 0 5 80 a.test.\napp.test. 30 SRV 0 6 81 a.test.\n---\na.test. 20 A 10.0.0.1", "10.0.0.1:80  5\n10.0.0.1:81  6\n", "", 20 * time.Second},
		{"SRV, two hosts with an address", dns.TypeSRV, "app.test. 30 SRV 0 5 80 a.test.\napp.test. 30 SRV 0 6 80 b.test.\n---\na.test. 20 A 10.0.0.1\nb.test. 20 A 10.0.0.1", "10.0.0.1:80  6\n", "", 20 * time.Second},
		{"SRV, a CNAME before it and one as host", dns.TypeSRV, "app.test. 4 CNAME x.test.\nx.test. 30 SRV 0 5 80 a.test.\n---\na.test. 3 CNAME b.test.\nb.test. 30 A 10.0.0.1", "10.0.0.1:80  5\n", "", 3 * time.Second},
		{"SRV, none and another", dns.TypeSRV, "app.test. 30 SRV 0 0 0 .\napp.test. 30 SRV 0 1 80 a.test.\n---\na.test. 30 A 10.0.0.1", "10.0.0.1:80  1\n", "", 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromDNS(replyOf(t, tt.reply), "App.test.", tt.qtype)
			var missing []string
			for _, s := range got.Missing {
				missing = append(missing, fmt.Sprintf("%s:%d %d", s.Host, s.Port, s.Weight))
			}
			if err != nil || show(got.Found) != tt.want || strings.Join(missing, " ") != tt.missing || got.Keep != tt.keep {
				t.Errorf("Expected\n%s, missing %q, for %v; got\n%s, missing %q, for %v, and %v", tt.want, tt.missing, tt.keep, show(got.Found), missing, got.Keep, err)
			}
		})
	}
}

func TestFromDNSFaults(t *testing.T) {
	truncated := replyOf(t, "app.test. 30 A 10.0.0.1")
	truncated.Truncated = true
	tests := []struct {
		name  string
		qtype uint16
		reply *dns.Msg
		is    error
		want  string
	}{
		{"nobody", dns.TypeA, nil, ErrNoAnswer, "no answer"},
		{"failure", dns.TypeA, replyOf(t, "SERVFAIL"), ErrNoAnswer, "no answer: SERVFAIL"},
		{"unknown code", dns.TypeA, &dns.Msg{MsgHdr: dns.MsgHdr{Rcode: 3999}}, ErrNoAnswer, "no answer: RCODE3999"},
		{"NXDOMAIN", dns.TypeA, replyOf(t, "NXDOMAIN"), ErrEmpty, "no targets"},
		{"NODATA", dns.TypeA, replyOf(t, ""), ErrEmpty, "no targets"},
		{"another type", dns.TypeA, replyOf(t, "app.test. 30 AAAA 2001:db8::1"), ErrEmpty, "no targets"},
		{"a CNAME only", dns.TypeA, replyOf(t, "app.test. 30 CNAME b.test."), ErrEmpty, "no targets"},
		{"service not there", dns.TypeSRV, replyOf(t, "app.test. 30 SRV 0 0 0 ."), ErrEmpty, "no targets"},
		{"truncated", dns.TypeA, truncated, nil, "the answer is truncated"},
		{"unspecified", dns.TypeA, replyOf(t, "app.test. 30 A 10.0.0.1\napp.test. 30 A 0.0.0.0"), nil, `address "0.0.0.0" is the unspecified address: expected the unicast address of a host`},
		{"multicast", dns.TypeAAAA, replyOf(t, "app.test. 30 AAAA ff02::1"), nil, `address "ff02::1" is multicast: expected the unicast address of a host`},
		{"mapped", dns.TypeAAAA, replyOf(t, "app.test. 30 AAAA ::ffff:10.0.0.1"), nil, `address "::ffff:10.0.0.1" is IPv4 mapped into IPv6: write 10.0.0.1: expected the unicast address of a host`},
		{"no address", dns.TypeA, &dns.Msg{Answer: []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: "app.test.", Rrtype: dns.TypeA}}}}, nil, `"invalid IP" is not an IP address: expected the unicast address of a host`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromDNS(tt.reply, "app.test.", tt.qtype)
			if err == nil || err.Error() != tt.want || got.Found != nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Expected %q, got %v and %v", tt.want, got, err)
			}
		})
	}
}

// TestFromDNSOrder finds the same in whatever order a server sends it: most turn their answers each time.
func TestFromDNSOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := new(dns.Msg)
		for range rapid.IntRange(1, 12).Draw(t, "services") {
			host := string('a'+rune(rapid.IntRange(0, 3).Draw(t, "host"))) + ".test."
			m.Answer = append(m.Answer, &dns.SRV{Hdr: dns.RR_Header{Name: "app.test.", Rrtype: dns.TypeSRV, Ttl: uint32(rapid.IntRange(0, 9).Draw(t, "TTL"))},
				Target: host, Port: uint16(rapid.IntRange(80, 82).Draw(t, "port")), Weight: uint16(rapid.IntRange(0, 3).Draw(t, "weight"))})
			if rapid.Bool().Draw(t, "has an address") {
				m.Extra = append(m.Extra, &dns.A{Hdr: dns.RR_Header{Name: host, Rrtype: dns.TypeA, Ttl: 60}, A: []byte{10, 0, 0, byte(rapid.IntRange(1, 4).Draw(t, "address"))}})
			}
		}
		first, err := FromDNS(m, "app.test.", dns.TypeSRV)
		if err != nil {
			t.Fatalf("Expected services, got %v", err)
		}
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		for range 3 {
			for _, section := range [][]dns.RR{m.Answer, m.Extra} {
				shuffle.Shuffle(len(section), func(i, j int) { section[i], section[j] = section[j], section[i] })
			}
			got, err := FromDNS(m, "app.test.", dns.TypeSRV)
			if err != nil || !slices.Equal(got.Found, first.Found) || got.Keep != first.Keep || len(got.Missing) != len(first.Missing) {
				t.Fatalf("Expected %v, got %v and %v", first, got, err)
			}
		}
	})
}

// FuzzFromDNS feeds whatever unpacks: no panic, and only targets that can be used, each once.
func FuzzFromDNS(f *testing.F) {
	for _, text := range []string{
		"app.test. 30 A 10.0.0.1\napp.test. 30 AAAA 2001:db8::1", "app.test. 30 CNAME b.test.\nb.test. 3 A 10.0.0.1",
		"app.test. 30 SRV 0 0 80 a.test.\n---\na.test. 30 A 10.0.0.1", "app.test. 30 SRV 0 0 0 .", "NXDOMAIN",
	} {
		wire, err := replyOf(f, text).Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		m := new(dns.Msg)
		if m.Unpack(wire) != nil {
			return
		}
		for _, qtype := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeSRV} {
			got, err := FromDNS(m, "app.test.", qtype)
			if err != nil {
				if got.Found != nil || got.Missing != nil {
					t.Errorf("Expected nothing beside an error, got %v", got)
				}
				continue
			}
			if len(got.Found)+len(got.Missing) == 0 || got.Keep < time.Second || got.Keep > time.Hour {
				t.Errorf("Expected something for 1 s to 1 h, got %v", got)
			}
			for i, target := range got.Found {
				if _, err := config.ParseAddress(target.Address.String()); err != nil || target.Weight < 1 {
					t.Errorf("Expected a target that can be used, got %+v", target)
				}
				if i > 0 && Compare(got.Found[i-1], target) >= 0 {
					t.Errorf("Expected each target once and in order, got %v", got.Found)
				}
			}
		}
	})
}

// BenchmarkFromDNS reads what *kubernetes* says of a service with 5,000 endpoints.
func BenchmarkFromDNS(b *testing.B) {
	m := new(dns.Msg)
	for i := range 5000 {
		host := fmt.Sprintf("10-0-%d-%d.app.svc.cluster.local.", i>>8, i&255)
		m.Answer = append(m.Answer, &dns.SRV{Hdr: dns.RR_Header{Name: "app.test.", Rrtype: dns.TypeSRV, Ttl: 5}, Target: host, Port: 80, Weight: 1})
		m.Extra = append(m.Extra, &dns.A{Hdr: dns.RR_Header{Name: host, Rrtype: dns.TypeA, Ttl: 5}, A: []byte{10, 0, byte(i >> 8), byte(i)}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if r, err := FromDNS(m, "app.test.", dns.TypeSRV); err != nil || len(r.Found) != 5000 {
			b.Fatalf("Expected 5,000 targets, got %d and %v", len(r.Found), err)
		}
	}
}
