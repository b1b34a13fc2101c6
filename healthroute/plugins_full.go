//go:build full

package main

// Everything that CoreDNS has.
import _ "github.com/coredns/coredns/core/plugin"

const fullBuild = true
