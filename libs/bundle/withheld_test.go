package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// library answers any name with an approved factor in the unit that the record needs.
type library struct{ unit string }

func (l library) SupplierFactor(reference, _ string) (footprint.SupplierFactor, string, error) {
	return footprint.SupplierFactor{ID: "f", Name: reference, Version: 1, KgCO2ePerUnit: decimal.New(21, 3), Unit: l.unit, Stage: "combined", Source: "Study of 2026",
		Evidence: []footprint.Evidence{{Name: "Signed by Ada Lovelace", URL: "https://example.org/ada.pdf", SHA256: strings.Repeat("0", 64)}}}, "", nil
}

// TestEveryRecordIsReportedWithoutNames: a record of any type, with any of its documented inputs or a supplier's factor,
// can be reported and signed without the names of people, and the report is right.
func TestEveryRecordIsReportedWithoutNames(t *testing.T) {
	t.Parallel()
	s := source(t)
	s.Records = nil
	s.Failed = nil
	add := func(typ string, body []byte, unit string) {
		t.Helper()
		decoded, err := footprint.Options{Suppliers: library{unit}}.Decode(typ, body, context(t))
		if err != nil {
			t.Fatalf("%s: %s: %v", typ, body, err)
		}
		in := bundle.Input{ID: fmt.Sprintf("r%d", len(s.Records)), Type: typ, Seq: int64(len(s.Records) + 1), Revision: 3, Fields: decoded.Fields}
		s.Records = append(s.Records, in)
		s.Provenance = append(s.Provenance, bundle.ProvenanceOf(record.ID(in.ID), in.Revision, in.Fields, approvedBy(t, in, planck)))
	}
	for _, typ := range footprint.Types() {
		for _, example := range footprint.Examples(typ) {
			add(typ, example, "kWh")
		}
	}
	for typ, body := range map[string]string{
		"custom":    `{"description":"Chairs","quantity":10,"supplierFactor":"Chairs"}`,
		"purchases": `{"amount":100,"currency":"EUR","category":"other","supplierFactor":"Printer"}`,
		"venue":     `{"electricityKWh":1000,"country":"GB","supplierFactor":"Green Power"}`,
	} {
		add(typ, []byte(body), map[string]string{"custom": "piece", "purchases": "EUR", "venue": "kWh"}[typ])
	}
	s.Organization = &bundle.Organization{ID: "org1", Name: "Example Events"}
	s.NotCounted = &bundle.NotCounted{}
	s.InputsHash = s.Tree.Root(context(t), s.Records)
	n := 0
	text := signedSource(t, bundle.NewPseudonyms(func() string { n++; return fmt.Sprint("x", n) }).WithoutNames(s))
	if v, err := bundle.Verify(text); err != nil || len(v.Differences) > 0 {
		t.Fatal(err, v.Differences)
	}
	for _, secret := range []string{"Ada", "ada.pdf"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("the bundle without names has %q", secret)
		}
	}
	var read struct{ Records []json.RawMessage }
	if err := json.Unmarshal(text, &read); err != nil || !slices.ContainsFunc(read.Records, func(r json.RawMessage) bool { return bytes.Contains(r, []byte(`"kgCO2ePerUnit":0.021`)) }) {
		t.Errorf("the supplier's figure is missing: %v", err)
	}
}
