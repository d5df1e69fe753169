package locations_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

var update = flag.Bool("update", false, "write countrynames.tsv and foreignnames.tsv")

// TestCountryNamesAreThoseOfCLDR: the names are those of the Unicode Common Locale Data
// Repository, as golang.org/x/text/language/display has them (-update writes them). Only
// the table is part of the programs, not the names of all languages.
func TestCountryNamesAreThoseOfCLDR(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for _, c := range locations.Countries() {
		region, err := language.ParseRegion(c.Code)
		if err != nil {
			t.Fatal(err)
		}
		want.WriteString(c.Code + "\t" + display.English.Regions().Name(region) + "\t" + display.German.Regions().Name(region) + "\t" + region.ISO3() + "\n")
	}
	if *update {
		if err := os.WriteFile("countrynames.tsv", []byte(want.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("countrynames.tsv"); err != nil || string(got) != want.String() {
		t.Errorf("countrynames.tsv is not what CLDR has; go test -run CLDR -update writes it: %v", err)
	}
}

// TestForeignNamesAreThoseOfCLDR: people write a country in their own language, on keyboards without its accents too. A
// name of different countries in different languages is none.
func TestForeignNamesAreThoseOfCLDR(t *testing.T) {
	t.Parallel()
	codes := map[string]string{}
	add := func(name, code string) {
		if before, ok := codes[name]; ok && before != code {
			code = ""
		}
		codes[name] = code
	}
	for _, tag := range []string{"bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "is", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "pt-PT", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "zh"} {
		namer := display.Regions(language.MustParse(tag))
		for _, c := range locations.Countries() {
			name := namer.Name(language.MustParseRegion(c.Code))
			folded := places.Normalize(name)
			if len(folded) < 4 { // a code or a currency rather
				continue
			}
			add(strings.ToLower(name), c.Code)
			add(folded, c.Code)
		}
	}
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(codes)) {
		known := false
		for _, tag := range []string{"en", "de"} {
			own, _ := locations.CountryName(codes[name], tag)
			known = known || strings.ToLower(own) == name
		}
		if codes[name] != "" && !known {
			want.WriteString(name + "\t" + codes[name] + "\n")
		}
	}
	if *update {
		if err := os.WriteFile("foreignnames.tsv", []byte(want.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("foreignnames.tsv"); err != nil || string(got) != want.String() {
		t.Errorf("foreignnames.tsv is not what CLDR has; go test -run CLDR -update writes it: %v", err)
	}
}

func TestCountryNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Germany": "DE", "deutschland": "DE", " France ": "FR", "Österreich": "AT", "UK": "GB", "England": "GB", "USA": "US", "United States": "US",
		"Holland": "NL", "Czechia": "CZ", "South Korea": "KR", "Großbritannien": "GB", "GROSSBRITANNIEN": "GB", "Northern Ireland": "GB", "Czech Republic": "CZ", "The Netherlands": "NL", "DE": "",
		"Nederland": "NL", "España": "ES", "Espana": "ES", "Italia": "IT", "Osterreich": "AT", "Polska": "PL", "Česko": "CZ", "Cesko": "CZ", "Danmark": "DK", "Sverige": "SE", "Norge": "NO", "Suomi": "FI", "Magyarország": "HU", "Belgique": "BE", "België": "BE",
		"Brasil": "BR", "Duitsland": "DE", "Niemcy": "DE", "Tyskland": "DE", "Alemania": "DE", "Alemanha": "DE", "Germania": "DE", "Estados Unidos": "US", "EE.UU.": "US", "Stati Uniti": "US", "Reino Unido": "GB", "Regno Unito": "GB", "Verenigd Koninkrijk": "GB",
		"Inghilterra": "GB", "Svizzera": "CH", "Suisse": "CH", "Países Bajos": "NL", "Pays-Bas": "NL", "Ελλάδα": "GR", "日本": "JP", "EN": "", "Atlantis": "", "": "", "Kor": "",
	} {
		if c, ok := locations.CountryNamed(text); c.Code != want || ok != (want != "") {
			t.Errorf("%q is %s, want %s", text, c.Code, want)
		}
	}
}

func TestCountryWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"DE": "DE", "de": "DE", "DEU": "DE", "GER": "DE", "D": "DE", "Germany (DE)": "DE", "DE - Germany": "DE", "AUT – Österreich": "AT", "AUT": "AT", "CHE": "CH", "SUI": "CH", "CH": "CH", "NLD": "NL", "NED": "NL", "F": "FR", "EL": "GR", "GRC": "GR",
		"UK": "GB", "UK / England": "GB", "JPN": "JP", "POL": "PL", "IRL": "IE", "AUS": "AU", "Österreich": "AT",
		"DE / AT": "", "Germany (AT)": "", "X": "", "XX": "", "ZZZ": "", "EU": "", "": "", "-": "", "DE-NW": "", "D, A, CH": "", "Georgia (US)": "",
	} {
		if c, ok := locations.CountryWritten(text); ok != (want != "") || ok && c.Code != want {
			t.Errorf("%q is %q, want %q", text, c.Code, want)
		}
	}
	// Each code of three letters is that of one country.
	seen := map[string]bool{}
	for _, c := range locations.Countries() {
		region, err := language.ParseRegion(c.Code)
		if got, _ := locations.CountryWritten(region.ISO3()); err != nil || got.Code != c.Code || seen[region.ISO3()] {
			t.Errorf("%s is %s, want %s (%v)", region.ISO3(), got.Code, c.Code, err)
		}
		seen[region.ISO3()] = true
	}
}
