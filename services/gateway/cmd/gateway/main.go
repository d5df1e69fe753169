// Command gateway is the way in: the only process that clients reach.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/services/gateway"
)

func main() { os.Exit(app.Main("gateway", gateway.Run)) }
