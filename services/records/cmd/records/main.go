// Command records runs the records service.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/records"
)

func main() { os.Exit(records.Program().Main()) }
