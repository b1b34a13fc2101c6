package corefile

import (
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// statusOptions are what stands in the block of `status`.
func statusOptions() []option[*config.Status] {
	return []option[*config.Status]{
		{word: "token", usage: "FILE", min: 1, max: 1, home: "status",
			set: func(p *parser, s *config.Status, l *line) { s.Token = p.file(l.args()[0]) }},
		{word: "tls", usage: "CERT KEY [CA]", min: 2, max: 3, home: "status",
			set: func(p *parser, s *config.Status, l *line) {
				s.TLS.Cert, s.TLS.Key = p.file(l.args()[0]), p.file(l.args()[1])
				if len(l.args()) > 2 {
					s.TLS.CA = p.file(l.args()[2])
				}
			}},
		{word: "insecure", home: "status", set: func(_ *parser, s *config.Status, _ *line) { s.Insecure = true }},
		{word: "reads", home: "status", set: func(_ *parser, s *config.Status, _ *line) { s.Reads = true }},
	}
}

// status reads `status ADDRESS` and its block. The path of a Unix socket is a file's.
func (p *parser) status(s *config.Stanza, l *line) {
	faulty := p.faulty()
	status := &config.Status{Address: l.args()[0]}
	if prefix, path, ok := strings.Cut(status.Address, ":"); ok && strings.EqualFold(prefix, "unix") && path != "" {
		status.Address = "unix:" + p.file(path)
	}
	status.Places.Own = l.at
	fill(p, "status", &status.Places, statusOptions(), status, l.block)
	status.Places.Faulty = l.faulty || faulty()
	s.Status = status
}

// status writes what statusOptions read.
func (w *printer) status(s *config.Status) {
	if s == nil {
		return
	}
	if !s.HasLogin() && s.TLS.Cert == "" && !s.Insecure {
		w.line("status", s.Address)
		return
	}
	w.open("status", s.Address)
	w.differs("token", s.Token, "")
	if t := s.TLS; t.Cert != "" {
		words := []string{"tls", t.Cert, t.Key}
		if t.CA != "" {
			words = append(words, t.CA)
		}
		w.line(words...)
	}
	w.flag("insecure", s.Insecure)
	w.flag("reads", s.Reads)
	w.close()
}
