// Packindex writes the index of towns that is served: compressed once, here, so
// that no process spends time on it.
package main

import (
	"fmt"
	"os"

	"github.com/eventcarbon/ecf/libs/places"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "packindex:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run() error {
	body, etag, err := places.PackIndex()
	if err != nil {
		return err
	}
	if err := os.WriteFile("index.json.gz", body, 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	return os.WriteFile("index.etag", []byte(etag+"\n"), 0o644) //nolint:gosec // a file of the repository
}
