// Command review runs the review service.
package main

import (
	"os"

	"github.com/eventcarbon/ecf/services/review"
)

func main() { os.Exit(review.Program().Main()) }
