package scenario

import (
	"encoding/json"
	"testing"
)

const summaryCorefile = `
example.org example.com {
    healthroute {
        nameserver ns1 192.0.2.53
        probe web http {
            host www.example.org
        }
        probe db tcp {
            port 5432
            interval 20s from end
        }
        probe name tcp {
            target Check.example.net.
            port 1
            interval 3s
        }
        probe fixed http {
            assume healthy
        }
        group www app weighted {
            probe web
            record 192.0.2.1,2001:db8:0:1::1
            record 192.0.2.2 ttl 5m
            record 198.51.100.1 probe none ttl 1h
        }
        group db failover {
            probe db
            record 192.0.2.1 primary
            record 2001:db8:0:1::2 secondary
        }
        group named simple {
            ttl 0s
            probe name
            record 203.0.113.1
        }
        group quiet simple {
            probe fixed
            record 203.0.113.1
        }
    }
}
example.net {
    healthroute {
        probe web http {
            host www.example.org
        }
        group www simple {
            probe web
            record 192.0.2.1
        }
    }
}
`

// TestSummary counts checks once, and derives rates and bounds by hand-checkable numbers: www has 3 x 10.5s + 5s, db 5s + 3 x (21s + 5s).
func TestSummary(t *testing.T) {
	const want = `{
  "zones": [
    "example.org.",
    "example.com.",
    "example.net."
  ],
  "groups": [
    {
      "group": "www.example.org.",
      "policy": "weighted",
      "records": 3,
      "checks": 3,
      "unchecked": 1,
      "detection": 36.5,
      "ttl": 300,
      "failover": 336.5
    },
    {
      "group": "db.example.org.",
      "policy": "failover",
      "records": 2,
      "checks": 2,
      "unchecked": 0,
      "detection": 83,
      "ttl": 30,
      "failover": 113
    },
    {
      "group": "named.example.org.",
      "policy": "simple",
      "records": 1,
      "checks": 1,
      "unchecked": 0,
      "detection": 11.45,
      "ttl": 0,
      "failover": 11.45
    },
    {
      "group": "quiet.example.org.",
      "policy": "simple",
      "records": 1,
      "checks": 1,
      "unchecked": 1,
      "detection": null,
      "ttl": 30,
      "failover": null
    },
    {
      "group": "www.example.net.",
      "policy": "simple",
      "records": 1,
      "checks": 1,
      "unchecked": 0,
      "detection": 36.5,
      "ttl": 30,
      "failover": 66.5
    }
  ],
  "pools": [],
  "records": 8,
  "probes": 5,
  "checks": 7,
  "attempts": {
    "per_second": 0.7333333333333333,
    "at_most": true
  },
  "networks": [
    {
      "network": "check.example.net",
      "checks": 1,
      "per_second": 0.3333333333333333,
      "at_most": false
    },
    {
      "network": "192.0.2.0/24",
      "checks": 3,
      "per_second": 0.25,
      "at_most": true
    },
    {
      "network": "2001:db8:0:1::/64",
      "checks": 2,
      "per_second": 0.15,
      "at_most": true
    },
    {
      "network": "203.0.113.0/24",
      "checks": 1,
      "per_second": 0,
      "at_most": false
    }
  ]
}`
	got, err := json.MarshalIndent(newWorld(t, summaryCorefile).Summary(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("Expected\n%s\ngot\n%s", want, got)
	}
}

// TestSummaryRate holds the rate against the attempts of a long time.
func TestSummaryRate(t *testing.T) {
	w := newWorld(t, sitesCorefile)
	const long = 1000
	w.AdvanceTo(seconds(long))
	attempts := 0
	for _, target := range targetsOf(w.Checks(), func(string, string) bool { return true }) {
		attempts += w.Attempts(target)
	}
	if want := int(w.Summary().Attempts.PerSecond * long); attempts != want {
		t.Errorf("Expected %d attempts in %d s, got %d", want, long, attempts)
	}
}
