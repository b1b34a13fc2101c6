package scenario

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/file"
	"github.com/coredns/coredns/plugin/pkg/fall"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
)

// zoneFiles is what stands behind us in virtual time: the block's `file` directives, in order.
type zoneFiles struct{ files []file.File }

func loadZoneFiles(d caddyfile.Dispenser, root string, serverZones []string) (zoneFiles, error) {
	var z zoneFiles
	for d.Next() {
		args := d.RemainingArgs()
		if len(args) == 0 {
			return z, fmt.Errorf("%s:%d: file needs the name of a zone file", d.File(), d.Line())
		}
		through, err := fileBlock(&d)
		if err != nil {
			return z, err
		}
		name := args[0]
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		f := file.File{Zones: file.Zones{Z: map[string]*file.Zone{}}, Fall: through}
		for _, zone := range plugin.OriginsFromArgsOrServerBlock(args[1:], serverZones) {
			parsed, err := parseZoneFile(name, zone)
			if err != nil {
				return z, err
			}
			f.Zones.Z[zone] = parsed
			f.Zones.Names = append(f.Zones.Names, zone)
		}
		z.files = append(z.files, f)
	}
	return z, nil
}

func parseZoneFile(name, zone string) (*file.Zone, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return file.Parse(bytes.NewReader(text), zone, name, 0)
}

// fileBlock reads the block of a file directive, of which only fallthrough matters here.
func fileBlock(d *caddyfile.Dispenser) (fall.F, error) {
	var through fall.F
	for d.NextBlock() {
		if d.Val() == "fallthrough" {
			through.SetZonesFromArgs(d.RemainingArgs())
			continue
		}
		d.RemainingArgs()
	}
	return through, nil
}

// Ask answers from the zone files.
func (z zoneFiles) Ask(ctx context.Context, req *dns.Msg) answer.Behind {
	var next plugin.Handler
	for i := len(z.files) - 1; i >= 0; i-- {
		f := z.files[i]
		f.Next = next
		next = f
	}
	if next == nil {
		return answer.Behind{Nobody: true, Rcode: dns.RcodeServerFailure}
	}
	w := nonwriter.New(pretendWriter{})
	rcode, err := next.ServeDNS(ctx, w, req.Copy())
	if w.Msg != nil {
		return answer.Behind{Msg: w.Msg, Rcode: w.Msg.Rcode, Err: err}
	}
	nobody := err != nil && strings.HasSuffix(err.Error(), "no next plugin found")
	return answer.Behind{Rcode: rcode, Err: err, Nobody: nobody}
}

// pretendWriter is a client on loopback that hears nothing.
type pretendWriter struct{ dns.ResponseWriter }

// LocalAddr is the pretended server's.
func (pretendWriter) LocalAddr() net.Addr { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53} }

// RemoteAddr is the pretended client's.
func (pretendWriter) RemoteAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000}
}
