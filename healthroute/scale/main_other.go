//go:build !linux

package main

import "fmt"

func main() { fmt.Println("scale needs Linux") }
