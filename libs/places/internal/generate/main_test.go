package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestCommittedFilesAreGenerated keeps the embedded image equal to what the
// generator writes. It takes a minute under the race detector; `make verify`
// generates the files as well, and fails where they differ.
func TestCommittedFilesAreGenerated(t *testing.T) {
	t.Parallel()
	testkit.OnlyLong(t)
	files, err := build(os.DirFS("../../source"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		committed, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(committed, files[name]) {
			t.Errorf("%s is not what the generator writes; run go generate in libs/places", name)
		}
	}
}

func TestChangedSourceIsRefused(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("../../source/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(sums, []byte("\n"))
	name := string(bytes.Fields(first)[1])
	source := fstest.MapFS{"SHA256SUMS": {Data: first}, name: {Data: []byte("geonames_id\nx\n")}}
	if _, err := load(source); err == nil {
		t.Error("a changed file was accepted")
	}
}
