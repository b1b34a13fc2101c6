//go:build !full

package main

const fullBuild = false
