package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// Purchases and custom records may supply their own figures.
func TestPurchases(t *testing.T) {
	t.Parallel()
	const good = `{"category":"security","amount":12500,"currency":"gbp","kgCO2ePerUnit":0.12,"factorSource":"table 3","evidence":[{"name":"a"}]}`
	figures(t, "purchases", map[string]string{good: "1500.000000"})
	e := evaluate(t, "purchases", good, london)
	if l := e.Lines[0]; l.FactorID != footprint.SuppliedFactor || l.Unit != "GBP" || l.Scores[4] != 5 || !has(e.Notices, footprint.NoticeSupplied) {
		t.Errorf("%+v %v", l, e.Notices)
	}
	for body, want := range map[string][]string{
		`{}`: {"category REQUIRED", "amount REQUIRED", "currency REQUIRED"},
		`{"category":"stuff","amount":-1,"currency":"pounds","kgCO2ePerUnit":-1,"factorSource":" ","evidence":[]}`:        {"factorSource REQUIRED", "evidence REQUIRED", "category NOT_ALLOWED", "amount OUT_OF_RANGE", "currency TOO_LONG", "kgCO2ePerUnit OUT_OF_RANGE"},
		`{"category":"other","amount":1,"currency":"1€2","kgCO2ePerUnit":1,"factorSource":"x","evidence":[{"name":"a"}]}`: {"currency BAD_FORMAT"},
	} {
		if got := faults(t, "purchases", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
}

func TestCustom(t *testing.T) {
	t.Parallel()
	body := func(scope string) string {
		return `{"kgCO2e":184.5,"description":"fireworks","evidence":[{"name":"a"}]` + scope + `}`
	}
	figures(t, "custom", map[string]string{body(""): "184.500000"})
	for scope, want := range map[string]string{"": "3 1 Purchased goods and services", `,"scope":1`: "1 ", `,"scope":2`: "2 ", `,"scope":3`: "3 1 Purchased goods and services"} {
		if got := scopesOf(t, "custom", body(scope)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", scope, got)
		}
	}
	for body, want := range map[string][]string{
		`{}`: {"kgCO2e REQUIRED", "description REQUIRED", "evidence REQUIRED"},
		`{"kgCO2e":-5,"description":" ","evidence":[{"name":"offset"}],"scope":4}`: {"description REQUIRED", "kgCO2e OUT_OF_RANGE", "scope OUT_OF_RANGE"},
	} {
		if got := faults(t, "custom", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
}

// TestPurchasesLeaveOutTax: both models use amounts without value-added tax, so 120 including 20% is 100.
func TestPurchasesLeaveOutTax(t *testing.T) {
	t.Parallel()
	const with, without = `{"category":"taxi","amount":120,"currency":"GBP","vatIncluded":true,"vatRate":20}`, `{"category":"taxi","amount":100,"currency":"GBP"}`
	taxed, bare := decodeTravel(t, "purchases", with, book), decodeTravel(t, "purchases", without, book)
	a, b := total.Of(&taxed.Evaluation), total.Of(&bare.Evaluation)
	if a.Total() != b.Total() || a.Total().Sign() <= 0 {
		t.Errorf("with tax %s kg, without %s kg", a.Total().Kilograms(), b.Total().Kilograms())
	}
	if _, err := footprint.Decode("purchases", []byte(`{"category":"taxi","amount":120,"currency":"GBP","vatIncluded":true}`), book); err == nil {
		t.Error("tax of an unknown rate is taken")
	}
}
