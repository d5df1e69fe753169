// Command records runs the service records as a process of its own.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/records"
)

func main() { os.Exit(records.Program().Main()) }
