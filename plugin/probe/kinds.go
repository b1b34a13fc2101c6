package probe

import (
	"context"

	"github.com/healthroute/healthroute/plugin/config"
)

// kind is how the probes of a type test. It may be used by any number of goroutines at once.
type kind interface {
	test(context.Context, Target) *finding
}

// kinds make the test of each type; greetings share one.
var kinds = map[config.ProbeType]func(*config.Probe, files, *dialer) (kind, error){
	config.ProbeHTTP:       newHTTP,
	config.ProbeHTTPS:      newHTTP,
	config.ProbeTCP:        newTCP,
	config.ProbeTLS:        newTLSProbe,
	config.ProbeUDP:        newUDP,
	config.ProbeDNS:        newDNS,
	config.ProbeGRPC:       newGRPC,
	config.ProbeExec:       newExec,
	config.ProbePing:       newPing,
	config.ProbePostgres:   newGreeting,
	config.ProbeMySQL:      newGreeting,
	config.ProbeRedis:      newGreeting,
	config.ProbeSMTP:       newGreeting,
	config.ProbeIMAP:       newGreeting,
	config.ProbeLDAP:       newGreeting,
	config.ProbePrometheus: newPrometheus,
	config.ProbePush:       newNoAttempts,
	config.ProbeCalculated: newNoAttempts,
}
