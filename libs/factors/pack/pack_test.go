package pack_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/signature"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// small is a pack that is right.
const small = `{"format":"ecf-factors/1","name":"grid-2027","release":1,"title":"Grids of 2027","publisher":"Example","year":2027,"base":"desnz-2026","standIns":[],
"sources":[{"key":"a","source":"Example Grids 2027","licence":"CC BY 4.0"}],
"rows":[{"id":"elec.fr.location.2027","series":"elec.fr.location","category":"venue","activity":"grid electricity","unit":"kWh","region":"FR","year":2027,
"kgCO2e":0.02,"wellToTank":0.01,"source":"a","location":"Table 1, row FR"}]}`

func read(t *testing.T, text string) *pack.Document {
	t.Helper()
	d, _, err := pack.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEverySetComesBackFromAPack exports each built-in set, reads it, and compares
// row by row.
func TestEverySetComesBackFromAPack(t *testing.T) {
	t.Parallel()
	for i, s := range factors.Sets() {
		if 0 < i && i < len(factors.Sets())-1 && !testkit.Long(t) {
			continue
		}
		exported := pack.Export(s, "copy-of-"+s.ID, 2)
		text, err := exported.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d := read(t, string(text))
		again, err := d.Encode()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: read and written again it is other bytes (%v)", s.ID, err)
		}
		set, err := d.Set()
		if err != nil {
			t.Fatal(err)
		}
		if set.ID != "copy-of-"+s.ID+"-v2" || set.Year != s.Year || set.Checksum == s.Checksum || len(set.Factors()) < len(s.Factors()) {
			t.Errorf("%s: %s of %d with %d rows", s.ID, set.ID, set.Year, len(set.Factors()))
		}
		for j, f := range s.Factors() {
			if got := set.Factors()[j]; got != f {
				t.Errorf("%s: row %d is %+v, want %+v", s.ID, j, got, f)
			}
		}
		if fmt.Sprint(set.Defaults(), set.Scores()) != fmt.Sprint(s.Defaults(), s.Scores()) {
			t.Errorf("%s: other defaults or another pedigree matrix", s.ID)
		}
	}
}

func TestRowsOfAPackStandBeforeThoseOfItsBase(t *testing.T) {
	t.Parallel()
	set, err := read(t, small).Set()
	if err != nil {
		t.Fatal(err)
	}
	base, _ := factors.ByID("desnz-2026")
	if f := set.Ref("elec.fr.location"); f == nil || f.KgCO2e.String() != "0.02" || f.WTT.Decimal.String() != "0.01" || f.Licence != "CC BY 4.0" || f.Fallback {
		t.Errorf("its own row is %+v", f)
	}
	if f := set.Ref("elec.gb.location"); f == nil || f.ID != "elec.gb.location.2026" || f.Fallback {
		t.Errorf("a row of the base is %+v", f)
	}
	if f, ok := set.Factor("elec.gb.location.2025"); !ok || f.Year != 2025 {
		t.Errorf("what stands in for the base: %+v", f)
	}
	if len(set.Factors()) != len(base.Factors())+1 || set.Pack.Rows != 1 {
		t.Errorf("%d rows, %d of its own", len(set.Factors()), set.Pack.Rows)
	}
	// A stand-in is marked, the base is not.
	other, err := read(t, strings.Replace(small, `"base":"desnz-2026","standIns":[]`, `"standIns":["desnz-2026"]`, 1)).Set()
	if err != nil {
		t.Fatal(err)
	}
	if f := other.Ref("elec.gb.location"); f == nil || !f.Fallback {
		t.Errorf("a row that stands in is %+v", f)
	}
}

// TestFaultsAreNamed changes one thing of a pack that is right; the fault names the
// place.
func TestFaultsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, where string }{
		{`"name":"grid-2027"`, `"name":"Grid 2027"`, "name: "},
		{`"name":"grid-2027"`, `"name":"grid--2027"`, "name: "},
		{`"release":1`, `"release":0`, "release: "},
		{`"title":"Grids of 2027"`, `"title":" "`, "title: "},
		{`"publisher":"Example"`, `"publisher":""`, "publisher: "},
		{`"year":2027,"base"`, `"year":27,"base"`, "year: "},
		{`"base":"desnz-2026"`, `"base":"desnz-2027"`, "base: "},
		{`"base":"desnz-2026",`, ``, "standIns: "},
		{`"standIns":[]`, `"standIns":["desnz-2026"]`, "standIns[0]: "},
		{`"standIns":[]`, `"standIns":["grid-2027-v1"]`, "standIns[0]: "},
		{`"licence":"CC BY 4.0"`, `"licence":""`, "sources[0].licence: "},
		{`"source":"a"`, `"source":"b"`, "rows[0] (elec.fr.location.2027).source: "},
		{`"location":"Table 1, row FR"`, `"location":""`, ".location: "},
		{`"series":"elec.fr.location"`, `"series":"elec.fr.locations"`, "elec.fr.location"},
		{`"series":"elec.fr.location"`, `"series":"elec.xx.location"`, ".series: "},
		{`"category":"venue"`, `"category":"venues"`, ".category: "},
		{`"unit":"kWh"`, `"unit":"MWh"`, ".unit: "},
		{`"activity":"grid electricity"`, `"activity":""`, ".activity: "},
		{`"activity":"grid electricity"`, `"activity":"grid\u0007"`, ".activity: "},
		{`"region":"FR"`, `"region":""`, ".region: "},
		{`"region":"FR","year":2027`, `"region":"FR","year":2770`, ".year: "},
		{`"kgCO2e":0.02`, `"kgCO2e":-0.02`, ".kgCO2e: "},
		{`"kgCO2e":0.02`, `"kgCO2e":"a lot"`, "rows[0]: "},
		{`"kgCO2e":0.02`, `"kgCO2e":0.02,"kgco2e":0.03`, "rows[0].kgco2e: "},
		{`"kgCO2e":0.02`, `"kgCO2e":0.02,"kgCO2":0.02`, "rows[0]: "},
		{`"kgCO2e":0.02`, `"kgCO2e":0.02,"co2":0.03,"ch4":0.001,"n2o":0`, ".kgCO2e: "},
		{`"kgCO2e":0.02`, `"kgCO2e":0.02,"low":0.01`, ".low: "},
		{`"kgCO2e":0.02`, `"kgCO2e":0.02,"low":0.03,"high":0.04`, ".low: "},
		{`"id":"elec.fr.location.2027"`, `"id":"elec.gb.location.2026"`, ".id: "},
		{`"id":"elec.fr.location.2027"`, `"id":"a b"`, ".id: "},
		{`"sources":[`, `"defaults":[{"id":"no.such","quantity":"q","value":1,"unit":"u","source":"a","location":"l"}],"sources":[`, "defaults[0] (no.such).id: "},
		{`"sources":[`, `"pedigree":[{"indicator":"reliability","score":1,"factor":1}],"sources":[`, "pedigree: "},
		{`"rows":[{`, `"rows":[{"id":"x"},{`, "rows[0] (x).series: "},
	} {
		text := strings.Replace(small, c.from, c.to, 1)
		_, _, err := pack.Read([]byte(text))
		var faults pack.Faults
		if text == small || !errors.As(err, &faults) || !strings.Contains(err.Error(), c.where) {
			t.Errorf("%s: %v, want a fault of %s", c.to, err, c.where)
		}
	}
	for _, text := range []string{``, `[]`, `{"format":"ecf-factors/2"}`, small + `{}`, strings.Replace(small, `"year"`, `"years"`, 1), `{"format":"ecf-factors/1","rows":3}`} {
		var faults pack.Faults
		if _, _, err := pack.Read([]byte(text)); err == nil || errors.As(err, &faults) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	twice := strings.Replace(small, `"rows":[`, `"rows":[`+small[strings.Index(small, `{"id"`):len(small)-2]+",", 1)
	if _, _, err := pack.Read([]byte(twice)); err == nil || !strings.Contains(err.Error(), "rows[1] (elec.fr.location.2027).series: rows[0] has") {
		t.Errorf("a row that is there twice: %v", err)
	}
}

func TestAFigureFarFromTheLastOneIsPointedOut(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(strings.ReplaceAll(small, "elec.fr.location", "elec.gb.location"), `"region":"FR"`, `"region":"GB"`)
	if _, notes, err := pack.Read([]byte(text)); err != nil || len(notes) != 1 || !strings.Contains(notes[0].String(), "far from the 0.13096 of elec.gb.location.2026") {
		t.Errorf("%v, %v", notes, err)
	}
	if _, notes, err := pack.Read([]byte(strings.Replace(text, "0.02", "0.12", 1))); err != nil || len(notes) != 0 {
		t.Errorf("%v, %v", notes, err)
	}
}

// TestAGridThatIsNotUsedIsPointedOut: a national row of generation without an upstream part has no effect on events by
// engine 2.1.0 and later ones.
func TestAGridThatIsNotUsedIsPointedOut(t *testing.T) {
	t.Parallel()
	said := func(text string) bool {
		_, notes, err := pack.Read([]byte(text))
		if err != nil {
			t.Error(err)
		}
		return slices.ContainsFunc(notes, func(n pack.Fault) bool { return strings.Contains(n.String(), "is not used from engine 2.1.0 on") })
	}
	for series, unused := range map[string]bool{"elec.fr.location": true, "elec.fr.eea": true, "elec.fr.ember": false, "elec.fr.residual": false, "elec.gb.location": false} {
		whole := strings.ReplaceAll(small, "elec.fr.location", series)
		if got := said(strings.Replace(whole, `"wellToTank":0.01,`, "", 1)); got != unused {
			t.Errorf("%s without an upstream part is pointed out: %t", series, got)
		}
		if said(whole) {
			t.Errorf("%s with its upstream part is pointed out", series)
		}
	}
	// An exported set is as it was, with the rows that its events do not use.
	exported := pack.Export(factors.Sets()[0], "copy", 1)
	text, err := exported.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if said(string(text)) {
		t.Error("a row of an exported set is pointed out")
	}
}

func TestSignatureIsOfTheContent(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, small)
	if err := d.CheckSignature(); !errors.Is(err, pack.ErrUnsigned) {
		t.Errorf("without a signature: %v", err)
	}
	before, err := d.Checksum()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Sign(func(text []byte) (signature.Signature, error) { return signature.Of(text, key) }); err != nil {
		t.Fatal(err)
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again := read(t, string(text)); again.CheckSignature() != nil {
		t.Error(again.CheckSignature())
	}
	if after, err := d.Checksum(); err != nil || after != before {
		t.Errorf("the signature moves the checksum from %s to %s (%v)", before, after, err)
	}
	changed := read(t, strings.Replace(string(text), `"kgCO2e":0.02`, `"kgCO2e":0.021`, 1))
	if err := changed.CheckSignature(); err == nil || errors.Is(err, pack.ErrUnsigned) {
		t.Errorf("of a changed row: %v", err)
	}
}

func TestASetIsAddedOnce(t *testing.T) {
	t.Parallel()
	text := strings.Replace(small, "grid-2027", "added-once", 1)
	set, err := read(t, text).Set()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	stop := factors.Follow(func(_ context.Context, id string) (*factors.Set, error) {
		if id != set.ID {
			return nil, factors.ErrNotHeld
		}
		asked++
		return set, nil
	})
	for range 3 {
		if got, err := factors.Resolve(t.Context(), set.ID); err != nil || got != set {
			t.Fatalf("%v, %v", got, err)
		}
	}
	stop()
	if got, err := factors.ByID(set.ID); err != nil || got != set || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
	other, err := read(t, strings.Replace(text, "0.02", "0.03", 1)).Set()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := factors.Add(other); !errors.Is(err, factors.ErrOtherContent) {
		t.Errorf("the same id with other rows: %v", err)
	}
	if _, err := factors.Resolve(t.Context(), "no-such-v1"); !errors.Is(err, factors.ErrNotHeld) {
		t.Errorf("a set that nobody has: %v", err)
	}
	broken := errors.New("unreachable")
	defer factors.Follow(func(context.Context, string) (*factors.Set, error) { return nil, broken })()
	if _, err := factors.Resolve(t.Context(), "no-such-v1"); !errors.Is(err, broken) || errors.Is(err, factors.ErrNotHeld) {
		t.Errorf("a source that cannot be asked: %v", err)
	}
	if _, err := factors.ByID("no-such-v1"); !errors.Is(err, broken) || errors.Is(err, factors.ErrNotHeld) {
		t.Errorf("by its id: %v", err)
	}
	if _, err := factors.Resolve(t.Context(), "desnz-1066"); !errors.Is(err, factors.ErrNotHeld) {
		t.Errorf("an id that no pack can have was asked for: %v", err)
	}
}

// TestAnExcerptAnswersAlike looks rows up, and again in the excerpt that has only these.
func TestAnExcerptAnswersAlike(t *testing.T) {
	t.Parallel()
	base, _ := factors.ByID("desnz-2026")
	exported := pack.Export(base, "excerpted", 1)
	set, err := exported.Set()
	if err != nil {
		t.Fatal(err)
	}
	traced, rows := set.Traced()
	traced.Ref("elec.gb.location")
	traced.Lookup("no.such.series")
	excerpt := pack.Excerpt(set, rows())
	text, err := json.Marshal(excerpt)
	if err != nil {
		t.Fatal(err)
	}
	if excerpt, err = pack.ReadExcerpt(text); err != nil {
		t.Fatal(err)
	}
	again, err := excerpt.SetOfExcerpt(set.Checksum)
	if err != nil {
		t.Fatal(err)
	}
	if len(excerpt.Rows) != 1 || again.ID != set.ID || again.Checksum != set.Checksum || again.Ref("elec.gb.location").ID != "elec.gb.location.2026" {
		t.Errorf("%d rows, %s", len(excerpt.Rows), again.ID)
	}
}

// TestExamplePacksAreAccepted reads the packs that the documentation names.
func TestExamplePacksAreAccepted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../examples/packs/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		set, err := read(t, string(text)).Set()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ev := footprint.EventContext{Country: "KE", StartDate: "2026-05-01", RadiativeForcing: true, GWP: "published", FactorSet: set.ID, Engine: footprint.NewestEngine}
		if _, err := footprint.NewCalculator(set).Evaluate("venue", []byte(`{"electricityKWh":1000,"country":"KE"}`), ev); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestShortFlightsOutsideTheUKByAPack: legs of less than 300 miles outside the UK have
// the rows of a set that has them, by engine 2.2.0; all others have what they had.
func TestShortFlightsOutsideTheUKByAPack(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/packs/short-flights-2026.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := read(t, string(text)).Set()
	if err != nil {
		t.Fatal(err)
	}
	published, err := factors.ByID("desnz-2026")
	if err != nil {
		t.Fatal(err)
	}
	lines := func(set *factors.Set, engine string, rf bool, fields string) (out []string) {
		ev := footprint.EventContext{Country: "FR", StartDate: "2026-05-01", RadiativeForcing: rf, GWP: "published", FactorSet: set.ID, Engine: engine}
		e, err := footprint.NewCalculator(set).Evaluate("flights", []byte(fields), ev)
		if err != nil {
			t.Fatalf("%s: %v", fields, err)
		}
		for _, l := range e.Lines {
			out = append(out, l.FactorID+" "+l.Mass.Kilograms())
		}
		return out
	}
	for _, c := range []struct {
		fields string
		rf     bool
		want   string
	}{
		// 400 km × 0.22928, 0.13552 without radiative forcing, and 0.0335 of supply.
		{`{"from":"CDG","to":"LYS","passengers":1,"distanceKm":400}`, true, "[desnz-2026-flight-short_outside_uk-average-rf 91.712000 desnz-2026-flight-short_outside_uk-average-rf 13.400000]"},
		{`{"from":"CDG","to":"LYS","passengers":1,"distanceKm":400}`, false, "[desnz-2026-flight-short_outside_uk-average-norf 54.208000 desnz-2026-flight-short_outside_uk-average-norf 13.400000]"},
		// A class that is not published for them has the average.
		{`{"from":"CDG","to":"LYS","passengers":1,"distanceKm":400,"class":"business"}`, true, "[desnz-2026-flight-short_outside_uk-average-rf 91.712000 desnz-2026-flight-short_outside_uk-average-rf 13.400000]"},
		// 482.803 km are 300 miles; 0.14253 and 0.02162.
		{`{"from":"CDG","to":"LYS","passengers":1,"distanceKm":482.803}`, true, "[desnz-2026-flight-international_non_uk-average-rf 68.813912 desnz-2026-flight-international_non_uk-average-rf 10.438201]"},
	} {
		if got := fmt.Sprint(lines(set, footprint.NewestEngine, c.rf, c.fields)); got != c.want {
			t.Errorf("%s: %s, want %s", c.fields, got, c.want)
		}
		for _, engine := range []string{"", footprint.Engine2, footprint.Engine3} {
			if got, want := fmt.Sprint(lines(set, engine, c.rf, c.fields)), fmt.Sprint(lines(published, engine, c.rf, c.fields)); got != want {
				t.Errorf("engine %q moved %s: %s, want %s", engine, c.fields, got, want)
			}
		}
	}
	for _, fields := range []string{`{"from":"CDG","to":"NCE","passengers":2}`, `{"from":"LHR","to":"CDG","passengers":2}`, `{"from":"LHR","to":"MAN","passengers":2}`} {
		if got, want := fmt.Sprint(lines(set, footprint.NewestEngine, true, fields)), fmt.Sprint(lines(published, footprint.NewestEngine, true, fields)); got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
	if got := lines(set, footprint.NewestEngine, true, `{"from":"JFK","to":"NCE","via":["CDG"],"passengers":1}`); len(got) != 2 {
		t.Errorf("two long legs: %v", got)
	}
	if got := lines(set, footprint.NewestEngine, true, `{"from":"NCE","to":"AMS","via":["LYS"],"passengers":1}`); len(got) != 4 || !strings.Contains(got[2], "short_outside_uk") {
		t.Errorf("a short leg and a long one: %v", got)
	}
}

// TestNationalRowsStandBeforeThoseOfTheUnitedKingdom calculates journeys and waste with
// the pack of the United States, there and elsewhere.
func TestNationalRowsStandBeforeThoseOfTheUnitedKingdom(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/packs/us-epa-2025.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := read(t, string(text)).Set()
	if err != nil {
		t.Fatal(err)
	}
	calculator := footprint.NewCalculator(set)
	for _, c := range []struct {
		typ, fields, kg, geography string
		codes                      []string
	}{
		// 0.0601201 kg of the pack, 0.00897 upstream of the United Kingdom.
		{"ground-transport", `{"mode":"rail","distanceKm":1000,"passengers":1,"country":"US"}`, "60.120100+8.970000", "15", []string{footprint.NoticeProxy, footprint.NoticeFactorYear}},
		{"ground-transport", `{"mode":"rail","distanceKm":1000,"passengers":1,"country":"CA"}`, "60.120100+8.970000", "25", []string{footprint.NoticeFactorRegion, footprint.NoticeProxy, footprint.NoticeFactorYear}},
		// 1 short ton of glass is 20 kg: 22.0462 kg per tonne.
		{"waste", `{"treatment":"landfill","material":"glass","weightKg":1000,"country":"US"}`, "22.046200", "1", nil},
		{"waste", `{"treatment":"recycling","material":"glass","weightKg":1000,"country":"US"}`, "55.115600", "1", nil},
		// What the pack lacks is that of the base.
		{"water", `{"supplyM3":10,"treated":false,"country":"US"}`, "1.913000", "5", []string{footprint.NoticeProxy, footprint.NoticeFactorYear}},
	} {
		ev := footprint.EventContext{Country: "US", StartDate: "2026-05-01", RadiativeForcing: true, GWP: "published", FactorSet: set.ID, Engine: footprint.NewestEngine}
		got, err := calculator.Evaluate(c.typ, []byte(c.fields), ev)
		if err != nil {
			t.Errorf("%s: %v", c.fields, err)
			continue
		}
		var kg, geography, codes []string
		for _, l := range got.Lines {
			kg, geography = append(kg, l.Mass.Kilograms()), append(geography, fmt.Sprint(l.Scores[3]))
		}
		for _, n := range got.Notices {
			codes = append(codes, n.Code)
		}
		if strings.Join(kg, "+") != c.kg || strings.Join(geography, "") != c.geography || fmt.Sprint(codes) != fmt.Sprint(c.codes) {
			t.Errorf("%s: %v kg, geography %v, notices %v; want %s, %s, %v", c.fields, kg, geography, codes, c.kg, c.geography, c.codes)
		}
	}
}
