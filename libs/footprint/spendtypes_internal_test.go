package footprint

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/spend"
)

// TestEverySpendCategoryIsOfTypesOrOfNone: purchases are compared with the types in the table of categories, except
// for those listed in spendNotDuplicated. A new category is compared with the types in its row; one with an unknown type
// fails here.
func TestEverySpendCategoryIsOfTypesOrOfNone(t *testing.T) {
	t.Parallel()
	for _, c := range spend.Categories() {
		got := BoughtAs(c.ID)
		apart := slices.Contains(spendNotDuplicated, c.ID)
		byPrice := slices.Equal(c.Better, []string{"purchases"})
		switch {
		case apart && byPrice:
			t.Errorf("%s is listed as apart, and the table names no other type than purchases: leave it out of the list", c.ID)
		case apart || byPrice:
			if len(got) > 0 {
				t.Errorf("%s is about no record type, and is held against %v", c.ID, got)
			}
		case !slices.Equal(got, c.Better):
			t.Errorf("%s is held against %v; the table names %v", c.ID, got, c.Better)
		}
		for _, typ := range c.Better {
			if !Known(typ) {
				t.Errorf("%s names %q, which is no record type", c.ID, typ)
			}
		}
	}
	for _, id := range spendNotDuplicated {
		if _, ok := spend.ByID(id); !ok {
			t.Errorf("%s is listed as apart and is no spend category", id)
		}
	}
}

// TestBoughtAs: by ids and titles of spend categories, by the categories of the first release, and by free text.
func TestBoughtAs(t *testing.T) {
	t.Parallel()
	for category, want := range map[string][]string{
		"coach_hire": {"ground-transport"}, "vehicle_hire": {"ground-transport"}, "ferry_fares": {"ground-transport"}, "rail_fares": {"ground-transport"},
		"taxi": {"ground-transport"}, "air_fares": {"flights"}, "haulage": {"freight"}, "courier": {"freight"},
		"bar_service": {"catering"}, "restaurant": {"catering"}, "quick_service": {"catering"}, "alcohol_bought": {"catering"}, "catering_service": {"catering"},
		"other_lodging": {"accommodation"}, "hotel": {"accommodation"}, "venue_hire": {"venue"}, "water_supply": {"water"}, "waste_collection": {"waste"},
		"printing": {"materials"}, "merchandise_textile": {"materials"}, "streaming_hosting": {"digital"},
		"Coach hire": {"ground-transport"}, " bar-service ": {"catering"},
		"energy": {"venue", "energy"}, "flights": {"flights"}, "materials": {"materials"}, "stand_construction": {"materials"}, "print": {"materials"},
		"ground-transport": {"ground-transport", "freight"}, "Food & drink": {"catering"},
		"audio_visual": nil, "staffing": nil, "insurance": nil, "travel_agency_fee": nil, "generator_hire": nil, "": nil,
	} {
		got := BoughtAs(category)
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", category, got, want)
		}
	}
}
