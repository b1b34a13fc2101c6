package scenario

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
)

// Source is a Corefile and the files that it names.
type Source struct {
	Name  string            // the Corefile's name, in positions too
	Files map[string][]byte // the Corefile's text by Name, and others by their names relative to it
	Dir   string            // directory on disk of files that are not in Files; "" for none
}

// FileSource is a Corefile on disk.
func FileSource(name string) (Source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: filepath.Base(name), Files: map[string][]byte{filepath.Base(name): text}, Dir: filepath.Dir(name)}, nil
}

// Block is what a server block of a Corefile has of ours, and the zone files that stand behind it.
type Block struct {
	Zones   []string // of the server block
	Keys    []string // of the server block, as CoreDNS writes them: dns://example.org.:53
	Scope   string   // tells it from the other blocks of the Corefile, as a server does (health.Lease)
	Stanzas []*config.Stanza
	Probers map[*config.Probe]*probe.Prober
	Places  map[*config.Stanza]*locate.Locator // of the stanzas that name files
	next    zoneFiles
	hasView bool     // the server block is for some clients only
	beside  []string // zones of the other server blocks with healthroute, but for those with a view
}

// Load reads the server blocks that have a healthroute directive. Directives of other plugins are ignored, but for `root` and
// `file`. It opens no socket and starts nothing. The problems hold warnings too; the blocks may be used if none is an error.
func Load(s Source) ([]*Block, config.Problems) {
	dir, cleanUp, err := s.onDisk()
	if err != nil {
		return nil, config.Problems{{Message: err.Error()}}
	}
	defer cleanUp()
	parsed, err := caddyfile.Parse(filepath.Join(dir, s.Name), strings.NewReader(string(s.Files[s.Name])), nil)
	if err != nil {
		return nil, config.Problems{{Message: strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")}}
	}
	var blocks []*Block
	var problems config.Problems
	for _, sb := range parsed {
		if sb.Tokens[corefile.Directive] == nil {
			continue
		}
		b, ps := loadBlock(sb, dir)
		b.Scope = scopeOf(b.Keys, blocks)
		problems = append(append(problems, ps...), config.ValidateProcess(stanzasOf(blocks), b.Stanzas)...)
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for _, other := range blocks {
			for _, zone := range other.Zones {
				if !other.hasView && !slices.Contains(b.Zones, zone) {
					b.beside = append(b.beside, zone)
				}
			}
		}
	}
	if len(blocks) == 0 && problems == nil {
		problems = config.Problems{{
			Position: config.Position{File: s.Name, Line: 1}, Message: "no server block has a healthroute directive",
		}}
	}
	return blocks, problems
}

// stanzasOf are the stanzas of several blocks.
func stanzasOf(blocks []*Block) []*config.Stanza {
	var stanzas []*config.Stanza
	for _, b := range blocks {
		stanzas = append(stanzas, b.Stanzas...)
	}
	return stanzas
}

// onDisk is the directory of the source's files: its own, or a temporary one that holds those of an archive.
func (s Source) onDisk() (dir string, cleanUp func(), err error) {
	if s.Dir != "" {
		return s.Dir, func() {}, nil
	}
	dir, err = os.MkdirTemp("", "healthroute-")
	if err != nil {
		return "", nil, err
	}
	cleanUp = func() { _ = os.RemoveAll(dir) }
	for name, text := range s.Files {
		if !fs.ValidPath(name) {
			cleanUp()
			return "", nil, fmt.Errorf("file name %q leaves the archive", name)
		}
		path := filepath.Join(dir, name)
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			cleanUp()
			return "", nil, err
		}
	}
	return dir, cleanUp, nil
}

func loadBlock(sb caddyfile.ServerBlock, dir string) (*Block, config.Problems) {
	b := &Block{
		Probers: map[*config.Probe]*probe.Prober{}, Places: map[*config.Stanza]*locate.Locator{}, hasView: sb.Tokens["view"] != nil,
	}
	for _, key := range sb.Keys {
		b.Zones = append(b.Zones, plugin.Host(key).NormalizeExact()...)
		b.Keys = append(b.Keys, wholeKeys(key)...)
	}
	root := dir
	if d := dispenser(sb, "root", dir); d.Next() && d.NextArg() { // the directive, then its argument
		root = d.Val()
		if !filepath.IsAbs(root) {
			root = filepath.Join(dir, root)
		}
	}
	d := dispenser(sb, corefile.Directive, dir)
	env := corefile.Env{ServerZones: b.Zones, Root: root, NormalizeZone: normalizeZone}
	stanzas, problems := corefile.Parse(&d, env)
	b.Stanzas = stanzas
	if problems.Errors() == nil {
		for _, s := range stanzas {
			probers, err := route.Probers(s)
			if err != nil {
				problems = append(problems, config.Problem{Message: strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")})
			}
			for p, prober := range probers {
				b.Probers[p] = prober
			}
			if len(s.GeoIP) > 0 || s.Locations != "" {
				places, err := locate.Open(s.GeoIP, s.Locations)
				if err != nil {
					problems = append(problems, config.Problem{Message: strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")})
				}
				b.Places[s] = places
			}
		}
	}
	next, err := loadZoneFiles(dispenser(sb, "file", dir), root, b.Zones)
	if err != nil {
		problems = append(problems, config.Problem{Message: strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")})
	}
	b.next = next
	return b, problems
}

// dispenser deals the tokens of a directive, with file names relative to the Corefile's directory.
func dispenser(sb caddyfile.ServerBlock, directive, dir string) caddyfile.Dispenser {
	tokens := append([]caddyfile.Token(nil), sb.Tokens[directive]...)
	for i := range tokens {
		if name, err := filepath.Rel(dir, tokens[i].File); err == nil {
			tokens[i].File = name
		}
	}
	return caddyfile.NewDispenserTokens("Corefile", tokens)
}

func normalizeZone(arg string) ([]string, error) {
	if zones := plugin.Host(arg).NormalizeExact(); len(zones) > 0 {
		return zones, nil
	}
	return nil, fmt.Errorf("%q is no zone", arg)
}
