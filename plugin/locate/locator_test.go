package locate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"github.com/healthroute/healthroute/plugin/config"
)

func countryOf(l *Locator, network string) string {
	c := l.Client(prefix(network))
	return show(c.Country())
}

func TestFirstFileThatKnowsWins(t *testing.T) {
	first := databaseOf(t, mmdbwriter.Options{DatabaseType: "Country"}, map[string]mmdbtype.Map{"192.0.2.64/26": place("EU", "CH", "")})
	second := databaseOf(t, mmdbwriter.Options{DatabaseType: "City"}, map[string]mmdbtype.Map{
		"192.0.2.0/24": place("EU", "AT", "9"), "192.0.2.0/28": place("EU", "DE", "BE"),
	})
	system := databaseOf(t, mmdbwriter.Options{DatabaseType: "ASN"}, map[string]mmdbtype.Map{"192.0.2.1/32": system(64500)})
	text := "192.0.2.8/29 country=FR\n192.0.2.0/24 site=here\n10.0.0.0/8 country=JP\n"
	l := open(t, []string{fileOf(t, "1", first), fileOf(t, "2", second), fileOf(t, "3", system)}, fileOf(t, "locations", []byte(text)))
	tests := []struct{ network, country, subdivision string }{
		{"192.0.2.65/32", "CH/26", "AT-9/26"},  // the first one; a file that has none of it does not widen; the country's neighbours in the file are far
		{"192.0.2.129/32", "AT/25", "AT-9/25"}, // the first file's gap is as wide as its sibling
		{"192.0.2.1/32", "DE/29", "DE-BE/28"},  // the file says nothing in this half of the /28
		{"192.0.2.9/32", "FR/29", "DE-BE/28"},
		{"10.1.1.1/32", "JP/8", "-/1"},
	}
	for _, tt := range tests {
		c := l.Client(prefix(tt.network))
		if got := []string{show(c.Country()), show(c.Subdivision())}; !slices.Equal(got, []string{tt.country, tt.subdivision}) {
			t.Errorf("Expected %s and %s of %s, got %v", tt.country, tt.subdivision, tt.network, got)
		}
	}
}

func TestNilLocator(t *testing.T) {
	var l *Locator
	c := l.Client(prefix("192.0.2.7/24"))
	if c.Network != prefix("192.0.2.0/24") {
		t.Errorf("Expected the masked network, got %v", c.Network)
	}
	for _, got := range []string{show(c.Continent()), show(c.Country()), show(c.Subdivision()), show(c.ASN()), show(c.Coordinates()), show(c.Site()), show(c.Latency("a"))} {
		if got != "-/0" {
			t.Errorf("Expected nothing, got %s", got)
		}
	}
	if changed, err := l.Refresh(); changed || err != nil {
		t.Errorf("Expected no change, got %v %v", changed, err)
	}
	if l := open(t, nil, ""); countryOf(l, "192.0.2.1/32") != "-/0" {
		t.Errorf("Expected nothing without files, got something")
	}
}

func TestOpenTellsAllFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.mmdb")
	text, folder := fileOf(t, "text.mmdb", []byte("hello")), t.TempDir()
	locations := fileOf(t, "locations", []byte("x\ny\n"))
	l, err := Open([]string{missing, text, folder}, locations)
	if l != nil || err == nil {
		t.Fatal("Expected an error, got none")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, want := range []string{missing + ": no such file", text + ": not an .mmdb database", folder + ": not a regular file", locations + `:1: "x" is not`, locations + `:2: "y" is not`} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("Expected line %d to begin with %q, got %q", i, want, lines)
		}
	}
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Errorf("Expected the problems of the locations file, got %v", problems)
	}
	if _, err := Open([]string{missing}, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Expected an error that says that there is no file, got %v", err)
	}
}

// refresh expects a change, an error with the text, or neither.
func refresh(t *testing.T, l *Locator, wantChange bool, wantError string) {
	t.Helper()
	changed, err := l.Refresh()
	if changed != wantChange || (err == nil) != (wantError == "") || err != nil && !strings.Contains(err.Error(), wantError) {
		t.Errorf("Expected a change %v and the error %q, got %v and %v", wantChange, wantError, changed, err)
	}
}

func TestRefreshLocations(t *testing.T) {
	path := fileOf(t, "locations", []byte("192.0.2.0/24 country=CH\n"))
	l := open(t, nil, path)
	const network = "192.0.2.1/32"
	want := func(country string) {
		t.Helper()
		if got := countryOf(l, network); got != country {
			t.Errorf("Expected %s, got %s", country, got)
		}
	}
	want("CH/24")
	refresh(t, l, false, "")

	write(t, path, []byte("192.0.2.0/24 country=AT\n")) // same size
	before := l.Client(prefix(network))
	refresh(t, l, true, "")
	want("AT/24")
	if got := show(before.Country()); got != "CH/24" {
		t.Errorf("Expected a query to see one version, got %s", got)
	}

	write(t, path, []byte("192.0.2.0/24 cuntry=DE\n"))
	refresh(t, l, false, path+`:1: unknown key "cuntry"`)
	refresh(t, l, false, "") // told once
	want("AT/24")
	write(t, path, []byte("192.0.2.0/24 cuntry=FR\n"))
	refresh(t, l, false, `unknown key "cuntry"`) // another bad version
	write(t, path, nil)
	refresh(t, l, false, "the file is empty")
	refresh(t, l, false, "")
	want("AT/24")

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, false, path+": no such file")
	refresh(t, l, false, "")
	want("AT/24")
	write(t, path, []byte("192.0.2.0/24 country=DE\n"))
	refresh(t, l, true, "")
	want("DE/24")

	if err := os.WriteFile(path, []byte("192.0.2.0/25 country=DE\n# in place\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, true, "")
	want("DE/25")
}

func TestRefreshPutsAwayAndBack(t *testing.T) {
	path := fileOf(t, "locations", []byte("192.0.2.0/24 country=CH\n"))
	l := open(t, nil, path)
	for range 2 {
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		refresh(t, l, false, "no such file")
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		refresh(t, l, false, "") // it is the version that we have
	}
	if got := countryOf(l, "192.0.2.1/32"); got != "CH/24" {
		t.Errorf("Expected CH/24, got %s", got)
	}
}

func TestRefreshFollowsLinks(t *testing.T) {
	a, b := fileOf(t, "a.mmdb", countries(t, "CH")), fileOf(t, "b.mmdb", countries(t, "AT"))
	stamp := time.Unix(1700000000, 0)
	for _, name := range []string{a, b} {
		if err := os.Chtimes(name, stamp, stamp); err != nil { // so that only the file itself differs
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link.mmdb")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	l := open(t, []string{link}, "")
	refresh(t, l, false, "")
	if err := os.Symlink(b, link+".next"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+".next", link); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, true, "")
	if got := countryOf(l, "192.0.2.1/32"); got != "AT/24" {
		t.Errorf("Expected AT/24 behind the link, got %s", got)
	}
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, false, "no such file")
	if got := countryOf(l, "192.0.2.1/32"); got != "AT/24" {
		t.Errorf("Expected AT/24 to stay, got %s", got)
	}
}

func TestRefreshDatabase(t *testing.T) {
	good := countries(t, "CH")
	path, locations := fileOf(t, "c.mmdb", good), fileOf(t, "locations", []byte("10.0.0.0/8 country=JP\n"))
	l := open(t, []string{path}, locations)
	if err := os.Truncate(path, int64(len(good)/2)); err != nil { // under the reader
		t.Fatal(err)
	}
	if got := countryOf(l, "192.0.2.1/32"); got != "CH/24" {
		t.Errorf("Expected CH/24 of the copy in memory, got %s", got)
	}
	write(t, locations, []byte("10.0.0.0/8 country=AT\n"))
	refresh(t, l, true, path+": not an .mmdb database") // one file is bad, the other one is taken
	refresh(t, l, false, "")
	if got := countryOf(l, "192.0.2.1/32") + countryOf(l, "10.0.0.1/32"); got != "CH/24AT/8" {
		t.Errorf("Expected the old database and the new file, got %s", got)
	}
	write(t, path, nil)
	refresh(t, l, false, path+": the file is empty")
	write(t, path, countries(t, "DE"))
	refresh(t, l, true, "")
	if got := countryOf(l, "192.0.2.1/32"); got != "DE/24" {
		t.Errorf("Expected DE/24, got %s", got)
	}
}

func TestRefreshReadsWhatBecomesReadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is unreadable for root")
	}
	path := fileOf(t, "locations", []byte("192.0.2.0/24 country=CH\n"))
	l := open(t, nil, path)
	write(t, path, []byte("192.0.2.0/24 country=AT\n"))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, false, path+": permission denied")
	refresh(t, l, false, "")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	refresh(t, l, true, "")
}
