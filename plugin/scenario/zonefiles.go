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

// zoneFiles is what stands behind us in virtual time: the zones of the block's `file` directives, which are one plugin, or nobody.
type zoneFiles struct{ file *file.File }

func loadZoneFiles(d caddyfile.Dispenser, root string, serverZones []string) (zoneFiles, error) {
	var z zoneFiles
	for d.Next() {
		if z.file == nil {
			z.file = &file.File{Zones: file.Zones{Z: map[string]*file.Zone{}}}
		}
		args := d.RemainingArgs()
		if len(args) == 0 {
			return z, fmt.Errorf("%s:%d: file needs the name of a zone file", d.File(), d.Line())
		}
		fileBlock(&d, &z.file.Fall)
		name := args[0]
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		for _, zone := range plugin.OriginsFromArgsOrServerBlock(args[1:], serverZones) {
			parsed, err := parseZoneFile(name, zone)
			if err != nil {
				return z, err
			}
			z.file.Zones.Z[zone] = parsed
			z.file.Zones.Names = append(z.file.Zones.Names, zone)
		}
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

// fileBlock reads the block of a file directive, of which only fallthrough matters here. The last one holds for all.
func fileBlock(d *caddyfile.Dispenser, through *fall.F) {
	for d.NextBlock() {
		if d.Val() == "fallthrough" {
			through.SetZonesFromArgs(d.RemainingArgs())
			continue
		}
		d.RemainingArgs()
	}
}

// Ask answers from the zone files.
func (z zoneFiles) Ask(ctx context.Context, req *dns.Msg) answer.Behind {
	if z.file == nil {
		return answer.Behind{Nobody: true, Rcode: dns.RcodeServerFailure}
	}
	w := nonwriter.New(pretendWriter{})
	rcode, err := z.file.ServeDNS(ctx, w, req.Copy())
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
