package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/healthroute/healthroute/plugin/config"
)

// fingerprint digests every option of the probe but its name and place, with the contents of its files: a new
// certificate under an old name is another probe.
//
// %#v writes the fields one by one and quotes texts, so an option that is added to config.Probe counts by itself and no
// two definitions look alike. It holds no pointers: those would be written as addresses.
func fingerprint(p *config.Probe, f files) string {
	definition := *p
	definition.Places = config.Places{}
	if p.Type != config.ProbePush { // those who push know it by its name
		definition.Name = ""
	}
	if len(definition.HTTP.Headers) == 0 {
		definition.HTTP.Headers = nil // %#v tells empty from nil
	}
	if len(definition.HTTP.Expect) == 0 {
		definition.HTTP.Expect = nil
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%#v %q %q %q", definition, f.ca, f.cert, f.key)
	return hex.EncodeToString(digest.Sum(nil))
}
