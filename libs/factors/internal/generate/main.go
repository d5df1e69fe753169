// Command generate converts the reference tables into the compact tables that are
// embedded: one file for each factor set, and the table of places. It is run by
// go generate in libs/factors; its test compares the output with the committed
// files.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// setYears are the editions published as factor sets. Published sets never change; a test verifies the checksum of
// every file.
var setYears = []int{2024, 2025, 2026}

func main() {
	if err := run(os.DirFS("source"), "."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(source fs.FS, target string) error {
	files, err := build(source)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(target, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// build returns the generated files by their path relative to libs/factors.
func build(source fs.FS) (map[string][]byte, error) {
	tables, err := load(source)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	for _, year := range setYears {
		text, err := buildSet(tables, year)
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", year, err)
		}
		out[fmt.Sprintf("sets/desnz-%d.tsv", year)] = text
	}
	earlier, err := withHistory(tables)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	for _, year := range historyYears {
		text, err := buildSet(earlier, year)
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", year, err)
		}
		out[fmt.Sprintf("sets/desnz-%d.tsv", year)] = text
	}
	if out["sets/"+supplementID+".tsv"], err = buildSupplement(tables); err != nil {
		return nil, fmt.Errorf("supplement: %w", err)
	}
	if out["sets/"+correctionsID+".tsv"], err = buildCorrections(tables); err != nil {
		return nil, fmt.Errorf("corrections: %w", err)
	}
	if out["../locations/places.tsv"], err = buildPlaces(tables); err != nil {
		return nil, fmt.Errorf("places: %w", err)
	}
	return out, nil
}

type row map[string]string

// load reads every CSV file after checking it against SHA256SUMS.
func load(source fs.FS) (map[string][]row, error) {
	sums, err := fs.ReadFile(source, "SHA256SUMS")
	if err != nil {
		return nil, err
	}
	tables := make(map[string][]row)
	lines := bufio.NewScanner(bytes.NewReader(sums))
	for lines.Scan() {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok {
			return nil, fmt.Errorf("SHA256SUMS has a line %q", lines.Text())
		}
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != sum {
			return nil, fmt.Errorf("%s is not the file that SHA256SUMS names", name)
		}
		if name, text, err = unpacked(name, text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if tables[strings.TrimSuffix(name, ".csv")], err = readCSV(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return tables, lines.Err()
}

// unpacked returns a file stored compressed under the name without .gz, and any other unchanged.
func unpacked(name string, text []byte) (string, []byte, error) {
	plain, ok := strings.CutSuffix(name, ".gz")
	if !ok {
		return name, text, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return name, nil, err
	}
	out, err := io.ReadAll(z)
	return plain, out, err
}

func readCSV(text []byte) ([]row, error) {
	r := csv.NewReader(bytes.NewReader(text))
	head, err := r.Read()
	if err != nil {
		return nil, err
	}
	var out []row
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		v := make(row, len(head))
		for i, name := range head {
			if strings.ContainsAny(record[i], "\t\r\n") {
				return nil, fmt.Errorf("a cell of %s holds a tab or a line break", name)
			}
			v[name] = record[i]
		}
		out = append(out, v)
	}
}
