package config

import "fmt"

// Quorum is which part of the observers must say healthy (spec 2.6).
type Quorum struct {
	Percent int  // 1 to 100, to 99 with More; 0 stands for 50
	More    bool // more than so many, instead of at least
}

// defaultQuorum is the percentage that the zero value stands for.
const defaultQuorum = 50

// Share is the percentage that is asked for.
func (q Quorum) Share() int {
	if q.Percent == 0 {
		return defaultQuorum
	}
	return q.Percent
}

// String is the quorum as the Corefile writes it.
func (q Quorum) String() string {
	if q.More {
		return fmt.Sprintf("more than %d%%", q.Share())
	}
	return fmt.Sprintf("%d%%", q.Share())
}
