package probe

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// FuzzReply feeds whatever bytes a server may send to the reading of a reply: no panic, and a reason of one short line.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		"",
		reply("", "OK"),
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 500 Oops\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: https://a.example/\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
		reply("Content-Encoding: gzip\r\n", packed(f, gzipped, "OK")),
		reply("Content-Encoding: deflate\r\n", packed(f, zlibbed, "OK")),
		reply("Content-Encoding: deflate\r\n", packed(f, deflated, "OK")),
		"HTTP/1.1 200 OK\r\nnonsense\x00\x85\r\n\r\n",
		"SSH-2.0-x",
	} {
		f.Add([]byte(seed), true)
	}
	target := Target{Address: netip.MustParseAddr("127.0.0.1"), Port: 80}
	f.Fuzz(func(t *testing.T, said []byte, text bool) {
		change := wants("OK")
		if !text {
			change = matches("O+K")
		}
		h := httpOf(t, probeOf(config.ProbeHTTP, change, follows))
		here, there := net.Pipe()
		over := make(chan struct{})
		go func() {
			defer close(over)
			defer there.Close()
			there.Read(make([]byte, 4096))
			there.Write(said)
		}()
		first := h.first(target, target.Address)
		to, found := h.talk(t.Context(), here, first)
		here.Close()
		<-over
		if to != nil {
			way := trip{h, target, "127.0.0.1", map[string]netip.Addr{"127.0.0.1": target.Address}}
			h.dialer.resolver = names{"a.example": {"127.0.0.2"}}
			_, found = way.next(t.Context(), first, to)
		}
		if found != nil && (len(found.reason) > 512 || strings.ContainsAny(found.reason, "\r\n\x00")) {
			t.Errorf("Expected a short line, got %q", found.reason)
		}
	})
}
