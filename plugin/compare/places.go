package compare

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/healthroute/healthroute/plugin/config"
)

// contents tells which files of places, of the same name in two directories, have other contents.
func contents(old, now *config.Stanza) []string {
	var out []string
	files := func(s *config.Stanza) []string {
		if s.Locations == "" {
			return s.GeoIP
		}
		return append([]string{s.Locations}, s.GeoIP...)
	}
	before := files(old)
	for _, file := range files(now) {
		for _, other := range before {
			if file != other && filepath.Base(file) == filepath.Base(other) && !same(file, other) {
				out = append(out, "file "+filepath.Base(file)+": its contents")
			}
		}
	}
	return out
}

// same reports whether two files have the same contents. One that cannot be read has been refused before.
func same(a, b string) bool {
	one, err := os.ReadFile(a)
	if err != nil {
		return false
	}
	other, err := os.ReadFile(b)
	return err == nil && bytes.Equal(one, other)
}
