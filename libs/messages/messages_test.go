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
