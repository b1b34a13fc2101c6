package corefile

import "github.com/healthroute/healthroute/plugin/config"

func Print(s *config.Stanza) string { return "" }
