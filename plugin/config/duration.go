package config

import (
	"fmt"
	"strings"
	"time"
)

// FormatDuration writes a length of time without the zeros of Go's form: 1m instead of 1m0s.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Day is the unit for what lasts long, with its own letter in the Corefile: 14d.
const Day = 24 * time.Hour

// FormatDays writes a length of time as FormatDuration does, but whole days as such, and what is longer than two days in
// whole days and hours.
func FormatDays(d time.Duration) string {
	days := d / Day
	switch rest := d % Day; {
	case days == 0 || days < 2 && rest != 0:
		return FormatDuration(d.Round(time.Second))
	case rest < time.Hour:
		return fmt.Sprintf("%dd", days)
	default:
		return fmt.Sprintf("%dd%dh", days, rest/time.Hour)
	}
}
