package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// exec checks the program of an exec probe. It runs in the root directory and without the server's search path, so that only an
// absolute name is sure to mean the same to whoever writes and whoever runs it.
func (v *validator) exec(p *Probe) {
	at := p.Places.Of("command")
	switch {
	case len(p.Command) == 0:
		if !p.Places.Faulty {
			v.fault(at, fmt.Sprintf("the exec probe %q has no program", p.Name), "`command PROGRAM ARG...`")
		}
	case !filepath.IsAbs(p.Command[0]):
		v.fault(at, fmt.Sprintf("program %q of \"command\" is no absolute path", p.Command[0]), "the whole path, as in /usr/local/bin/check")
	default:
		for _, word := range p.Command {
			if strings.ContainsRune(word, 0) {
				v.fault(at, fmt.Sprintf("%q of \"command\" holds a zero byte, which no program can be given", word), "")
			}
		}
	}
}
