// Command auth runs the identity provider.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/auth"
)

func main() { os.Exit(auth.Program().Main()) }
