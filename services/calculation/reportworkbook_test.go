package calculation_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// TestReportAsAWorkbook: the workbook of the newest result, and of a signed revision, has the rows of
// the table, and numbers to calculate with.
func TestReportAsAWorkbook(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.fillWith(600, 3) // more than are written at a time
	s.settle()
	check := func(path, file string) reply {
		t.Helper()
		table := s.of(path, "Accept", "text/csv").want(http.StatusOK)
		a := s.of(path, "Accept", workbook.MediaType).want(http.StatusOK)
		if got := a.header.Get("Content-Disposition"); a.header.Get("Content-Type") != workbook.MediaType || got != `attachment; filename="`+file+`"` {
			t.Errorf("%s: %v", path, a.header)
		}
		tag := a.header.Get("ETag")
		if tag == "" || tag == table.header.Get("ETag") {
			t.Errorf("%s: the tag %s", path, tag)
		}
		s.of(path, "Accept", workbook.MediaType, "If-None-Match", tag).want(http.StatusNotModified)
		s.of(path, "Accept", "text/csv", "If-None-Match", tag).want(http.StatusOK)
		sameRows(t, a.body, table.body)
		return a
	}
	revision, err := strconv.ParseInt(s.of("").want(http.StatusOK).data("revision"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	check("/report", fmt.Sprintf("footprint-e1-%d.xlsx", revision))
	if _, err := s.keep(1, revision); err != nil {
		t.Fatal(err)
	}
	s.sign(1, revision)
	signed := fmt.Sprintf("/%d/report", revision)
	before := check(signed, fmt.Sprintf("footprint-e1-%d.xlsx", revision))
	s.add("waste", `{"treatment":"landfill","weightKg":3}`, record.Approved)
	s.settle()
	if after := s.of(signed, "Accept", workbook.MediaType).want(http.StatusOK); !bytes.Equal(after.body, before.body) {
		t.Error("the workbook of a signed revision has changed")
	}
	check("/report", fmt.Sprintf("footprint-e1-%d.xlsx", revision+1))
}

// sameRows compares a workbook with a table in CSV.
func sameRows(t *testing.T, file, table []byte) {
	t.Helper()
	want, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	got, err := book.GetRows("Lines", excelize.Options{RawCellValue: true})
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d rows, %v; want %d", len(got), err, len(want))
	}
	date := slices.Index(want[0], "date")
	for y := range want {
		row := append(got[y], make([]string, len(want[y])-len(got[y]))...)
		if y > 0 {
			row[date], want[y][date] = "", "" // a date is stored as a number
		}
		if !slices.Equal(row, want[y]) {
			t.Fatalf("row %d is\n%q\nwant\n%q", y+1, row, want[y])
		}
	}
	for _, name := range []string{"revision", "quantity", "kgCO2ePerUnit", "kgCO2e", "low", "high", "scope", "description"} {
		at := slices.Index(want[0], name)
		cell, err := excelize.CoordinatesToCellName(at+1, 2)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := book.GetCellType("Lines", cell)
		if isText := kind == excelize.CellTypeInlineString; err != nil || isText != (name == "description") && strings.TrimSpace(want[1][at]) != "" {
			t.Errorf("%s of the first row (%s) is of kind %v, %v", name, want[1][at], kind, err)
		}
	}
}
