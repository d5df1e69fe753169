// Command ecf runs the whole Event Carbon Footprint Service in one process, and
// administers it.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/standalone"
)

func main() { os.Exit(standalone.Program().Main()) }
