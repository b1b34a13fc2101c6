package probe

import (
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func TestNewErrors(t *testing.T) {
	var (
		one, two  = certificate(t, issued{}), certificate(t, issued{})
		empty     = file(t, "empty.pem", nil)
		broken    = file(t, "broken.pem", []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
		cert, key = file(t, "cert.pem", certPEM(one)), file(t, "key.pem", keyPEM(one))
		otherKey  = file(t, "other.pem", keyPEM(two))
	)
	tests := []struct {
		name   string
		kind   config.ProbeType
		change func(*config.Probe)
		want   []string // parts of the error
	}{
		{"unknown type", "icmp", func(*config.Probe) {}, []string{`probe type "icmp"`, "is unknown"}},
		{"no CA file", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.CA = "/does/not/exist" }, []string{`ca: file "/does/not/exist": no such file`}},
		{"CA file without certificates", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.CA = empty }, []string{"ca: file", empty, "no PEM certificate in it"}},
		{"CA file with a broken one", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.CA = broken }, []string{"ca: file", broken, "certificate 1"}},
		{"no certificate file", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.Cert, p.TLS.Key = "/none", key }, []string{`cert: file "/none": no such file`}},
		{"no key file", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.Cert, p.TLS.Key = cert, "/none" }, []string{`cert: key file "/none": no such file`}},
		{"certificate file is a key", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.Cert, p.TLS.Key = key, key }, []string{"cert: file", key, "no PEM certificate in it"}},
		{"key file is a certificate", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.Cert, p.TLS.Key = cert, cert }, []string{"cert: key file", cert, "no PEM private key in it"}},
		{"key of another", config.ProbeHTTPS, func(p *config.Probe) { p.TLS.Cert, p.TLS.Key = cert, otherKey }, []string{"cert: file", cert, otherKey, "does not match"}},
		{"body_match", config.ProbeHTTP, matches("("), []string{`body_match "("`, "missing closing )"}},
		{"expect_reply", config.ProbeTCP, exchanges("", "["), []string{`expect_reply "["`, "missing closing ]"}},
		{"path", config.ProbeHTTP, func(p *config.Probe) { p.HTTP.Path = "health" }, []string{`path "health": expected it to begin with a slash`}},
		{"path with a blank", config.ProbeHTTP, func(p *config.Probe) { p.HTTP.Path = "/?a b" }, []string{`path "/?a b"`, "%20"}},
		{"path with a bad escape", config.ProbeHTTP, func(p *config.Probe) { p.HTTP.Path = "/%zz" }, []string{`path`, `%zz`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prober, err := New(probeOf(test.kind, test.change))
			if err == nil {
				t.Fatalf("Expected an error, got prober %v", prober)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Expected an error with %q, got %q", part, err)
				}
			}
		})
	}
}
