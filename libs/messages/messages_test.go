package messages_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/messages"
)

// TestEveryCodeHasATextInEveryLanguage: the document lists the codes, and a test of it fails
// where one of the sources is not there.
func TestEveryCodeHasATextInEveryLanguage(t *testing.T) {
	text, err := os.ReadFile("../spec/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Codes []struct{ Code, Of string } `json:"x-codes"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	of := map[string]func(language, code string) string{"finding": messages.Finding, "notice": messages.Notice}
	checked := map[string]int{}
	for _, c := range document.Codes {
		say, ok := of[c.Of]
		if !ok {
			continue
		}
		checked[c.Of]++
		for _, language := range footprint.Languages()[1:] {
			if say(language, c.Code) == "" {
				t.Errorf("the %s %s has no text in %s", c.Of, c.Code, language)
			}
		}
	}
	if checked["finding"] < 10 || checked["notice"] < 30 {
		t.Errorf("%v codes", checked)
	}
}

// readAnywhere are units that are read the same in every language.
var readAnywhere = []string{"kg", "kWh", "km", "GB", "GJ"}

func TestEveryUnitHasAWordInEveryLanguage(t *testing.T) {
	for _, set := range factors.Sets() {
		for _, f := range set.Factors() {
			unit := strings.NewReplacer(".", "-", "_", "-").Replace(f.Unit)
			for _, language := range footprint.Languages()[1:] {
				if messages.Word(language, unit) == "" && !slices.Contains(readAnywhere, unit) {
					t.Fatalf("%s: the unit %s has no word in %s", f.ID, unit, language)
				}
			}
		}
	}
}

// TestUnitsOfFields: every unit of a schema is a symbol or has a German name.
func TestUnitsOfFields(t *testing.T) {
	symbols := []string{"kWh", "km", "kg", "%", "h", "kVA"}
	for _, typ := range footprint.Types() {
		var schema struct {
			Properties map[string]struct {
				Unit string `json:"x-unit"`
			}
		}
		if err := json.Unmarshal(footprint.Schema(typ), &schema); err != nil {
			t.Fatal(err)
		}
		for name, p := range schema.Properties {
			if p.Unit != "" && messages.Unit("de", p.Unit) == "" && !slices.Contains(symbols, p.Unit) {
				t.Errorf("%s.%s: the unit %s has no German name", typ, name, p.Unit)
			}
		}
	}
}

// TestFormulas: the words of a formula are in the language, whole ones and the longest first; numbers and what has no
// word stay as they are.
func TestFormulas(t *testing.T) {
	for formula, want := range map[string]string{
		"1,400 kg × 1/1,000 × 38,560 km × 0.89939 kg per tonne-km = 48,552.669760 kg": "1,400 kg × 1/1,000 × 38,560 km × 0.89939 kg je Tonnenkilometer = 48,552.669760 kg",
		"12 passengers × 3 trips × 2 (return)":                                        "12 Reisende × 3 Reisen × 2 (hin und zurück)",
		"259 kWh per m² a year × 12.5 % of the space × 2/365 of the year":             "259 kWh je m² im Jahr × 12.5 % der Fläche × 2/365 des Jahres",
		"7 of the survey × 2 shells of day-trips, Tagesitems":                         "7 der Umfrage × 2 shells of day-trips, Tagesitems",
	} {
		if got := messages.FormulaIn("de", formula); got != want {
			t.Errorf("%q is %q in German, want %q", formula, got, want)
		}
		if got := messages.FormulaIn("en", formula); got != formula {
			t.Errorf("%q is %q in English", formula, got)
		}
	}
}
