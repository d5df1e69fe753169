// Command records runs the records service as a separate process.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/records"
)

func main() { os.Exit(records.Program().Main()) }
