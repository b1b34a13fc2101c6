package scenario

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/parse"
	"github.com/coredns/coredns/plugin/pkg/transport"
)

// wholeKeys writes a key of a server block as CoreDNS does before it hands it to plugins: with transport and port, and as several keys for a
// network that is several reverse zones. One that CoreDNS would refuse gives none.
func wholeKeys(key string) []string {
	kind, rest := parse.Transport(key)
	hosts, port, err := plugin.SplitHostPort(rest)
	if err != nil {
		return nil
	}
	if port == "" {
		port = map[string]string{
			transport.DNS: transport.Port, transport.TLS: transport.TLSPort, transport.QUIC: transport.QUICPort, transport.GRPC: transport.GRPCPort,
			transport.HTTPS: transport.HTTPSPort, transport.HTTPS3: transport.HTTPSPort,
		}[kind]
	}
	keys := make([]string, len(hosts))
	for i, host := range hosts {
		keys[i] = kind + "://" + plugin.Name(host).Normalize() + ":" + port
	}
	return keys
}

// SplitKey returns the parts of a key of Block.Keys: where CoreDNS listens for it (`dns://:53`), and its zone.
func SplitKey(key string) (listener, zone string) {
	kind, rest, _ := strings.Cut(key, "://")
	zone, port, _ := net.SplitHostPort(rest)
	return kind + "://:" + port, zone
}

// scopeOf tells a block of the keys from the earlier ones: blocks for some clients only may share their keys.
func scopeOf(keys []string, earlier []*Block) string {
	same := 0
	for _, b := range earlier {
		if slices.Equal(b.Keys, keys) {
			same++
		}
	}
	return fmt.Sprintf("%s #%d", strings.Join(keys, " "), same)
}
