package footprint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestNarrowingIsThatOfTheFinerInput evaluates again with the field of the notice, at the assumed value: the interval
// is the stated one, or narrower if the field also improves the data quality.
func TestNarrowingIsThatOfTheFinerInput(t *testing.T) {
	t.Parallel()
	second := book
	second.Engine = footprint.NewestEngine
	for _, c := range []struct {
		typ, rough, finer, field string
		exact                    bool
	}{
		{"ground-transport", `{"mode":"rail","from":"London","to":"Manchester","passengers":12}`, `{"mode":"rail","distanceKm":%s,"passengers":12}`, "distanceKm", true},
		{"ground-transport", `{"mode":"coach","vehicles":2,"distanceKm":60}`, `{"mode":"coach","vehicles":2,"passengers":49,"distanceKm":60}`, "passengers", false},
		{"flights", `{"from":"Brighton, GB","to":"Berlin, DE","passengers":1}`, `{"from":"LGW","to":"BER","passengers":1}`, "from", true},
		{"freight", `{"mode":"road","weightKg":8000,"from":"Birmingham","to":"Manchester"}`, `{"mode":"road","weightKg":8000,"distanceKm":155}`, "distanceKm", false},
		{"energy", `{"source":"diesel","generatorKVA":100,"hours":36}`, `{"source":"diesel","volumeLitres":392.8}`, "", false},
		{"waste", `{"treatment":"landfill","container":"wheelie_240","containers":14}`, `{"treatment":"landfill","weightKg":275}`, "", false},
		{"materials", `{"material":"wood","weightKg":1400,"source":"hired"}`, `{"material":"wood","weightKg":1400,"source":"hired","usesOverLife":10}`, "usesOverLife", false},
		{"materials", `{"material":"paper","sheets":2000}`, `{"material":"paper","weightKg":10}`, "", false},
		{"catering", `{"servings":{"canapes":300}}`, `{"meals":300,"diet":"mixed"}`, "", false},
		{"venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`, `{"electricityKWh":640,"gasKWh":640}`, "electricityKWh", false},
		{"accommodation", `{"kind":"rental","guests":6,"nights":3}`, `{"kind":"rental","rooms":3,"nights":3}`, "rooms", false},
		{"purchases", `{"category":"taxi","amount":412,"currency":"GBP"}`, ``, "ground-transport", false}, // another type counts it
		{"attendee-travel", `{"to":"Brighton, GB","origins":[{"place":"Leeds","people":60}]}`, `{"to":"Brighton, GB","origins":[{"place":"Leeds","people":47,"mode":"car"},{"place":"Leeds","people":7,"mode":"rail"},{"place":"Leeds","people":4,"mode":"coach"},{"place":"Leeds","people":2,"mode":"plane"}]}`, "origins.mode", false},
	} {
		for _, ev := range []footprint.EventContext{book, second} {
			rough := decodeTravel(t, c.typ, c.rough, ev)
			p := total.PreviewOf(&rough.Evaluation, "")
			var n *footprint.Narrowing
			for _, notice := range p.Notices {
				if notice.WouldNarrowTo != nil {
					n = notice.WouldNarrowTo
				}
			}
			if n == nil {
				t.Errorf("%s %s: no question is asked", c.typ, c.rough)
				continue
			}
			if c.finer == "" {
				if n.Field != c.field || !wider(p, total.Preview{Low: n.Low, High: n.High}) {
					t.Errorf("%s %s: narrows to %+v", c.typ, c.rough, n)
				}
				continue
			}
			var given struct{ DistanceKm json.Number }
			if err := json.Unmarshal(rough.Fields, &given); err != nil {
				t.Fatal(err)
			}
			fine := decodeTravel(t, c.typ, strings.ReplaceAll(c.finer, "%s", given.DistanceKm.String()), ev)
			f := total.PreviewOf(&fine.Evaluation, "")
			told := total.Preview{Low: n.Low, High: n.High}
			if c.field != "" && n.Field != c.field || !wider(p, told) || kilograms(told.High)/kilograms(told.Low) < 0.99*kilograms(f.High)/kilograms(f.Low) {
				t.Errorf("%s %s by %s: %s would narrow %s-%s to %s-%s; with it, it is %s-%s", c.typ, c.rough, ev.EngineVersion(), n.Field,
					p.Low.Kilograms(), p.High.Kilograms(), n.Low.Kilograms(), n.High.Kilograms(), f.Low.Kilograms(), f.High.Kilograms())
			}
			if c.exact && (n.Low != f.Low || n.High != f.High) {
				t.Errorf("%s %s by %s: told %s-%s, with %s it is %s-%s", c.typ, c.rough, ev.EngineVersion(), n.Low.Kilograms(), n.High.Kilograms(), n.Field, f.Low.Kilograms(), f.High.Kilograms())
			}
		}
	}
}
