package verifier_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
)

// TestSecondVerifierTakesForeignPacks verifies bundles with the packs of
// examples/packs, of which those of the EPA and Ember have figures of other countries.
// Lines refer to rows of the packs, and a figure that does not match its lines must be
// detected.
func TestSecondVerifierTakesForeignPacks(t *testing.T) {
	t.Parallel()
	all := sources(t)
	for file, names := range map[string][]string{
		"us-epa-2025":        {"desnz-2025 full by engine 2.3.0", "desnz-2025 US by engine 2.1.0"},
		"ember-2025":         {"desnz-2025 full by engine 2.3.0"},
		"short-flights-2026": {"desnz-2025 full by engine 2.3.0"},
	} {
		text, err := os.ReadFile("../../examples/packs/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		document, _, err := pack.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		set, err := document.Set()
		if err == nil {
			set, err = factors.Add(set)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			t.Run(set.ID+" "+name, func(t *testing.T) {
				t.Parallel()
				s := all[name]
				s.FactorSet = set.ID
				b := build(t, s)
				own := 0
				for _, r := range b.Records {
					for _, l := range r.Lines {
						if slices.ContainsFunc(document.Rows, func(row pack.Row) bool { return row.ID == l.FactorID }) {
							own++
						}
					}
				}
				if b.FactorSet.Pack == nil || own == 0 {
					t.Fatalf("%d lines are by rows of the pack, whose excerpt the bundle has: %v", own, b.FactorSet.Pack != nil)
				}
				if out, code := verify(t, encode(t, b), "--key="+b.Signature.KeyID); code != 0 || !strings.Contains(out, "RIGHT") {
					t.Fatalf("exit %d\n%s", code, out)
				}
				for i := range b.Factors {
					if slices.ContainsFunc(document.Rows, func(row pack.Row) bool { return row.ID == b.Factors[i].ID }) {
						b.Factors[i].KgCO2e = decimal.New(1234567, 3)
						if out, code := verify(t, reseal(t, b)); code != 1 {
							t.Errorf("another figure of %s: exit %d\n%s", b.Factors[i].ID, code, out)
						}
						return
					}
				}
			})
		}
	}
}
