package state

import (
	"fmt"
	"path/filepath"
	"time"
)

// moveAside renames a file that was refused to FILE.bad-TIME, and returns that name. What is there already is not touched.
func moveAside(d disk, file string, now time.Time) (string, error) {
	first := file + ".bad-" + now.UTC().Format("20060102T150405Z")
	to := first
	for n := 2; ; n++ {
		there, err := d.exists(to)
		if err != nil {
			return "", err
		}
		if !there {
			break
		}
		to = fmt.Sprintf("%s-%d", first, n)
	}
	if err := d.rename(file, to); err != nil {
		return "", err
	}
	return to, d.syncDir(filepath.Dir(file))
}
