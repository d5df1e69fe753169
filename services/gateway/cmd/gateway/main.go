// Command gateway runs the gateway, the only process that clients reach.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/gateway"
)

func main() { os.Exit(gateway.Program().Main()) }
