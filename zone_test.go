package healthroute

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// zoneText is the zone that stands in file behind us. Its SOA lives longer than our answers may.
const zoneText = `$ORIGIN example.org.
$TTL 3600
@       IN SOA ns1 hostmaster 7 7200 1800 86400 1800
@       IN NS  ns1
@       IN NS  ns2
@       IN MX  10 mail
@       IN TXT "v=spf1 -all"
@       IN A   198.51.100.1
ns1     IN A   198.51.100.53
ns2     IN A   198.51.100.54
mail    IN A   198.51.100.25
plain   IN A   198.51.100.80
plain   IN TXT "beside"
both    IN TXT "the file's"
alias   IN CNAME plain
dangling IN CNAME nothing
loop    IN CNAME loop2
loop2   IN CNAME loop
dead    IN TXT "still there"
sub     IN NS  ns.sub
ns.sub  IN A   198.51.100.99
*.star  IN TXT "wild"
theirs.wild      IN A   198.51.100.90
deep.branch.wild IN A   198.51.100.91
`

// innerZoneText is a zone inside the other.
const innerZoneText = `$ORIGIN inner.example.org.
$TTL 3600
@ IN SOA ns1 hostmaster 8 7200 1800 86400 1800
@ IN NS ns1
ns1 IN A 198.51.100.53
`

// zoneFile writes a zone and returns the line of the file plugin for it.
func zoneFile(t testing.TB, zone, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("Expected a zone file, got: %v", err)
	}
	return fmt.Sprintf("file %s %s {\nreload 0\n}", path, zone)
}

// policies are the words of all policies, with what the first, the second and the third record of a group need there.
var policies = map[string][]string{
	"simple":     {""},
	"weighted":   {"", "", ""},
	"failover":   {"primary", "secondary"},
	"priority":   {"", "", ""},
	"multivalue": {"", "", ""},
	"roundrobin": {"", "", ""},
	"geo":        {"default", "country JP", "country CN"},
	"proximity":  {"coordinates 0,0", "coordinates 0,90", "coordinates 0,180"},
	"latency":    {"site a", "site b", "site c"},
	"subnet":     {"default", "from 203.0.113.0/24", "from 198.51.100.0/24"},
}

// eachPolicy runs a test for every policy.
func eachPolicy(t *testing.T, test func(t *testing.T, policy string)) {
	t.Helper()
	for _, policy := range slices.Sorted(maps.Keys(policies)) {
		t.Run(policy, func(t *testing.T) { test(t, policy) })
	}
}

// groupOf is a group of addresses in the shape that its policy asks for; some policies have a shape for three at most.
func groupOf(policy, name, options string, addresses ...string) string {
	lines := []string{"group " + name + " " + policy + " {", options}
	if policy == "simple" {
		addresses = []string{strings.Join(addresses, ",")}
	}
	for i, a := range addresses {
		shape := ""
		if i < len(policies[policy]) {
			shape = policies[policy][i]
		}
		lines = append(lines, "record "+a+" "+shape)
	}
	return strings.Join(append(lines, "}"), "\n")
}

// stanza wraps lines into the directive.
func stanza(lines ...string) string { return stanzaOf("", lines...) }

func stanzaOf(zones string, lines ...string) string {
	return "healthroute " + zones + " {\n" + strings.Join(lines, "\n") + "\n}"
}

// dead is a probe that nothing passes, without an attempt.
const dead = "probe dead tcp {\nport 1\nassume unhealthy\n}"
