package status

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// CheckFiles reads the files that a configuration names, so that one which is missing or wrong is told before the server starts.
func CheckFiles(c *config.Status) error {
	if c.Token != "" {
		if _, err := readToken(c.Token); err != nil {
			return err
		}
	}
	_, err := newTLS(c)
	return err
}

// newTLS is how the server speaks TLS; nil if it does not. The files are read again when they have changed, so that a certificate is renewed without a
// reload.
func newTLS(c *config.Status) (*tls.Config, error) {
	if c.TLS.Cert == "" {
		return nil, nil
	}
	k := &keys{files: c.TLS}
	if _, err := k.current(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return k.current()
		},
	}, nil
}

// keys are what the files of a TLS configuration hold.
type keys struct {
	files config.StatusTLS

	mu     sync.Mutex
	read   [3]time.Time // guarded by mu: when the files were changed that were read
	config *tls.Config  // guarded by mu: made of them; nil before that
}

// current returns what the files hold now. New ones that cannot be read leave the old ones in force.
func (k *keys) current() (*tls.Config, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := [3]time.Time{}
	for i, name := range []string{k.files.Cert, k.files.Key, k.files.CA} {
		if info, err := os.Stat(name); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if k.config != nil && changed == k.read {
		return k.config, nil
	}
	next, err := readKeys(k.files)
	if err != nil && k.config == nil {
		return nil, err
	}
	if err == nil {
		k.config, k.read = next, changed
	}
	return k.config, nil
}

func readKeys(files config.StatusTLS) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if files.CA == "" {
		return c, nil
	}
	text, err := os.ReadFile(files.CA)
	if err != nil {
		return nil, err
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", files.CA)
	}
	c.ClientAuth = tls.VerifyClientCertIfGiven // who must have one is decided request by request
	return c, nil
}
