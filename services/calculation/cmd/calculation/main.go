// Command calculation runs the calculation service as a separate process, with
// the role serve (default) or work.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/calculation"
)

func main() { os.Exit(calculation.Program().Main()) }
