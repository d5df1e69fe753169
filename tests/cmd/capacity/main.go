// Command capacity generates docs/runbooks/ten-thousand.md and its plots from the
// measured cost of requests and size of records in docs/benchmarks/curve.tsv,
// curve-mongodb.tsv and stored.tsv. Run it in the repository root:
//
//	go run ./tests/cmd/capacity
//
// Its output depends on the tables only.
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
	tables, err := capacity.ReadTables(os.DirFS(root))
	if err != nil {
		return err
	}
	files, err := capacity.Files(tables)
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
