package sheet_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestTownsOfAddresses: people come from the likeliest of the addresses that a registration has of them; the home comes
// first, whatever the order of the columns.
func TestTownsOfAddresses(t *testing.T) {
	t.Parallel()
	const cologne = `2 {"place":"Köln","country":"DE"}`
	for file, want := range map[string]string{
		"Name,Work City,Work Country\nA,Köln,Germany\n":                                     cologne,
		"Name,Work City,Country\nA,Köln,Germany\n":                                          cologne,
		"First Name,Last Name,Billing City,Billing Country\nA,B,Köln,DE\n":                  cologne,
		"Name,Billing City,Billing Country,Work City,Work Country\nA,Paris,FR,Köln,DE\n":    cologne,
		"Name,Billing City,Home City,Home Country,Work City\nA,Paris,Köln,DE,Bonn\n":        cologne,
		"Name,Work City,City,Country\nA,Bonn,Köln,DE\n":                                     cologne,
		"Name,Mailing Address City,Mailing Address Country,Company City\nA,Köln,DEU,Bonn\n": cologne,
		"Name;Firmenort;Land\nA;Köln;D\n":                                                   cologne,
		"Name,Work City,Work Country,Work Zip\nA,Köln,DE,50667\n":                           `2 {"place":"Köln","country":"DE","postcode":"50667"}`,
		"Name,Home Zip,Country,Billing City\nA,50667,DE,Paris\n":                            `2 {"postcode":"50667","country":"DE"}`,
		"Name,Work Country,Billing City,Billing Country,Home Country\nA,FR,Köln,DE,DE\n":    cologne,
	} {
		if got, _, err := all(file, "attendee-travel/origins", sheet.Options{Rules: sheet.Rules}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, %v, want %s", file, got, err, want)
		}
	}
	if _, r, err := all("Name,Billing City,Work City,Country\nA,Paris,Köln,DE\n", "attendee-travel/origins", sheet.Options{Rules: sheet.Rules}); err != nil || !slices.Equal(r.Ignored(), []string{"Name", "Billing City"}) {
		t.Errorf("ignored: %v, %v", r.Ignored(), err)
	} else if r.Address() != "Work City" {
		t.Errorf("the address is %q", r.Address())
	}
	if _, r, err := all("Name,Work City,City,Country\nA,Bonn,Köln,DE\n", "attendee-travel/origins", sheet.Options{Rules: sheet.Rules}); err != nil || r.Address() != "" {
		t.Errorf("beside a city the address is %q, %v", r.Address(), err)
	}
}
