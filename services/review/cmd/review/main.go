// Command review runs the review service as a separate process.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/review"
)

func main() { os.Exit(review.Program().Main()) }
