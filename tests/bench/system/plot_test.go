package system

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// kept is the directory of the stored tables and plots.
var kept = filepath.Join("..", "..", "..", "docs", "benchmarks")

// TestDrawingsAreOfTheTables verifies that each stored plot is made from the table next
// to it.
func TestDrawingsAreOfTheTables(t *testing.T) {
	t.Parallel()
	for name, title := range Titles {
		table, err := os.ReadFile(filepath.Join(kept, name+".tsv"))
		if errors.Is(err, os.ErrNotExist) {
			continue // not measured in full yet
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Read(string(table))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		drawing, err := os.ReadFile(filepath.Join(kept, name+".svg"))
		if err != nil || string(drawing) != Plot(title, rows) {
			t.Errorf("%s.svg is not the plot of its table: make bench-system stores both %v", name, err)
		}
	}
}

func TestATableIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Work: "list & more", Beside: "bare <Fiber>", Rate: 11240, BesideRate: 22163, Ratio: 0.507, Goal: 0.2, P50: 270 * time.Microsecond, P99: 4200 * time.Microsecond},
		{Work: "create", Beside: "statements", Rate: 2244, BesideRate: 9016, Ratio: 0.249, Goal: 0.5, P50: time.Millisecond, P99: 7 * time.Millisecond},
	}
	read, err := Read(Remark("2026-11-26; program v1; Go 1.26") + Table(rows))
	if err != nil || !reflect.DeepEqual(read, rows) {
		t.Fatalf("%+v, want %+v, %v", read, rows, err)
	}
	drawing := xml.NewDecoder(strings.NewReader(Plot("Rows & baselines", rows)))
	for {
		if _, err := drawing.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Read("something else"); err == nil {
		t.Error("something else was read as a table")
	}
}
