// Command calculation runs the service calculation as a process of its own, in
// the role serve (default) or work.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/calculation"
)

func main() { os.Exit(calculation.Program().Main()) }
