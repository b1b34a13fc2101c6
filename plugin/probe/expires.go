package probe

import (
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// lifetime judges how long the certificate of a TLS connection is still valid. Only the server's own counts: what it sends with it
// may hold an old certificate of an authority that no client looks at.
func lifetime(conn net.Conn, atLeast time.Duration) *finding {
	client, ok := conn.(*tls.Conn)
	if !ok || atLeast == 0 {
		return nil
	}
	chain := client.ConnectionState().PeerCertificates
	if len(chain) == 0 {
		return failed("server sent no certificate")
	}
	ends := chain[0].NotAfter
	left := time.Until(ends)
	on := ends.UTC().Format(time.DateOnly)
	switch {
	case left <= 0:
		return failed("certificate expired on %s", on)
	case left < atLeast:
		return failed("certificate expires on %s, in %s: expected at least %s", on, span(left), span(atLeast))
	}
	return nil
}

// span writes a length of time as people count it: whole days from two on.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 2*day {
		return fmt.Sprintf("%d days", d/day)
	}
	return config.FormatDuration(d.Truncate(time.Second))
}
