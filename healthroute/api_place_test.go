package main

import (
	"os"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/status"
)

// TestPlaceOf is where a server listens, seen by a client on the same host.
func TestPlaceOf(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8053": "http://127.0.0.1:8053", "[::1]:8053": "http://[::1]:8053", ":8053": "http://127.0.0.1:8053", "0.0.0.0:8053": "http://127.0.0.1:8053",
		"192.0.2.1:8053": "http://192.0.2.1:8053", "unix:/run/api.sock": "unix:/run/api.sock",
	} {
		if got, err := placeOf(&config.Status{Address: address}); err != nil || got != (status.Place{URL: want}) {
			t.Errorf("Expected %s for %s, got %+v, %v", want, address, got, err)
		}
	}
	if _, err := placeOf(&config.Status{Address: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "may be any port") {
		t.Errorf("Expected a port to be missed, got: %v", err)
	}
	got, err := placeOf(&config.Status{Address: ":8053", TLS: config.StatusTLS{Cert: "none.pem"}})
	if want := (status.Place{URL: "https://127.0.0.1:8053"}); err != nil || got != want {
		t.Errorf("Expected %+v, got %+v, %v", want, got, err)
	}
}

// TestFindAPI: the flag comes before the variable, and that before the Corefile, whose token is for its own server alone.
func TestFindAPI(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"Corefile": "example.org {\n healthroute {\n  nonsense\n  status 127.0.0.1:8053 {\n   token token\n  }\n }\n}\n",
		"token":    "of the Corefile\n", "other": "of the flag\n",
		"without": "example.org {\n healthroute {\n }\n}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flag, variable, token string
		want                  status.Place
	}{
		{"", "", "", status.Place{URL: "http://127.0.0.1:8053", Token: "of the Corefile"}},
		{"", "", "of the variable", status.Place{URL: "http://127.0.0.1:8053", Token: "of the variable"}},
		{"", "unix:a", "", status.Place{URL: "unix:a"}},
		{"", "unix:a", "of the variable", status.Place{URL: "unix:a", Token: "of the variable"}},
		{"unix:b", "unix:a", "", status.Place{URL: "unix:b"}},
	} {
		t.Setenv(apiVariable, c.variable)
		t.Setenv(tokenVariable, c.token)
		a := apiFlags{url: c.flag}
		if got, err := a.place("Corefile"); err != nil || got != c.want {
			t.Errorf("Expected %+v, got %+v, %v", c.want, got, err)
		}
	}
	a := apiFlags{}
	t.Setenv(apiVariable, "")
	if _, err := a.place("without"); exitStatus(err) != 2 || !strings.Contains(err.Error(), "without has no status line: name the server with -api or HEALTHROUTE_API") {
		t.Errorf("Expected the ways to name a server, got: %v", err)
	}
}
