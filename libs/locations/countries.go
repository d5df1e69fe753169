// Package locations has the places that a record may name: countries and their UN regions, airports and city codes,
// and the great-circle distance between two of them.
package locations

import (
	_ "embed"
	"maps"
	"strings"
	"sync"
)

// Country is one entry of ISO 3166-1 with its region of the UN M49 standard.
type Country struct {
	Code   string // alpha-2, upper case
	Name   string
	Region string // UN M49 region: Africa, Americas, Asia, Europe, Oceania, or empty (Antarctica)
	// SubRegion is the UN M49 sub-region or intermediate region, such as
	// "Western Asia" or "Caribbean".
	SubRegion string
}

//go:embed countries.csv
var countriesText string

type countryTable struct {
	list   []Country
	byCode map[string]int
}

var countries = sync.OnceValue(func() countryTable {
	t := countryTable{byCode: make(map[string]int, 256)}
	for line := range strings.Lines(countriesText) {
		parts := strings.Split(strings.TrimSpace(line), ",")
		if len(parts) != 4 || parts[0] == "code" {
			continue
		}
		t.byCode[parts[0]] = len(t.list)
		t.list = append(t.list, Country{Code: parts[0], Name: parts[1], Region: parts[2], SubRegion: parts[3]})
	}
	return t
})

// CountryByCode finds a country by its alpha-2 code in any case.
func CountryByCode(code string) (Country, bool) {
	if len(code) != 2 {
		return Country{}, false
	}
	t := countries()
	i, ok := t.byCode[strings.ToUpper(code)]
	if !ok {
		return Country{}, false
	}
	return t.list[i], true
}

// Countries returns all countries, ordered by code. The slice is the caller's.
func Countries() []Country { return append([]Country(nil), countries().list...) }

// usual maps common codes to assigned ones.
var usual = map[string]string{
	"UK": "GB", "EN": "GB", "EL": "GR", "USA": "US", "GBR": "GB", "DEU": "DE", "GER": "DE", "FRA": "FR", "ESP": "ES",
	"ENGLAND": "GB", "SCOTLAND": "GB", "WALES": "GB", "GREAT BRITAIN": "GB", "UNITED KINGDOM": "GB",
	"UNITED STATES": "US", "AMERICA": "US", "HOLLAND": "NL", "RUSSIA": "RU", "TURKEY": "TR", "SOUTH KOREA": "KR",
	"NORTHERN IRELAND": "GB", "GROSSBRITANNIEN": "GB", "GROßBRITANNIEN": "GB", "SCHOTTLAND": "GB", "NORDIRLAND": "GB", "U.K.": "GB", "ROYAUME UNI": "GB",
	"REPUBLIC OF IRELAND": "IE", "EIRE": "IE", "U.S.": "US", "U.S.A.": "US", "UNITED STATES OF AMERICA": "US", "VEREINIGTE STAATEN VON AMERIKA": "US",
	"THE NETHERLANDS": "NL", "CZECH REPUBLIC": "CZ", "TSCHECHISCHE REPUBLIK": "CZ", "UAE": "AE", "VAE": "AE", "HONGKONG": "HK", "OESTERREICH": "AT",
	"IVORY COAST": "CI", "REPUBLIC OF KOREA": "KR", "VATICAN": "VA", "BURMA": "MM",
	"ENGELAND": "GB", "ANGLETERRE": "GB", "INGLATERRA": "GB", "INGHILTERRA": "GB", "ANGLIA": "GB",
	"EE.UU.": "US", "EE. UU.": "US", "EEUU": "US", "EE UU": "US", "EUA": "US", "ÉTATS UNIS": "US", "ETATS UNIS": "US",
}

// otherCodes are codes that are not of ISO 3166: those of vehicles, and of the Olympic Committee where they differ.
var otherCodes = map[string]string{
	"A": "AT", "B": "BE", "D": "DE", "E": "ES", "F": "FR", "H": "HU", "I": "IT", "L": "LU", "N": "NO", "P": "PT", "S": "SE", "FL": "LI", "UK": "GB", "EL": "GR",
	"BUL": "BG", "CRO": "HR", "DEN": "DK", "GRE": "GR", "INA": "ID", "LAT": "LV", "MAS": "MY", "NED": "NL", "PHI": "PH", "POR": "PT", "RSA": "ZA", "SUI": "CH",
}

// countryNames has the code of each country, its names in nameLanguages and its alpha-3 code.
//
//go:embed countrynames.tsv
var countryNames string

// foreignNames has the names of countries in further languages in small letters, with and without accents, and their codes.
//
//go:embed foreignnames.tsv
var foreignNames string

// nameLanguages are the languages of the columns after the code in countrynames.tsv.
var nameLanguages = [...]string{"en", "de"}

// names are the names of countries by language and code.
var names = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, language := range nameLanguages {
		out[language] = map[string]string{}
	}
	for line := range strings.Lines(countryNames) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, language := range nameLanguages {
			out[language][columns[0]] = columns[1+i]
		}
	}
	return out
})

// CountryName returns the name of a country in a language, "en" or "de", as the Unicode Common Locale Data Repository
// (CLDR) has it. The code is upper case.
func CountryName(code, language string) (name string, ok bool) {
	name, ok = names()[language][code]
	return name, ok
}

// named maps names of countries in upper case to codes: those of the table, those of CLDR, of which the English and German
// ones take precedence, and common abbreviations.
var named = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(foreignNames) {
		name, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[strings.ToUpper(name)] = code
	}
	for _, c := range countries().list {
		out[strings.ToUpper(c.Name)] = c.Code
	}
	for _, language := range nameLanguages {
		for code, name := range names()[language] {
			out[strings.ToUpper(name)] = code
		}
	}
	for name, code := range usual {
		if len(name) > 2 || name == "UK" {
			out[name] = code
		}
	}
	return out
})

// CountryNamed returns a country by its name in English, German or another of the languages of CLDR that the tables have, in any case, or by a common abbreviation such as
// UK. A code is not a name.
func CountryNamed(text string) (Country, bool) {
	return CountryByCode(named()[strings.ToUpper(strings.TrimSpace(text))])
}

// codes maps the codes of countries that are not alpha-2 to those that are.
var codes = sync.OnceValue(func() map[string]string {
	out := maps.Clone(otherCodes)
	for line := range strings.Lines(countryNames) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		out[columns[len(columns)-1]] = columns[0]
	}
	return out
})

// CountryWritten returns the country that a cell of a column of countries means: a name, a code of two or three letters
// or of vehicles, or both, such as Germany (DE) and AUT - Austria.
func CountryWritten(text string) (Country, bool) {
	if c, ok := CountryNamed(text); ok {
		return c, true
	}
	upper := strings.ToUpper(strings.TrimSpace(text))
	if c, ok := CountryByCode(upper); ok {
		return c, true
	}
	if c, ok := CountryByCode(codes()[upper]); ok {
		return c, true
	}
	parts := strings.FieldsFunc(upper, func(r rune) bool { return strings.ContainsRune("()[]/,;:-–|", r) })
	if len(parts) != 2 {
		return Country{}, false
	}
	first, ok := CountryWritten(parts[0])
	second, also := CountryWritten(parts[1])
	return first, ok && also && first == second
}

// SuggestCountry returns up to three codes that text may mean: a name, the beginning of a name, or a common wrong
// code such as UK.
func SuggestCountry(text string) []string {
	text = strings.ToUpper(strings.TrimSpace(text))
	if code, ok := usual[text]; ok {
		return []string{code}
	}
	if c, ok := CountryWritten(text); ok {
		return []string{c.Code}
	}
	var out []string
	if len(text) < 3 {
		return nil
	}
	for _, c := range countries().list {
		if len(out) < 3 && beginsWith(c.Name, text) {
			out = append(out, c.Code)
		}
	}
	return out
}
