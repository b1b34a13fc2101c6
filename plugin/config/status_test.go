package config

import "testing"

func TestParseStatusAddress(t *testing.T) {
	for text, want := range map[string]struct {
		at    string // of TCP, or the path
		local bool
	}{
		"127.0.0.1:8053":             {"127.0.0.1:8053", true},
		"127.9.9.9:0":                {"127.9.9.9:0", true},
		"[::1]:8053":                 {"[::1]:8053", true},
		"unix:/run/healthroute.sock": {"/run/healthroute.sock", true},
		"unix:api.sock":              {"api.sock", true},
		":8053":                      {"[::]:8053", false},
		"0.0.0.0:8053":               {"0.0.0.0:8053", false},
		"192.0.2.1:8053":             {"192.0.2.1:8053", false},
		"[fe80::1%eth0]:8053":        {"[fe80::1%eth0]:8053", false},
	} {
		a, err := ParseStatusAddress(text)
		got := a.Path
		if got == "" {
			got = a.TCP.String()
		}
		if err != nil || got != want.at || a.IsLocal() != want.local {
			t.Errorf("Expected %s, local %t, for %s, got %s, local %t, %v", want.at, want.local, text, got, a.IsLocal(), err)
		}
	}
	for _, text := range []string{"", "8053", "localhost:8053", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "unix:", "224.0.0.1:1", "[::ffff:127.0.0.1]:1", "255.255.255.255:1"} {
		if a, err := ParseStatusAddress(text); err == nil {
			t.Errorf("Expected %q to be refused, got %+v", text, a)
		}
	}
}

func TestStatusEqual(t *testing.T) {
	a := Status{Address: "127.0.0.1:1", Token: "token", TLS: StatusTLS{Cert: "c", Key: "k"}, Reads: true}
	b := a
	b.Places.Note("token", Position{File: "Corefile", Line: 7})
	other := a
	other.TLS.CA = "ca"
	var none *Status
	if !a.Equal(&b) || a.Equal(&other) || a.Equal(nil) || none.Equal(&a) || !none.Equal(nil) {
		t.Error("Expected statuses to be equal whatever their places, and no others")
	}
}
