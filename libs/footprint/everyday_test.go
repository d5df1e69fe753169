package footprint_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// listed returns every value of every list of the types' schemas, and the names of servings.
func listed(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				switch name {
				case "enum":
					values, _ := member.([]any)
					for _, value := range values {
						if text, ok := value.(string); ok {
							out[text] = true
						}
					}
				case "drinks", "servings":
					object, _ := member.(map[string]any)
					properties, _ := object["properties"].(map[string]any)
					for each := range properties {
						out[each] = true
					}
				}
				walk(member)
			}
		case []any:
			for _, each := range v {
				walk(each)
			}
		}
	}
	for _, typ := range footprint.Types() {
		var schema any
		if err := json.Unmarshal(footprint.Schema(typ), &schema); err != nil {
			t.Fatal(err)
		}
		walk(schema)
	}
	return out
}

func TestEverydayWordsMeanValuesThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("words/everyday.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string][]string
	if err := json.Unmarshal(text, &words); err != nil {
		t.Fatal(err)
	}
	if len(words) < 1500 {
		t.Errorf("there are %d words", len(words))
	}
	values := listed(t)
	for word, means := range words {
		if len(means) == 0 {
			t.Errorf("%s means nothing", word)
		}
		for _, v := range means {
			if !values[v] {
				t.Errorf("%s means %s, which no field takes", word, v)
			}
		}
	}
}

func TestWhatPaperSaysIsSuggested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, field, want string }{
		{"ground-transport", `{"mode":"Minibus","passengers":9,"distanceKm":10}`, "mode", "coach"},
		{"ground-transport", `{"mode":"shuttle bus","passengers":9,"distanceKm":10}`, "mode", "bus"},
		{"ground-transport", `{"mode":"Reisebus","passengers":9,"distanceKm":10}`, "mode", "coach"},
		{"ground-transport", `{"mode":"car","fuel":"EV","vehicles":1,"distanceKm":10}`, "fuel", "battery_electric"},
		{"ground-transport", `{"mode":"car","fuel":"unleaded","vehicles":1,"distanceKm":10}`, "fuel", "petrol"},
		{"energy", `{"source":"Natural gas","energyKWh":5}`, "source", "natural_gas"},
		{"energy", `{"source":"electricity","energyKWh":5}`, "source", "grid"},
		{"accommodation", `{"kind":"Airbnb","guests":3,"nights":2}`, "kind", "rental"},
		{"waste", `{"material":"Restmüll","treatment":"landfill","weightKg":5}`, "material", "mixed"},
		{"waste", `{"material":"mixed","treatment":"energy-from-waste","weightKg":5}`, "treatment", "incineration"},
		{"waste", `{"material":"mixed","treatment":"landfill","container":"1100L","containers":2}`, "container", "wheelie_1100"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"AV"}`, "category", "av_hire"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"Portaloos (4)"}`, "category", "toilet_hire"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"hire of flowers"}`, "category", "plants_flowers"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"Dolmetscher"}`, "category", "translation"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"coach"}`, "class", "economy"},
		{"freight", `{"mode":"lorry","weightKg":5,"distanceKm":6}`, "mode", "road"},
		{"materials", `{"material":"T-shirts","items":5}`, "material", "tshirt_cotton"},
		{"catering", `{"drinks":{"water":5}}`, "drinks.water", "bottled_water"},
		{"catering", `{"servings":{"croissant":5}}`, "servings.croissant", "pastry"},
		{"energy", `{"volumeLitres":5}`, "source", "grid"},
		{"freight", `{"mode":"courier","weightKg":5,"distanceKm":6}`, "mode", "road"},
		{"catering", `{"meals":5,"diet":"vegan","mealType":"buffet"}`, "mealType", "lunch"},
		{"purchases", `{"amount":1,"currency":"€","category":"av_hire"}`, "currency", "EUR"},
		{"flights", `{"from":"LHR","to":"Fiumicino Leonardo","passengers":1}`, "to", "FCO"},
		{"ground-transport", `{"mode":"ICE","passengers":9,"distanceKm":10}`, "mode", "rail"},
		{"ground-transport", `{"mode":"Tesla","vehicles":9,"distanceKm":10}`, "mode", "car"},
		{"ground-transport", `{"mode":"car","fuel":"Tesla Model 3","vehicles":9,"distanceKm":10}`, "fuel", "battery_electric"},
		{"ground-transport", `{"mode":"car","fuel":"ICE","vehicles":9,"distanceKm":10}`, "fuel", "petrol"},
		{"ground-transport", `{"mode":"navette","passengers":9,"distanceKm":10}`, "mode", "bus"},
		{"ground-transport", `{"mode":"autocar","passengers":9,"distanceKm":10}`, "mode", "coach"},
		{"freight", `{"mode":"Poids lourd","weightKg":5,"distanceKm":6}`, "mode", "road"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"Upper Class"}`, "class", "business"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"Touristenklasse"}`, "class", "economy"},
		{"energy", `{"source":"Heizöl","volumeLitres":5}`, "source", "kerosene"},
		{"energy", `{"source":"Gazole","volumeLitres":5}`, "source", "diesel"},
		{"energy", `{"source":"Ökostrom","energyKWh":5}`, "source", "grid"},
		{"energy", `{"source":"Gasflaschen","weightKg":5}`, "source", "propane"},
		{"catering", `{"meals":5,"diet":"végétalien"}`, "diet", "vegan"},
		{"catering", `{"meals":5,"diet":"Poulet"}`, "diet", "white_meat"},
		{"waste", `{"material":"Bioabfall","treatment":"composting","weightKg":5}`, "material", "food"},
		{"waste", `{"material":"Gewerbeabfall","treatment":"landfill","weightKg":5}`, "material", "mixed"},
		{"waste", `{"material":"Hardcore","treatment":"recycling","weightKg":5}`, "material", "construction"},
		{"waste", `{"material":"mixed","treatment":"Thermische Verwertung","weightKg":5}`, "treatment", "incineration"},
		{"waste", `{"material":"mixed","treatment":"RDF","weightKg":5}`, "treatment", "incineration"},
		{"materials", `{"material":"Hardcore","weightKg":5}`, "material", "aggregates"},
		{"materials", `{"material":"Correx","weightKg":5}`, "material", "pp"},
		{"materials", `{"material":"Dibond","weightKg":5}`, "material", "aluminium_sheet"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"PA hire"}`, "category", "av_hire"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"Wi-Fi"}`, "category", "telecom"},
		{"purchases", `{"amount":1,"currency":"GBP","category":"Deposit"}`, "category", "venue_hire"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"roundTrip":"oui"}`, "roundTrip", "true"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"roundTrip":"Nein"}`, "roundTrip", "false"},
		{"attendee-travel", `{"to":"LHR","origins":[{"country":"DE","people":5,"mode":"minibus"}]}`, "origins[0].mode", "coach"},
	} {
		_, err := footprint.Decode(c.typ, []byte(c.body), london)
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok {
			t.Errorf("%s %s: %v, want a fault", c.typ, c.body, err)
			continue
		}
		i := slices.IndexFunc(e.Details, func(d apperr.Detail) bool { return d.Field == c.field })
		if i < 0 || len(e.Details[i].Suggestions) == 0 || e.Details[i].Suggestions[0] != c.want {
			t.Errorf("%s %s: %+v, want %s first", c.typ, c.body, e.Details, c.want)
		}
	}
}

// A value that a field rejects and that resembles none of its values may belong to another type; custom records cover
// the rest.
func TestWhatAnotherTypeCountsIsSentThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, field, want string }{
		{"materials", `{"material":"helium","weightKg":5}`, "material", "a custom record takes a figure of your own"},
		{"materials", `{"material":"minibus","weightKg":5}`, "material", "Records of ground-transport take it, as mode coach."},
		{"ground-transport", `{"mode":"lorry","passengers":5,"distanceKm":6}`, "mode", "Records of freight take it, as mode road."},
		{"ground-transport", `{"mode":"Avion","passengers":5,"distanceKm":6}`, "mode", "Records of flights take journeys by plane. Records of freight take it, as mode air."},
		{"ground-transport", `{"mode":"Flyg","passengers":5,"distanceKm":6}`, "mode", "Records of flights take journeys by plane."},
		{"ground-transport", `{"mode":"Feuerwerk","passengers":5,"distanceKm":6}`, "mode", "Records of purchases take it, as category entertainment."},
		{"waste", `{"material":"camping","treatment":"landfill","weightKg":5}`, "material", "Records of accommodation take it, as kind camping."},
		{"energy", `{"source":"charcoal","weightKg":5}`, "source", "a custom record takes a figure of your own"},
		{"attendee-travel", `{"to":"LHR","origins":[{"country":"DE","people":5,"mode":"fireworks"}]}`, "origins[0].mode", "Records of purchases take it, as category entertainment."},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"fireworks"}`, "class", ""},
	} {
		_, err := footprint.Decode(c.typ, []byte(c.body), london)
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok {
			t.Errorf("%s %s: %v, want a fault", c.typ, c.body, err)
			continue
		}
		i := slices.IndexFunc(e.Details, func(d apperr.Detail) bool { return d.Field == c.field })
		if i < 0 || len(e.Details[i].Suggestions) > 0 || !strings.Contains(e.Details[i].Message, c.want) {
			t.Errorf("%s %s: %+v, want %q", c.typ, c.body, e.Details, c.want)
		}
		if c.want == "" && strings.Contains(e.Details[i].Message, "take") {
			t.Errorf("%s %s: %s", c.typ, c.body, e.Details[i].Message)
		}
	}
}

func TestTypesThatAreMeantComeFirst(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"hotel": "accommodation", "flight": "flights", "groundTransport": "ground-transport", "food": "catering", "xyzzy": footprint.Types()[0],
	} {
		got := footprint.TypesLike(name)
		if got[0] != want || len(got) != len(footprint.Types()) {
			t.Errorf("%s: %v, want all types, %s first", name, got, want)
		}
	}
}

// Heat from a network is a field of another type, which the refusal names.
func TestDistrictHeatIsSentToTheVenue(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"Fernwärme", "district heating", "Chauffage urbain"} {
		_, err := footprint.Decode("energy", []byte(`{"source":"`+source+`","energyKWh":5}`), london)
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(e.Details) != 1 || e.Details[0].Field != "source" || !strings.Contains(e.Details[0].Message, "heatKWh of a venue record") {
			t.Errorf("%s: %v", source, err)
		}
	}
}
