package healthroute

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// secretText is in every secret of these tests.
const secretText = "hunter2"

// textFields are the fields of a stanza that hold text which people choose, and whether such a text may be a secret. Whoever adds one says so here, and
// if it may be, in hide.
var textFields = map[string]bool{
	"Header.Value": true, "HTTP.Path": true, "Exchange.Send": true, "Probe.Command": true,

	"Alias.Balancer": false, "Alias.Group": false, "Alias.Name": false, "Alias.Pool": false, "Alias.Site": false, "Balancer.Name": false,
	"Balancer.Pools": false, "Children.Probes": false, "DNS.Answer": false, "DNS.Name": false, "Discovery.Files": false, "Discovery.Name": false,
	"Discovery.Site": false, "Exchange.ExpectReply": false, "Filter.Names": false, "Filter.Probe": false, "GRPC.Service": false, "Group.Names": false,
	"Group.Sorry": false, "HTTP.Body": false, "HTTP.BodyMatch": false, "HTTP.Host": false, "HTTP.Method": false, "HTTP.UserAgent": false,
	"Header.Name": false, "Locations.Continents": false, "Locations.Countries": false, "Locations.Subdivisions": false, "Nameserver.Addresses": false,
	"Nameserver.Name": false, "Override.Use": false, "Pool.Name": false, "Pool.Probe": false, "Position.File": false, "Probe.Name": false,
	"Probe.Resolver": false, "Probe.Source": false, "Probe.Target": false, "Prometheus.Compare": false, "Prometheus.Query": false,
	"Prometheus.Token": false, // a file, as those below
	"Prometheus.URL":   false, // which must not hold a user
	"Record.ID":        false, "Record.Probe": false, "Record.Site": false, "RecordRef.Group": false, "RecordRef.Record": false, "Site.Name": false,
	"Site.Probe": false, "Stanza.Canary": false, "Stanza.GeoIP": false, "Stanza.Locations": false, "Stanza.State": false, "Stanza.Zones": false,
	"Status.Address": false, "Status.Token": false, "StatusTLS.CA": false, "StatusTLS.Cert": false, "StatusTLS.Key": false, "TLS.CA": false, "TLS.Cert": false,
	"TLS.Key": false, "TLS.SNI": false, "Target.ID": false, "Target.Probe": false, "Target.Site": false, "Value.Data": false,
}

// fillStanza puts one of everything into a value, and secrets where there may be some. It notes the fields that hold text.
func fillStanza(v reflect.Value, field string, found map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillStanza(v.Elem(), field, found)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillStanza(v.Index(0), field, found)
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() { // other types are words that we know
			found[field] = true
			v.SetString("plain")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fillStanza(v.Field(i), v.Type().Name()+"."+f.Name, found)
			}
		}
		switch o := v.Addr().Interface().(type) {
		case *config.Header:
			o.Name, o.Value = "X-Api-Key", secretText
		case *config.HTTP:
			o.Path = "/health?verbose=1&token=" + secretText + "&full"
		case *config.Exchange:
			o.Send = "AUTH " + secretText + "\r\n"
		case *config.Probe:
			o.Command = []string{"/bin/check", "-v", "--token=" + secretText, "--password", secretText, "redis://u:" + secretText + "@192.0.2.1/", "PASSWORD=" + secretText, "host"}
		}
	default: // numbers, and maps of positions
	}
}

// TestWithoutSecrets: whatever place for headers, tokens or passwords a stanza has, what is shown of it has none; and nothing else is another one.
func TestWithoutSecrets(t *testing.T) {
	s, found := &config.Stanza{}, map[string]bool{}
	fillStanza(reflect.ValueOf(s).Elem(), "", found)
	for _, field := range slices.Sorted(maps.Keys(found)) {
		if _, ok := textFields[field]; !ok {
			t.Errorf("Expected somebody to say whether %s may be a secret", field)
		}
	}
	for field := range textFields {
		if !found[field] {
			t.Errorf("Expected a field %s", field)
		}
	}
	before := dump(s)
	shown := dump(withoutSecrets(s))
	if strings.Contains(shown, secretText) {
		t.Errorf("Expected no secret, got %s", shown)
	}
	if after := dump(s); after != before {
		t.Errorf("Expected the stanza itself to stay, got %s", after)
	}
	for _, kept := range []string{"/health?verbose=1&token=(hidden)&full", "--token=(hidden) --password (hidden) redis://hidden@192.0.2.1/ PASSWORD=(hidden) host"} {
		if !strings.Contains(shown, kept) {
			t.Errorf("Expected %q, got %s", kept, shown)
		}
	}
	if n := strings.Count(before, "{X-Api-Key "+secretText+"}"); n < 3 || strings.Count(shown, "{X-Api-Key (hidden)}") != n {
		t.Errorf("Expected %d headers with their names, got %s", n, shown)
	}
}

// dump writes all that a value has.
func dump(v any) string {
	var b strings.Builder
	var write func(v reflect.Value)
	write = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			write(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				write(v.Index(i))
				b.WriteString(" ")
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[config.Header]() {
				fmt.Fprintf(&b, "%v", v)
				return
			}
			for i := range v.NumField() {
				write(v.Field(i))
				b.WriteString(" ")
			}
		default:
			fmt.Fprintf(&b, "%v", v)
		}
	}
	write(reflect.ValueOf(v))
	return b.String()
}
