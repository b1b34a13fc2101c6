package scenario

import (
	"strconv"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Seconds is a length of time, or an instant of virtual time, that JSON shows as a number of seconds.
type Seconds time.Duration

// String writes it for people: 1m30.05s.
func (s Seconds) String() string { return config.FormatDuration(time.Duration(s)) }

// MarshalJSON writes the exact number of seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}
