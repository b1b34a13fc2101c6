package healthroute

import "testing"

// TestPoolsSeen: a pool has the numbers of each balancer, one of which sums over its sites and the other does not.
func TestPoolsSeen(t *testing.T) {
	start(t, listening("example.org", stanzaOf("example.org", `probe down tcp {
port 80
assume unhealthy
}
pool web {
target 192.0.2.1 site fra
target 192.0.2.2 site fra probe down
target 192.0.2.3 site ams probe down
}
balancer alone {
pools web
site fra
site ams
}
balancer together {
pools web
site fra
site ams
cross_site on
}
group a simple {
alias balancer alone
}
group b simple {
alias balancer together
}`)))
	want := map[string]float64{}
	for balancer, sites := range map[string]map[string][2]float64{
		"alone":    {"fra": {1, 2}, "ams": {0, 1}},
		"together": {"fra": {1, 3}, "ams": {1, 3}},
	} {
		for site, n := range sites {
			labels := "{balancer=" + balancer + ",pool=web,site=" + site + ",type=A}"
			want["pool_usable_targets"+labels], want["pool_registered_targets"+labels] = n[0], n[1]
		}
		want["site_answers{balancer="+balancer+",site=fra,type=A}"] = 1
	}
	want["pool_dns_failover{balancer=alone,pool=web,site=ams,type=A}"] = 1
	want["pool_fail_open{balancer=alone,pool=web,site=ams,type=A}"] = 1
	want["pool_dns_failover{balancer=together,pool=web,site=ams,type=A}"] = 0
	want["site_answers{balancer=alone,site=ams,type=A}"] = 0
	want["site_answers{balancer=together,site=ams,type=A}"] = 1
	expectSamples(t, nil, scrape(t), want)
}
