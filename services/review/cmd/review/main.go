// Command review runs the service review as a process of its own.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/review"
)

func main() { os.Exit(review.Program().Main()) }
