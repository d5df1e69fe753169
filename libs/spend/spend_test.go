package spend_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/spend"
)

func category(t *testing.T, id string) spend.Category {
	t.Helper()
	c, ok := spend.ByID(id)
	if !ok {
		t.Fatalf("there is no category %s", id)
	}
	return c
}

// TestByHand compares with calculations by hand from the printed indices, rates
// and multipliers.
func TestByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		category, currency string
		year               int
		amount             float64
		factors            [2]string
		want               [2]float64
	}{
		// £8,400 in 2025 prices: UK 130.5/138.4, US 121.7/138.4 and £0.811075 a dollar.
		{"av_hire", "GBP", 2025, 8400, [2]string{"spend.uk.77.2023", "spend.us.532490"}, [2]float64{8400 * 130.5 / 138.4 * 0.129773, 8400 * 121.7 / 138.4 / 0.811075 * 0.106}},
		{"security", "GBP", 2026, 6200, [2]string{"spend.uk.80.2023", "spend.us.561612"}, [2]float64{6200 * 130.5 / 138.4 * 0.0894404, 6200 * 121.7 / 138.4 / 0.811075 * 0.074}},
		{"taxi", "GBP", 2025, 412, [2]string{"spend.uk.49_3_5.2023", "spend.us.485310"}, [2]float64{412 * 130.5 / 138.4 * 0.574881, 412 * 121.7 / 138.4 / 0.811075 * 0.566}},
		// $1,000 of 2022 needs neither index nor rate in the US model.
		{"av_hire", "USD", 2022, 1000, [2]string{"spend.us.532490", "spend.uk.77.2022"}, [2]float64{106, 1000 * 0.811075 * 0.141062}},
		{"av_hire", "EUR", 2023, 500, [2]string{"spend.us.532490", "spend.uk.77.2023"}, [2]float64{500 * 116.82 / 123.15 / 0.949542 * 0.106, 0}},
	} {
		steps, err := spend.Models(category(t, c.category), c.currency, c.year)
		if err != nil || len(steps) != 2 {
			t.Errorf("%+v: %v, %v", c, steps, err)
			continue
		}
		for i, s := range steps {
			f, ok := factors.Supplement().Lookup(s.Factor)
			if !ok || s.Factor != c.factors[i] || f.Unit != s.Currency {
				t.Errorf("%+v: %+v is %+v", c, s, f)
				continue
			}
			kg, _ := new(big.Rat).Mul(s.Multiplier, big.NewRat(f.KgCO2e.Coefficient(), int64(math.Pow10(f.KgCO2e.Scale())))).Float64()
			if got := kg * c.amount; c.want[i] != 0 && math.Abs(got-c.want[i]) > 0.001*c.want[i] {
				t.Errorf("%+v: model %d is %v kg, want %v", c, i, got, c.want[i])
			}
		}
	}
}

// TestEveryCategoryHasItsRows holds that each category of each year finds a row
// in each of its models.
func TestEveryCategoryHasItsRows(t *testing.T) {
	t.Parallel()
	if n := len(spend.Categories()); n != 89 {
		t.Errorf("%d categories", n)
	}
	for _, c := range spend.Categories() {
		for _, currency := range spend.Currencies() {
			for year := spend.FirstYear; year <= 2027; year++ {
				steps, err := spend.Models(c, currency, year)
				if e, ok := errors.AsType[*spend.NotHeldError](err); ok && len(e.Held) > 0 {
					continue // a year that the currency lacks
				}
				if err != nil || len(steps) == 0 {
					t.Fatalf("%s in %s %d: %v", c.ID, currency, year, err)
				}
				for _, s := range steps {
					if _, ok := factors.Supplement().Lookup(s.Factor); !ok {
						t.Errorf("%s of %s %d: there is no row %s", c.ID, currency, year, s.Factor)
					}
					if s.Multiplier.Sign() <= 0 {
						t.Errorf("%s of %s %d: %v", c.ID, currency, year, s.Multiplier)
					}
				}
			}
		}
	}
}

func TestNotHeld(t *testing.T) {
	t.Parallel()
	c := category(t, "taxi")
	for _, currency := range []string{"XAU", "TWD", "", "gbp"} {
		_, err := spend.Models(c, currency, 2024)
		if e, ok := errors.AsType[*spend.NotHeldError](err); !ok || e.Field != "currency" || len(e.Held) < 15 || !strings.Contains(err.Error(), "GBP") {
			t.Errorf("%q: %v", currency, err)
		}
	}
	_, err := spend.Models(c, "GBP", 2014)
	if e, ok := errors.AsType[*spend.NotHeldError](err); !ok || e.Field != "date" {
		t.Errorf("2014: %v", err)
	}
	steps, err := spend.Models(c, "GBP", 2027)
	if err != nil || steps[0].IndexYear != 2025 {
		t.Errorf("2027: %+v, %v", steps, err)
	}
}
