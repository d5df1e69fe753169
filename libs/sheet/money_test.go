package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestAmountsOfMoney: whole amounts with a dash for the decimals, and the separators of thousands of several countries.
// The separator before the dash is that of decimals, so the other one is of thousands.
func TestAmountsOfMoney(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"4.320,-": `4320,"currency":"EUR"`, "4.320,– €": `4320,"currency":"EUR"`, "4.320,— €": `4320,"currency":"EUR"`, "1.250,-- EUR": `1250,"currency":"EUR"`, "EUR 4,320.-": `4320,"currency":"EUR"`,
		"€ 4.320,–": `4320,"currency":"EUR"`, "€ 12.004.320,-": `12004320,"currency":"EUR"`, "90,-": `90,"currency":"EUR"`, "0.432,- €": "", "4.32,- €": "", "4,320,- €": "",
	} {
		got, _, err := all("category;amount;currency\nav_hire;"+cell+";EUR\n", "purchases", sheet.Options{Rules: sheet.Rules})
		want = `2 {"category":"av_hire","amount":` + want + `}`
		if refused := len(want) < 40; err != nil || refused == reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%s: %q, %v, want %s", cell, got, err, want)
		}
	}
	for cell, want := range map[string]string{
		"CHF 4'320.50": "4'320.50", "CHF 4’320.–": "4320", "4´320.50 CHF": "4´320.50", "CHF 4`320.50": "4`320.50", "4 320,50 CHF": "4 320,50", "4\u202f320,50\u00a0CHF": "4\u202f320,50", "Fr. 4'320.--": "4320",
	} {
		got, _, err := all("category;amount;currency\nav_hire;"+cell+";CHF\n", "purchases", sheet.Options{Rules: sheet.Rules})
		stated := `2 {"category":"av_hire","currency":"CHF","stated":{"amount":"` + want + `"}}`
		if want == "4320" {
			stated = `2 {"category":"av_hire","amount":4320,"currency":"CHF"}`
		}
		if err != nil || !reflect.DeepEqual(got, []string{stated}) {
			t.Errorf("%s: %q, %v, want %s", cell, got, err, stated)
		}
	}
}
