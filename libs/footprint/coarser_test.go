package footprint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// pairOf is a kind of rough data: a body with little information, and the equivalent finer one, which may use values
// derived by the server for the first (%distance, %from, %to).
type pairOf func(t *rapid.T) (typ, coarse, finer string)

func drawPairs() map[string]pairOf {
	towns := []string{"London, GB", "Manchester, GB", "Leeds, GB", "Bristol, GB", "Berlin, DE", "Paris, FR", "Madrid, ES", "Chicago, US", "BS1 4DJ", "Brighton, GB"}
	two := func(t *rapid.T) (string, string) {
		p := rapid.Permutation(towns).Draw(t, "towns")
		return p[0], p[1]
	}
	n := func(t *rapid.T, most int) int { return rapid.IntRange(1, most).Draw(t, "number") }
	return map[string]pairOf{
		"ground by places": func(t *rapid.T) (string, string, string) {
			a, b := two(t)
			mode, people := rapid.SampledFrom([]string{"rail", "car", "coach", "bus", "taxi", "motorbike"}).Draw(t, "mode"), n(t, 500)
			return "ground-transport", fmt.Sprintf(`{"mode":%q,"from":%q,"to":%q,"passengers":%d}`, mode, a, b, people), fmt.Sprintf(`{"mode":%q,"distanceKm":%%distance,"passengers":%d}`, mode, people)
		},
		"freight by places": func(t *rapid.T) (string, string, string) {
			a, b := two(t)
			kg := n(t, 20_000)
			return "freight", fmt.Sprintf(`{"mode":"road","from":%q,"to":%q,"weightKg":%d}`, a, b, kg), fmt.Sprintf(`{"mode":"road","distanceKm":%%distance,"weightKg":%d}`, kg)
		},
		"flights of towns": func(t *rapid.T) (string, string, string) {
			p := rapid.Permutation([]string{"Brighton, GB", "Berlin, DE", "Madrid, ES", "Chicago, US", "Edinburgh, GB"}).Draw(t, "towns")
			return "flights", fmt.Sprintf(`{"from":%q,"to":%q,"passengers":%d}`, p[0], p[1], 3), `{"from":"%from","to":"%to","passengers":3}`
		},
		"coaches without passengers": func(t *rapid.T) (string, string, string) {
			v, km := n(t, 20), n(t, 900)
			return "ground-transport", fmt.Sprintf(`{"mode":"coach","vehicles":%d,"distanceKm":%d}`, v, km), fmt.Sprintf(`{"mode":"coach","passengers":%d,"distanceKm":%d}`, v*25, km)
		},
		"generators": func(t *rapid.T) (string, string, string) {
			kva, hours := rapid.IntRange(30, 500).Draw(t, "kva"), n(t, 200)
			coarse := fmt.Sprintf(`{"source":"diesel","generatorKVA":%d,"hours":%d}`, kva, hours)
			if rapid.Bool().Draw(t, "load") {
				return "energy", coarse, fmt.Sprintf(`{"source":"diesel","generatorKVA":%d,"hours":%d,"loadPercent":35}`, kva, hours)
			}
			return "energy", coarse, fmt.Sprintf(`{"source":"diesel","volumeLitres":%d}`, hours*10)
		},
		"bins": func(t *rapid.T) (string, string, string) {
			bins := n(t, 200)
			coarse := fmt.Sprintf(`{"treatment":"landfill","container":"wheelie_240","containers":%d}`, bins)
			if rapid.Bool().Draw(t, "full") {
				return "waste", coarse, fmt.Sprintf(`{"treatment":"landfill","container":"wheelie_240","containers":%d,"fillPercent":100}`, bins)
			}
			return "waste", coarse, fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, bins*20)
		},
		"sheets": func(t *rapid.T) (string, string, string) {
			sheets := n(t, 90_000)
			return "materials", fmt.Sprintf(`{"material":"paper","sheets":%d}`, sheets), fmt.Sprintf(`{"material":"paper","sheets":%d,"gramsPerM2":80}`, sheets)
		},
		"hired goods": func(t *rapid.T) (string, string, string) {
			kg := n(t, 9000)
			return "materials", fmt.Sprintf(`{"material":"wood","source":"hired","weightKg":%d}`, kg), fmt.Sprintf(`{"material":"wood","source":"hired","weightKg":%d,"usesOverLife":10}`, kg)
		},
		"venues by area": func(t *rapid.T) (string, string, string) {
			m2 := n(t, 9000)
			return "venue", fmt.Sprintf(`{"venueType":"hotel","floorAreaM2":%d,"days":2}`, m2), fmt.Sprintf(`{"electricityKWh":%d,"gasKWh":%d}`, m2, m2)
		},
		"money": func(t *rapid.T) (string, string, string) {
			amount := n(t, 90_000)
			category := rapid.SampledFrom([]string{"security", "taxi", "av_hire", "printing", "legal"}).Draw(t, "category")
			currency := rapid.SampledFrom([]string{"GBP", "EUR", "USD"}).Draw(t, "currency")
			coarse := fmt.Sprintf(`{"category":%q,"amount":%d,"currency":%q}`, category, amount, currency)
			return "purchases", coarse, strings.TrimSuffix(coarse, "}") + `,"kgCO2ePerUnit":0.2,"factorSource":"x","evidence":[{"name":"y"}]}`
		},
		"attendees of a country": func(t *rapid.T) (string, string, string) {
			people := n(t, 300)
			country, town := "DE", "Berlin"
			if rapid.Bool().Draw(t, "home") {
				country, town = "GB", "Leeds"
			}
			return footprint.AttendeeTravel, fmt.Sprintf(`{"to":"Brighton, GB","origins":[{"country":%q,"people":%d,"mode":"rail"}]}`, country, people),
				fmt.Sprintf(`{"to":"Brighton, GB","origins":[{"place":%q,"country":%q,"people":%d,"mode":"rail"}]}`, town, country, people)
		},
		"attendees without mode": func(t *rapid.T) (string, string, string) {
			people := 20 * n(t, 20)
			return footprint.AttendeeTravel, fmt.Sprintf(`{"to":"Berlin, DE","modeSurvey":[{"mode":"rail","people":%d},{"mode":"car","people":%d}],"origins":[{"place":"Hamburg","country":"DE","people":%d}]}`, people, people, people),
				fmt.Sprintf(`{"to":"Berlin, DE","origins":[{"place":"Hamburg","country":"DE","people":%d,"mode":"rail"},{"place":"Hamburg","country":"DE","people":%d,"mode":"car"}]}`, people/2, people/2)
		},
	}
}

// TestCoarserIsNeverNarrowerAtRandom draws records of every path of rough data,
// under both engines.
func TestCoarserIsNeverNarrowerAtRandom(t *testing.T) {
	t.Parallel()
	for name, pair := range drawPairs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				ev := book
				ev.Engine = rapid.SampledFrom(footprint.Engines()).Draw(t, "engine")
				typ, coarse, finer := pair(t)
				rough, err := footprint.Decode(typ, []byte(coarse), ev)
				if err != nil {
					t.Skip(err) // such as a road across the sea
				}
				var worked struct {
					DistanceKm json.Number
					From, To   string
				}
				if err := json.Unmarshal(rough.Fields, &worked); err != nil {
					t.Fatal(err)
				}
				finer = strings.NewReplacer("%distance", worked.DistanceKm.String(), "%from", worked.From, "%to", worked.To).Replace(finer)
				fine, err := footprint.Decode(typ, []byte(finer), ev)
				if err != nil {
					t.Fatalf("%s: %v", finer, err)
				}
				a, b := total.PreviewOf(&rough.Evaluation, ""), total.PreviewOf(&fine.Evaluation, "")
				if ratio, less := kilograms(a.High)/kilograms(a.Low), kilograms(b.High)/kilograms(b.Low); ratio < less*0.999_999 {
					t.Fatalf("%s has %v, the finer %s %v", coarse, ratio, finer, less)
				}
			})
		})
	}
}
