package sheet

import "testing"

func TestThousandsOfACurrency(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"T€": "EUR", "k€": "EUR", "€k": "EUR", "TEUR": "EUR", "kEUR": "EUR", "keur": "EUR", "Tsd. EUR": "EUR", "TsdEUR": "EUR", "£'000": "GBP", "'000 £": "GBP",
		"000s GBP": "GBP", "thousands of USD": "USD", "EUR thousand": "EUR", "USD in thousands": "USD", "tys. PLN": "PLN", "tis. Kč": "CZK", "mila €": "EUR", "000 CHF": "CHF",
		"TRY": "", "EUR": "", "€": "", "t": "", "$": "", "k$": "", "tons": "", "kits": "", "ths": "", "kWh": "", "Thousand Oaks": "", "t km": "",
	} {
		if code, ok := inThousands(word); code != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", word, code, ok)
		}
	}
}
