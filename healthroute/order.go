package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	_ "github.com/healthroute/healthroute" // the plugin
)

// own is the plugin's directive; it stands directly above, so that its answers are chosen afresh for each query
// while those of all plugins behind it are cached.
const own, above = "healthroute", "cache"

// absent are the directives of CoreDNS whose plugin is not compiled in.
var absent []string

func init() {
	order, err := withOwn(dnsserver.Directives)
	if err == nil {
		err = dnsserver.SetDirectives(order)
	}
	if err != nil {
		panic(err) // only another CoreDNS version could cause it, and a test would find it first
	}
	for _, name := range order {
		if _, err := caddy.DirectiveAction("dns", name); err != nil {
			absent = append(absent, name)
		}
	}
	// A loader that loads nothing: caddy asks it before it reads a Corefile, and after CoreDNS has looked at
	// its flags, so that -plugins lists only what is there.
	caddy.RegisterCaddyfileLoader("missing plugins", caddy.LoaderFunc(func(string) (caddy.Input, error) {
		registerMissing()
		return nil, nil
	}))
}

// withOwn returns the directives with our own in its place.
func withOwn(directives []string) ([]string, error) {
	at := slices.Index(directives, above)
	if at < 0 {
		return nil, fmt.Errorf("no directive %q in CoreDNS's list", above)
	}
	return slices.Insert(slices.Clone(directives), at, own), nil
}

// registerMissing gives every absent directive a setup function that says how to get it. It must run before a
// Corefile is read.
var registerMissing = sync.OnceFunc(func() {
	for _, name := range absent {
		plugin.Register(name, refuse)
	}
})

// refuse is the setup function of a directive that this build lacks.
func refuse(c *caddy.Controller) error {
	if !c.Next() {
		return errors.New("a directive is not in this build")
	}
	return fmt.Errorf("%s:%d: directive %q is not in this build: build with -tags full", c.File(), c.Line(), c.Val())
}
