package footprint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestFiguresBelongToTheEngineVersion pins every figure of a variety of records to the engine version: results name
// it so that anyone can recompute them. If a change affects a figure on purpose, add an engine; the older ones
// remain.
func TestFiguresBelongToTheEngineVersion(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		want := map[string]string{
			footprint.Engine1: "4715ec80f440ef682b0a6d584ee207db9466907a482418241502e9161f071f05",
			footprint.Engine2: "ccbcc9e001e5ea812e5f8533e3f9fef9d623da43d4e3d074ce130916acd9945c",
			footprint.Engine3: "a63254e61029ab82e6e1735ed701a46302ff7d836748efb2c36f34a4b09d6b6e",
			footprint.Engine4: "f9963a5b5d394c429e93e25eb4bd6b1218f1610686849b82ce311ba6a458a496",
			footprint.Engine5: "5dfaaf4044cd3e6d43f0b6a3839de1d4cf5052e5eb2c1f813e0ea4307c32c874",
		}[engine]
		ev := london
		ev.Engine = engine
		if got := hashOfFigures(t, ev); got != want {
			t.Errorf("the figures of engine %s have the hash %s, pinned is %s", engine, got, want)
		}
	}
}

// TestRoughFiguresBelongToTheEngineVersion pins the rest: attendee travel, rough data, spending and supplier factors,
// separately and added up.
func TestRoughFiguresBelongToTheEngineVersion(t *testing.T) {
	t.Parallel()
	for engine, want := range map[string]string{
		footprint.Engine1: "909e1568907ed15c9393179ee8d30c9703af9d1f33584c778fd6bb4c0e8e4523",
		footprint.Engine2: "9c52cbf87dda868d9c64d3595eccb3d4b3299beb3f5e1b05e2442e0b217d34e4",
		footprint.Engine3: "fdde3c39f438da50f1614f06d3cbe2d8f43e749007de06959d002f136ef7d295",
		footprint.Engine4: "ed77c969d1c5f91bca505429a45b5069310022a25f7c2ca7d2b674bea9ca151f",
		footprint.Engine5: "5b70efb8a1f0c4e6dca67824afb21c7e64c96ac74b5132b2f84144154e03eab6",
	} {
		ev := london
		ev.Engine = footprint.Pin(engine)
		hash := sha256.New()
		var sum total.Contribution
		for _, r := range []struct{ typ, body string }{
			{"attendee-travel", `{"to":"Brighton, GB","modeSurvey":[{"mode":"rail","people":30},{"mode":"car","people":20}],"origins":[{"country":"DE","people":40},{"code":"EDI","people":4,"mode":"plane","roundTrip":false},{"people":5}]}`},
			{"attendee-travel", `{"to":"Brighton, GB","group":"staff","origins":[{"place":"Leeds","people":12,"mode":"rail"}]}`},
			{"flights", `{"from":"Brighton, GB","to":"Berlin, DE","passengers":4,"group":"attendees"}`},
			{"waste", `{"treatment":"recycling","container":"wheelie_240","containers":14}`},
			{"catering", `{"servings":{"coffee":900,"wine_bottle":180}}`},
			{"materials", `{"material":"paper","sheets":2000,"sheetSize":"A4"}`},
			{"energy", `{"source":"gas_oil","generatorKVA":100,"hours":36}`},
			{"energy", `{"source":"propane","weightKg":94}`},
			{"ground-transport", `{"mode":"coach","vehicles":3,"distanceKm":60}`},
			{"ground-transport", `{"mode":"rail","from":"London, GB","to":"Manchester, GB","passengers":12}`},
			{"accommodation", `{"nights":3,"guests":6,"kind":"rental","country":"GB"}`},
			{"accommodation", `{"nights":2,"guests":17,"rooms":3,"kind":"hostel","country":"GB"}`},
			{"venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`},
			{"venue", `{"electricityKWh":900,"country":"US","control":"own"}`},
			{"purchases", `{"category":"av_hire","amount":8400,"currency":"GBP","date":"2026-05-12"}`},
			{"custom", shells},
		} {
			d := decodeWith(t, r.typ, r.body, ev)
			e, err := footprint.Evaluate(r.typ, d.Fields, ev)
			if err != nil {
				t.Fatal(err)
			}
			hash.Write([]byte(encoded(t, e.Lines)))
			sum = sum.Add(total.Of(&e))
		}
		b := sum.Breakdown(ev)
		b.Notices = nil // texts, not figures
		hash.Write([]byte(encoded(t, b)))
		if got := hex.EncodeToString(hash.Sum(nil)); got != want {
			t.Errorf("the figures of engine %s have the hash %s, pinned is %s", engine, got, want)
		}
	}
}

// hashOfFigures returns the hash of the figures of a spread of records.
func hashOfFigures(t *testing.T, london footprint.EventContext) string {
	t.Helper()
	ar6 := london
	ar6.GWP, ar6.RadiativeForcing = "AR6", false
	hash := sha256.New()
	older, oldest := london, london
	older.FactorSet, oldest.FactorSet = "desnz-2025", "desnz-2024"
	for _, ev := range []footprint.EventContext{london, ar6, older, oldest} {
		for _, r := range []struct{ typ, body string }{
			{"flights", `{"from":"LHR","to":"SYD","via":["DXB"],"passengers":7,"class":"business","roundTrip":true,"group":"attendees"}`},
			{"flights", `{"from":"NYC","to":"LON","passengers":3,"population":90,"respondents":41,"sampleCV":0.37}`},
			{"flights", `{"from":"QQQ","to":"EDI","passengers":3,"distanceKm":812.75,"dataQuality":"measured"}`},
			{"accommodation", `{"nights":3,"rooms":12,"city":"London","group":"speakers"}`},
			{"accommodation", `{"nights":2,"guests":31,"country":"NO","kind":"hostel"}`},
			{"accommodation", `{"nights":1,"rooms":9,"country":"KE","kind":"apartment","date":"2019-01-01"}`},
			{"venue", `{"electricityKWh":18250.5,"gasKWh":4100,"heatKWh":77.125,"control":"own","renewablePercent":40,"evidence":[{"name":"a"}]}`},
			{"venue", `{"annualElectricityKWh":2500000,"annualGasKWh":900000,"spaceSharePercent":7.5,"days":2,"country":"DE"}`},
			{"venue", `{"floorAreaM2":4200,"days":3,"venueType":"pool","country":"XK"}`},
			{"waste", `{"treatment":"landfill","weightKg":812.25,"material":"wood","dataQuality":"measured","evidence":[{"name":"a"}]}`},
			{"waste", `{"treatment":"recycling","volumeLitres":12000,"densityKgPerM3":35.5,"country":"US"}`},
			{"ground-transport", `{"mode":"car","distanceKm":37.25,"passengers":31,"occupancy":2.5,"roundTrip":true,"group":"attendees"}`},
			{"ground-transport", `{"mode":"van","fuel":"diesel","distanceKm":112,"vehicles":3,"control":"own","country":"FR"}`},
			{"ground-transport", `{"mode":"ferry","distanceKm":41,"passengers":18,"group":"staff"}`},
			{"freight", `{"mode":"air","from":"HKG","to":"LHR","weightKg":352.5,"distanceKm":9640}`},
			{"freight", `{"mode":"road","weightKg":1840,"distanceKm":233.3,"refrigerated":true,"roundTrip":true}`},
			{"catering", `{"meals":412,"diet":"mixed","drinks":{"coffee":61.5,"wine":12,"fruit_juice":7}}`},
			{"materials", `{"material":"aluminium","source":"hired","usesOverLife":7,"weightKg":903}`},
			{"materials", `{"material":"carpet_nylon","weightKg":88.5}`},
			{"materials", `{"material":"board","areaM2":118,"gramsPerM2":612.5,"source":"recycled","endOfLife":"recycling"}`},
			{"energy", `{"source":"hvo","volumeLitres":1201.5,"control":"own"}`},
			{"energy", `{"source":"grid","energyKWh":777,"country":"AU","subdivision":"VIC"}`},
			{"water", `{"supplyM3":42.125}`},
			{"digital", `{"activity":"streaming","participants":1513,"hours":6.25}`},
			{"purchases", `{"category":"security","amount":12345.67,"currency":"GBP","kgCO2ePerUnit":0.1234,"factorSource":"x","evidence":[{"name":"a"}]}`},
			{"custom", `{"kgCO2e":184.123456,"description":"x","scope":1,"evidence":[{"name":"a"}]}`},
		} {
			e := evaluate(t, r.typ, r.body, ev)
			hash.Write([]byte(encoded(t, e.Lines)))
			hash.Write([]byte(encoded(t, total.Of(&e))))
			b := total.Of(&e).Breakdown(ev)
			b.Notices = nil // texts, not figures
			hash.Write([]byte(encoded(t, b)))
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// TestEnginesAgreeOnTheFigure: engine 2.0.0 moves intervals and categories, not
// the masses of records.
func TestEnginesAgreeOnTheFigure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ, body := drawRecord(t)
		first, other := contributed(t, typ, body, london), contributed(t, typ, body, second)
		if first.Total() != other.Total() {
			t.Fatalf("%s %s is %s by engine 1.2.0 and %s by 2.0.0", typ, body, first.Total(), other.Total())
		}
	})
}

// TestFiguresOfLaterValuesBelongToTheEngineVersion pins values that were added after the engines were released: every
// engine supports them.
func TestFiguresOfLaterValuesBelongToTheEngineVersion(t *testing.T) {
	t.Parallel()
	for engine, want := range map[string]string{
		footprint.Engine1: "3cd6f41e4f6228f809ad4aec29655630a7a377850fd67ede45ded5c2076f8146",
		footprint.Engine2: "132245bccd417e712e2355cd33fb2ad5e97ac62db40a837bdf5ea1d7884addb4",
		footprint.Engine3: "132245bccd417e712e2355cd33fb2ad5e97ac62db40a837bdf5ea1d7884addb4",
		footprint.Engine4: "132245bccd417e712e2355cd33fb2ad5e97ac62db40a837bdf5ea1d7884addb4",
		footprint.Engine5: "ae615a5385ed33f7983f727ca20a69004e6e72f6f0833ac2c0937e25fbb9a96b",
	} {
		hash := sha256.New()
		for _, gwp := range []string{"published", "AR6"} {
			ev := london
			ev.Engine, ev.GWP = footprint.Pin(engine), gwp
			for _, body := range []string{
				`{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2,"control":"own"}`, `{"source":"refrigerant","refrigerant":"r227ea","weightKg":0.35}`,
				`{"source":"kerosene","volumeLitres":40}`, `{"source":"wood_pellets","weightKg":250}`, `{"source":"wood_chips","weightKg":812.5}`, `{"source":"biopropane","weightKg":47}`,
				`{"source":"cng","weightKg":33.3}`, `{"source":"lng","energyKWh":12.5}`, `{"source":"fuel_oil","volumeLitres":70}`, `{"source":"biogas","weightKg":80}`,
				`{"source":"bioethanol","volumeLitres":9}`, `{"source":"biodiesel_used_oil","volumeLitres":61}`, `{"source":"biodiesel_tallow","weightKg":61}`, `{"source":"hvo","weightKg":61}`,
			} {
				e := evaluate(t, "energy", body, ev)
				hash.Write([]byte(encoded(t, e.Lines)))
				b := total.Of(&e).Breakdown(ev)
				b.Notices = nil // texts, not figures
				hash.Write([]byte(encoded(t, b)))
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != want {
			t.Errorf("the figures of engine %s have the hash %s, pinned is %s", engine, got, want)
		}
	}
}
