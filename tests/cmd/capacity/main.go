// Command capacity works out docs/runbooks/ten-thousand.md and its drawings from the
// measured cost of requests by size, docs/benchmarks/curve.tsv and curve-mongodb.tsv. It is called in the
// repository's root:
//
//	go run ./tests/cmd/capacity
//
// The same tables give the same page.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/eventcarbon/ecf/tests/capacity"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	table, err := os.Open(filepath.Join(root, filepath.FromSlash(capacity.Table)))
	if err != nil {
		return err
	}
	defer table.Close() //nolint:errcheck // it was only read
	mongodb, err := os.Open(filepath.Join(root, filepath.FromSlash(capacity.TableMongoDB)))
	if err != nil {
		return err
	}
	defer mongodb.Close() //nolint:errcheck // it was only read
	files, err := capacity.Files(table, mongodb)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
