package probe

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// files are the contents of the files that a probe names; empty where it names none.
type files struct{ ca, cert, key []byte }

// readFiles reads them once, when the prober is made: the same bytes make the TLS configuration and the fingerprint.
func readFiles(p *config.Probe) (f files, err error) {
	if !p.UsesTLS() && p.Type != config.ProbePrometheus {
		return f, nil
	}
	for _, each := range []struct {
		option, name string
		into         *[]byte
	}{
		{"ca: file", p.TLS.CA, &f.ca},
		{"cert: file", p.TLS.Cert, &f.cert},
		{"cert: key file", p.TLS.Key, &f.key},
	} {
		if each.name == "" {
			continue
		}
		if *each.into, err = os.ReadFile(each.name); err != nil {
			if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
				err = fault.Err // the path is in our own text
			}
			return files{}, fmt.Errorf("%s %q: %w", each.option, each.name, err)
		}
	}
	return f, nil
}

// roots are the certificates of the CA file, which replace the system's; nil, the system's, if none is named.
func (f files) roots(t config.TLS) (*x509.CertPool, error) {
	if t.CA == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	certificates := blocks(f.ca, "CERTIFICATE")
	if len(certificates) == 0 {
		return nil, fmt.Errorf("ca: file %q: no PEM certificate in it", t.CA)
	}
	for i, der := range certificates {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("ca: file %q: certificate %d: %w", t.CA, i+1, err)
		}
		pool.AddCert(certificate)
	}
	return pool, nil
}

// own is the client certificate with its key; none if the probe names none.
func (f files) own(t config.TLS) ([]tls.Certificate, error) {
	if t.Cert == "" {
		return nil, nil
	}
	if len(blocks(f.cert, "CERTIFICATE")) == 0 {
		return nil, fmt.Errorf("cert: file %q: no PEM certificate in it", t.Cert)
	}
	if len(blocks(f.key, "PRIVATE KEY")) == 0 {
		return nil, fmt.Errorf("cert: key file %q: no PEM private key in it", t.Key)
	}
	pair, err := tls.X509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("cert: file %q with key file %q: %w", t.Cert, t.Key, err)
	}
	return []tls.Certificate{pair}, nil
}

// blocks are the contents of the PEM blocks whose type ends in suffix: "PRIVATE KEY" also finds "EC PRIVATE KEY".
func blocks(text []byte, suffix string) (found [][]byte) {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return found
		}
		if strings.HasSuffix(block.Type, suffix) {
			found = append(found, block.Bytes)
		}
		text = rest
	}
}
