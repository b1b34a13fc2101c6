package health

import "github.com/healthroute/healthroute/plugin/config"

// Quorum is what n observers say together if h of them say up (spec 2.6). Nobody says nothing: without observers there is no verdict.
func Quorum(rule config.Quorum, n, h int) Verdict {
	share, asked := 100*h, rule.Share()*n
	switch {
	case n == 0:
		return NoVerdict
	case share > asked, share == asked && !rule.More:
		return Up
	}
	return Down
}
