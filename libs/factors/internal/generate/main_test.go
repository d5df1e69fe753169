package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

// TestCommittedFilesAreGenerated keeps the embedded tables equal to what the
// reference tables give.
func TestCommittedFilesAreGenerated(t *testing.T) {
	t.Parallel()
	files, err := build(os.DirFS("../../source"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		committed, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(committed, files[name]) {
			t.Errorf("%s is not what the generator writes; run go generate in libs/factors", name)
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
	source := fstest.MapFS{"SHA256SUMS": {Data: first}, name: {Data: []byte("factor_id\nx\n")}}
	if _, err := load(source); err == nil {
		t.Error("a changed file was accepted")
	}
}

func TestSeriesDropsTheYear(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"desnz-2026-flight-domestic-average-rf": "desnz-flight-domestic-average-rf",
		"waste.glass.landfill.2025":             "waste.glass.landfill",
		"elec.fr.ember.2023":                    "elec.fr.ember",
		"acc.hotel.ar.2021set":                  "acc.hotel.ar.2021set",
		"acc.hotel.gb":                          "acc.hotel.gb",
	} {
		if got := series(id); got != want {
			t.Errorf("series(%s) = %s, want %s", id, got, want)
		}
	}
}

func TestBetterYear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b, set int
		want      bool
	}{{2025, 2024, 2026, true}, {2024, 2025, 2026, false}, {2025, 2026, 2024, true}, {2026, 2023, 2024, false}, {2023, 2026, 2024, true}} {
		if got := better(c.a, c.b, c.set); got != c.want {
			t.Errorf("better(%d, %d, %d) = %v", c.a, c.b, c.set, got)
		}
	}
}
