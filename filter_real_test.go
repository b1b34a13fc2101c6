//go:build ci && unix

package healthroute

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/coredns/coredns/plugin/etcd"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// The tests of this file put *etcd* and *kubernetes* behind a filter: `.ci/run full` runs them.

// expectFiltered sees both addresses of a name, then each alone, then all of them for want of a usable one.
func expectFiltered(t *testing.T, s *server, name string) {
	t.Helper()
	ask := func(want ...string) {
		t.Helper()
		expectData(t, s.ask(name, dns.TypeA), want...)
	}
	eventually(t, "both addresses", func() bool { return len(s.ask(name, dns.TypeA).Answer) == 2 })
	settle(t, filterOf(t), health.Healthy, "127.0.0.11")
	settle(t, filterOf(t), health.Unhealthy, "127.0.0.12")
	ask("127.0.0.11")
	settle(t, filterOf(t), health.Healthy, "127.0.0.12")
	settle(t, filterOf(t), health.Unhealthy, "127.0.0.11")
	ask("127.0.0.12")
	settle(t, filterOf(t), health.Unhealthy, "127.0.0.12")
	ask("127.0.0.11", "127.0.0.12")
}

// TestRealEtcd filters services that a real etcd holds, as addresses and as SRV records.
func TestRealEtcd(t *testing.T) {
	client := "http://127.0.0.1:" + closedPort(t, "127.0.0.1")
	peer := "http://127.0.0.1:" + closedPort(t, "127.0.0.1")
	run(t, "etcd", "--data-dir", filepath.Join(t.TempDir(), "data"), "--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	for i, address := range []string{"127.0.0.11", "127.0.0.12"} {
		put := map[string]string{
			"key":   base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "/skydns/org/example/www/x%d", i+1)),
			"value": base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"host":%q,"port":80,"ttl":3600}`, address)),
		}
		body, err := json.Marshal(put)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "etcd to take a service", func() bool {
			r, err := http.Post(client+"/v3/kv/put", "application/json", strings.NewReader(string(body)))
			if err != nil {
				return false
			}
			r.Body.Close()
			return r.StatusCode == http.StatusOK
		})
	}
	s := launch(t, listening("example.org", "etcd {\nendpoint "+client+"\n}", filterStanza("")))
	expectFiltered(t, s, "www.example.org.")
	settle(t, filterOf(t), health.Healthy, "127.0.0.12")
	r := s.ask("www.example.org.", dns.TypeSRV)
	if len(r.Answer) != 1 || len(r.Extra) != 1 || data(r.Extra)[0] != "127.0.0.12" || r.Extra[0].Header().Ttl != 30 {
		t.Errorf("Expected the service that works alone, got:\n%v", r)
	}
}

// clusterAPI is as much of a cluster's API as *kubernetes* watches: one headless service with two endpoints.
func clusterAPI(t *testing.T) string {
	t.Helper()
	const meta = `"metadata":{"name":"web","namespace":"default","resourceVersion":"1","labels":{"kubernetes.io/service-name":"web"}}`
	objects := map[string][2]string{
		"namespaces": {"v1", `"kind":"Namespace","metadata":{"name":"default","resourceVersion":"1"}`},
		"services": {"v1", `"kind":"Service",` + meta + `,"spec":{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP",
			"ports":[{"name":"http","protocol":"TCP","port":80}]}`},
		"endpointslices": {"discovery.k8s.io/v1", `"kind":"EndpointSlice",` + meta + `,"addressType":"IPv4","ports":[{"name":"http","protocol":"TCP","port":80}],
			"endpoints":[{"addresses":["127.0.0.11"],"conditions":{"ready":true}},{"addresses":["127.0.0.12"],"conditions":{"ready":true}}]`},
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resource := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		o, known := objects[resource]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		item := strings.ReplaceAll(`{"apiVersion":"`+o[0]+`",`+o[1]+`}`, "\n", " ")
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"apiVersion":%q,"kind":"List","metadata":{"resourceVersion":"1"},"items":[%s]}`, o[0], item)
			return
		}
		if r.URL.Query().Get("sendInitialEvents") == "true" {
			kind, _, _ := strings.Cut(strings.TrimPrefix(o[1], `"kind":"`), `"`)
			fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", item)
			fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"1",`+
				`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", o[0], kind)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(func() {
		api.CloseClientConnections()
		api.Close()
	})
	return api.URL
}

// TestRealKubernetes filters the endpoints of a headless service. The plugin is the real one, the cluster is not.
func TestRealKubernetes(t *testing.T) {
	s := launch(t, listening("cluster.local", "kubernetes {\nendpoint "+clusterAPI(t)+"\n}", filterStanza("")))
	expectFiltered(t, s, "web.default.svc.cluster.local.")
	settle(t, filterOf(t), health.Healthy, "127.0.0.12")
	r := s.ask("_http._tcp.web.default.svc.cluster.local.", dns.TypeSRV)
	if len(r.Answer) != 1 || len(r.Extra) != 1 || data(r.Extra)[0] != "127.0.0.12" {
		t.Errorf("Expected the endpoint that works alone, got:\n%v", r)
	}
}
