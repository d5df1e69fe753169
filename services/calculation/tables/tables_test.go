package tables_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// TestRows verifies the row of each kind of line in each standard.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell            total.Cell
		ghg, iso, event string
	}{
		{total.Cell{Type: "energy", Scope: 1}, "Scope 1", "1 Direct GHG emissions and removals", "Energy"},
		{total.Cell{Type: "venue", Scope: 2}, "Scope 2 (location-based)", "2 Indirect GHG emissions from imported energy", "Energy"},
		{total.Cell{Type: "venue", Scope: 3, Category: "8 Upstream leased assets"}, "Scope 3, category 8 Upstream leased assets",
			"4 Indirect GHG emissions from products used by the organization", "Energy"},
		{total.Cell{Type: "flights", Scope: 3, Category: "optional"}, "Optional: visitors, and what is exhibitors' own", "3 Indirect GHG emissions from transportation", "Travel to/from the destination"},
		{total.Cell{Type: "flights", Scope: 3, Category: "6 Business travel"}, "Scope 3, category 6 Business travel", "3 Indirect GHG emissions from transportation", "Travel to/from the destination"},
		{total.Cell{Type: "ground-transport", Scope: 3, Category: "optional", Factor: "desnz-2026-taxi-regular-km"}, "Optional: visitors, and what is exhibitors' own",
			"3 Indirect GHG emissions from transportation", "Local transportation"},
		{total.Cell{Type: "attendee-travel", Scope: 3, Category: "optional", Factor: "desnz-2026-bus-average_local"}, "Optional: visitors, and what is exhibitors' own",
			"3 Indirect GHG emissions from transportation", "Travel to/from the destination"},
		{total.Cell{Type: "attendee-travel", Scope: 3, Category: "6 Business travel"}, "Scope 3, category 6 Business travel", "3 Indirect GHG emissions from transportation", "Travel to/from the destination"},
		{total.Cell{Type: "materials", Scope: 3, Category: "5 Waste generated in operations", Factor: "landfilled-glass"}, "Scope 3, category 5 Waste generated in operations",
			"4 Indirect GHG emissions from products used by the organization", "Waste"},
		{total.Cell{Type: "materials", Scope: 3, Category: "optional"}, "Optional: visitors, and what is exhibitors' own", "6 Indirect GHG emissions from other sources", "Production & materials"},
		{total.Cell{Type: "materials", Scope: 3, Category: "5 Waste generated in operations", Factor: "waste.glass.landfill.2026"}, "Scope 3, category 5 Waste generated in operations",
			"4 Indirect GHG emissions from products used by the organization", "Waste"},
		{total.Cell{Type: "freight", Scope: 3, Category: "4 Upstream transportation and distribution"}, "Scope 3, category 4 Upstream transportation and distribution",
			"3 Indirect GHG emissions from transportation", "Freight & logistics"},
		{total.Cell{Type: "energy", Scope: 3, Category: "8 Upstream leased assets", Factor: "refr.r410a.ar5.2025"}, "Scope 3, category 8 Upstream leased assets",
			"4 Indirect GHG emissions from products used by the organization", "Energy"},
		{total.Cell{Type: "digital", Scope: 3, Category: "7 Employee commuting"}, "Scope 3, category 7 Employee commuting", "6 Indirect GHG emissions from other sources", "Digital content & communication"},
		{total.Cell{Type: "digital", Scope: 3, Category: "6 Business travel"}, "Scope 3, category 6 Business travel", "6 Indirect GHG emissions from other sources", "Digital content & communication"},
		{total.Cell{Type: "digital", Scope: 3, Category: "optional"}, "Optional: visitors, and what is exhibitors' own", "6 Indirect GHG emissions from other sources", "Digital content & communication"},
		{total.Cell{Type: "custom", Scope: 3, Category: "7 Employee commuting"}, "Scope 3, category 7 Employee commuting", "3 Indirect GHG emissions from transportation",
			"In none of the nine: purchases by money and custom records"},
		{total.Cell{Type: "custom", Scope: 3, Category: "11 Use of sold products"}, "Scope 3, category 11 Use of sold products",
			"5 Indirect GHG emissions associated with the use of products from the organization", "In none of the nine: purchases by money and custom records"},
	} {
		for standard, want := range map[string]string{"ghg-protocol": c.ghg, "esrs-e1-6": c.ghg, "iso-14064-1": c.iso, "nzce": c.event} {
			if got := tables.RowOf(standard, c.cell); got != want {
				t.Errorf("%s: %+v is in %q, want %q", standard, c.cell, got, want)
			}
		}
	}
}

// TestEachTypeHasItsRow: every type is in one of the nine categories of events.
func TestEachTypeHasItsRow(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		row := tables.RowOf("nzce", total.Cell{Type: typ, Scope: 3, Category: "1 Purchased goods and services", Factor: "x"})
		if none := strings.HasPrefix(row, "In none"); none != (typ == "purchases" || typ == "custom") {
			t.Errorf("%s is in %q", typ, row)
		}
	}
}

// TestTablesAddUp: for any records, the rows of each table add up to the total.
func TestTablesAddUp(t *testing.T) {
	t.Parallel()
	categories := []string{"", "1 Purchased goods and services", "2 Capital goods", "3 Fuel- and energy-related activities", "4 Upstream transportation and distribution",
		"5 Waste generated in operations", "6 Business travel", "7 Employee commuting", "8 Upstream leased assets", "9 Downstream transportation and distribution",
		"11 Use of sold products", "12 End-of-life treatment of sold products", "optional"}
	rapid.Check(t, func(t *rapid.T) {
		var cells []total.Cell
		var want, own footprint.Mass
		for range rapid.IntRange(0, 20).Draw(t, "cells") {
			c := total.Cell{Type: rapid.SampledFrom(footprint.Types()).Draw(t, "type"), Category: rapid.SampledFrom(categories).Draw(t, "category"), Scope: 3,
				Factor: rapid.SampledFrom([]string{"waste.glass.landfill.2026", "desnz-2026-bus-average_local", "supplied"}).Draw(t, "factor"),
				Mass:   footprint.MassOf(rapid.Int64Range(0, 1<<50).Draw(t, "mass"))}
			if c.Category == "" {
				c.Scope = rapid.IntRange(1, 2).Draw(t, "scope")
			}
			if c.Scope == 2 {
				own = own.Add(c.Mass)
			}
			cells, want = append(cells, c), want.Add(c.Mass)
		}
		market := &total.MarketBased{Scope2: &total.DualScope{LocationKg: own}}
		for _, table := range tables.Of(cells, market) {
			var sum footprint.Mass
			for _, r := range table.Rows {
				sum = sum.Add(r.KgCO2e)
			}
			if sum != want || table.Total != want {
				t.Fatalf("%s: rows of %s, total %s, want %s", table.Standard, sum, table.Total, want)
			}
			if m := table.MarketBasedTotal; m != nil && *m != want.Sub(own) {
				t.Fatalf("%s: market-based %s, want %s", table.Standard, m, want.Sub(own))
			}
		}
	})
}
