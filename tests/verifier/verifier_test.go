// Package verifier_test runs the second verifier, examples/verify, on bundles of the
// engine.
package verifier_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// python returns the interpreter; without one the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: there is no python3, so no bundle was verified a second time")
	}
	return path
}

// verify runs the second verifier and returns its output and exit status.
func verify(t *testing.T, text []byte, args ...string) (string, int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), append([]string{"../../examples/verify/verify.py", file}, args...)...) //nolint:gosec // a test of this very program
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// extras are records not covered by the documented examples of the types.
var extras = map[string][]string{
	"flights": {
		`{"from":"MAN","to":"SYD","passengers":7,"via":["LHR","SIN"],"trips":2,"class":"first","group":"speakers"}`,
		`{"from":"Brighton, GB","to":"Berlin, DE","passengers":4}`, `{"from":"Leeds, GB","to":"JFK","via":["KEF"],"passengers":2,"roundTrip":true}`,
		`{"from":"LHR","to":"JFK","passengers":400,"population":1700,"respondents":1}`, `{"from":"LHR","to":"SIN","passengers":90,"population":1700,"respondents":2,"group":"attendees"}`,
		`{"from":"LON","to":"NYC","passengers":3,"population":700,"respondents":333,"date":"2021-01-01"}`,
		`{"from":"LHR","to":"CDG","passengers":1,"population":70,"respondents":33,"sampleCV":0.35,"evidence":[{"name":"list"}]}`,
		`{"from":"CDG","to":"AMS","passengers":3}`, `{"from":"Leeds, GB","to":"Berlin, DE","distanceKm":1100,"passengers":2}`,
	},
	"purchases": {
		`{"category":"catering","amount":980.5,"currency":"EUR","date":"2025-03-01","vatIncluded":true,"vatRate":19}`, `{"category":"flights","amount":300,"currency":"USD","group":"staff"}`,
		`{"category":"security","amount":12500,"currency":"GBP","supplierFactor":"Guardian Events, services"}`,
		`{"category":"freight","amount":70.25,"currency":"GBP","kgCO2ePerUnit":0.3,"factorSource":"x","evidence":[{"name":"a"}],"scope3Category":"9 Downstream transportation and distribution"}`,
	},
	"custom": {`{"supplierFactor":"Fireworks Ltd, display shells","quantity":120.5,"description":"Fireworks"}`, `{"supplierFactor":"Fireworks Ltd, display shells","quantity":3,"description":"later","date":"2029-05-01","scope":1}`},
	"attendee-travel": {`{"to":"Brighton, GB","group":"staff","occupancy":3,"origins":[{"place":"Leeds, GB","people":7,"mode":"car"},{"code":"JFK","people":2,"mode":"plane","roundTrip":false},{"people":2}]}`,
		`{"to":"Brighton, GB","group":"suppliers","origins":[{"place":"Leeds, GB","people":7,"mode":"rail"}]}`,
		`{"to":"Brighton, GB","group":"other","respondents":9,"population":40,"origins":[{"place":"Leeds, GB","people":9,"mode":"coach"},{"place":"Brighton, GB","people":2,"mode":"bus"}]}`},
	"accommodation": {`{"nights":3,"rooms":2,"country":"XK","kind":"apartment"}`, `{"nights":2,"rooms":3,"country":"IE","kind":"hostel","group":"exhibitors"}`, `{"nights":2,"rooms":3,"guests":17,"country":"GB","kind":"hostel"}`,
		`{"nights":3,"guests":6,"kind":"rental","kgCO2ePerRoomNight":7.5,"evidence":[{"name":"a"}]}`},
	"venue": {
		`{"country":"GB","electricityKWh":1234.567,"gasKWh":100.5,"heatKWh":12.25,"control":"own","dataQuality":"measured"}`,
		`{"country":"DE","electricityKWh":1234.567,"renewablePercent":33.3,"evidence":[{"name":"contract"}],"control":"hired_with_operator"}`,
		`{"country":"KE","electricityKWh":0.333,"respondents":3,"population":7,"renewablePercent":50}`,
		`{"electricityKWh":4200,"country":"GB","control":"own","renewablePercent":25,"evidence":[{"name":"certificates"}],"supplierFactor":"Green Power"}`,
		`{"floorAreaM2":333.3,"days":2,"country":"US"}`, `{"country":"US","subdivision":"TX","electricityKWh":900,"control":"own"}`, `{"country":"EE","electricityKWh":900}`, `{"country":"CR","electricityKWh":900}`,
		`{"country":"DE","heatKWh":1007.089,"control":"own","venueType":"outdoor_site","days":3,"attendees":1000}`, `{"country":"NZ","electricityKWh":900}`, `{"country":"AU","subdivision":"VIC","electricityKWh":900}`,
	},
	"ground-transport": {
		`{"mode":"car","fuel":"battery_electric","distanceKm":12.5,"passengers":7,"occupancy":2,"control":"own"}`,
		`{"mode":"rail","from":"London, GB","to":"Manchester, GB","passengers":12,"roundTrip":true}`, `{"mode":"car","from":"Berlin, DE","via":["Hannover, DE"],"to":"Paris, FR","vehicles":2}`,
		`{"mode":"walk","distanceKm":3,"passengers":2}`, `{"mode":"ferry","distanceKm":80,"passengers":4,"country":"FR"}`,
		`{"mode":"car","fuel":"plug_in_hybrid","distanceKm":12.5,"vehicles":2,"control":"own"}`,
		`{"mode":"car","energyKWh":217.5,"country":"DE","group":"staff"}`, `{"mode":"van","energyKWh":90,"country":"GB","control":"hired_with_operator"}`,
	},
	"freight": {`{"mode":"road","weightKg":8000,"from":"Birmingham, GB","to":"Manchester, GB"}`, `{"mode":"air","haul":"short_haul","weightKg":12.5,"distanceKm":900,"group":"exhibitors"}`,
		`{"mode":"air","weightKg":350,"from":"NRT","to":"CDG","roundTrip":true}`, `{"mode":"air","weightKg":80.5,"from":"Leeds, GB","to":"Berlin, DE"}`,
		`{"mode":"air","weightKg":80.5,"from":"Leeds, GB","to":"JFK","distanceKm":5400,"group":"exhibitors"}`, `{"mode":"road","weightKg":400,"from":"LHR","to":"MAN"}`},
	"catering":  {`{"meals":0,"diet":"red_meat","drinks":{"cocktail":1.5,"wine":0.333}}`, `{"drinks":{"beer":197,"soy_milk":226}}`},
	"materials": {`{"material":"board","areaM2":3.5,"gramsPerM2":900}`, `{"material":"wood","source":"hired","weightKg":70,"usesOverLife":7}`, `{"material":"wood","source":"hired","weightKg":70}`, `{"material":"paper","weightKg":12}`},
	"digital":   {`{"activity":"home_heating","participants":90,"hours":6.5,"group":"staff"}`, `{"activity":"home_heating","participants":900,"hours":6.5,"group":"attendees"}`},
	"energy": {`{"source":"grid","energyKWh":500,"country":"GB","renewablePercent":40,"control":"own","evidence":[{"name":"certificates"}]}`, `{"source":"biodiesel","volumeLitres":12.5}`, `{"source":"lpg","energyKWh":100,"volumeLitres":7,"control":"own"}`, `{"source":"natural_gas","volumeM3":3}`,
		`{"source":"kerosene","volumeLitres":40}`, `{"source":"wood_pellets","weightKg":250,"control":"own"}`, `{"source":"wood_logs","weightKg":40.5}`, `{"source":"biopropane","weightKg":47}`,
		`{"source":"refrigerant","refrigerant":"r404a","weightKg":2.25,"control":"own"}`, `{"source":"refrigerant","refrigerant":"r227ea","weightKg":0.5,"control":"hired_with_operator"}`,
		`{"source":"refrigerant","refrigerant":"sf6","weightKg":0.125,"respondents":3,"population":7}`, `{"source":"wood_chips","weightKg":812.5}`, `{"source":"cng","weightKg":33.3}`,
		`{"source":"fuel_oil","volumeLitres":70}`, `{"source":"lng","energyKWh":12.5,"control":"own"}`, `{"source":"bioethanol","volumeLitres":9}`, `{"source":"biodiesel_used_oil","weightKg":61}`,
		`{"source":"grid","energyKWh":850,"country":"US","subdivision":"CA","control":"own"}`},
}

// library has the suppliers' factors of the records.
type library map[string]footprint.SupplierFactor

func (l library) SupplierFactor(reference, _ string) (footprint.SupplierFactor, string, error) {
	f, ok := l[reference]
	if !ok {
		return f, "", &footprint.UnknownSupplierFactorError{Message: "There is none."}
	}
	f.Name = reference
	return f, "", nil
}

func suppliers() library {
	uncertain := decimal.New(15, 1)
	return library{
		"Fireworks Ltd, display shells": {ID: "a", Version: 2, KgCO2ePerUnit: decimal.New(35, 1), Unit: "shell", Stage: "combined", Source: "EPD 17", ValidFrom: "2025-01-01", ValidTo: "2026-12-31", Uncertainty: &uncertain},
		"Guardian Events, services":     {ID: "b", Version: 1, KgCO2ePerUnit: decimal.New(12, 2), Unit: "GBP", Stage: "combined", Source: "Report 2025", Scope3Category: "2 Capital goods"},
		"Green Power":                   {ID: "c", Version: 3, KgCO2ePerUnit: decimal.New(2, 2), Unit: "kWh", Stage: "direct", Source: "Disclosure 2025", ValidTo: "2025-12-31"},
	}
}

// sources returns the inputs of events that together have every record type, with each
// setting that affects a figure.
func sources(t *testing.T) map[string]bundle.Source {
	t.Helper()
	out := map[string]bundle.Source{}
	for i, set := range factors.Sets() {
		if i > 2 && !testkit.Long(t) {
			break
		}
		for name, ev := range map[string]footprint.EventContext{
			"full":                 {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published"},
			"AR6":                  {Country: "FR", StartDate: "2024-02-28", EndDate: "2024-03-01", Attendees: 7, GWP: "AR6"},
			"bare":                 {Country: "US", GWP: "published"},
			"full by engine 2.0.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine2},
			"full by engine 2.1.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine3},
			"full by engine 2.2.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine4},
			"full by engine 2.3.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine5},
			"US by engine 2.1.0":   {Country: "US", StartDate: "2024-02-28", EndDate: "2024-03-01", Attendees: 7, GWP: "AR6", Engine: footprint.Engine3},
			"AR6 by engine 2.0.0":  {Country: "FR", StartDate: "2024-02-28", EndDate: "2024-03-01", Attendees: 7, GWP: "AR6", Engine: footprint.Engine2},
		} {
			ev.FactorSet = set.ID
			s := bundle.Source{Event: bundle.Event{ID: "event1", Title: "A <conference> & \u2028 \"more\"", Context: bundle.ContextOf(ev)},
				FactorSet: ev.FactorSet, Engine: ev.Engine, Revision: 3, CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: bundle.Tree{Fanout: 2, Levels: 3}}
			for _, typ := range footprint.Types() {
				var bodies []json.RawMessage
				bodies = append(bodies, footprint.Examples(typ)...)
				for _, body := range extras[typ] {
					bodies = append(bodies, json.RawMessage(body))
				}
				for i, body := range bodies {
					decoded, err := footprint.Options{Suppliers: suppliers()}.Decode(typ, body, ev)
					if err != nil {
						t.Fatalf("%s %s: %v", typ, body, err)
					}
					// Numbers with gaps, as after records that do not count.
					s.Records = append(s.Records, bundle.Input{ID: fmt.Sprintf("%s-%d", typ, i), Type: typ, Seq: int64(3*i + 1), Revision: 3, Fields: decoded.Fields})
				}
			}
			if name != "full" && set.ID != "desnz-2025" {
				continue // each run of the interpreter costs a second
			}
			out[set.ID+" "+name] = s
			if name == "full by engine 2.3.0" {
				// The fuel of vehicles is all that stands outside of scopes here.
				journeys := s
				journeys.Records = slices.DeleteFunc(slices.Clone(s.Records), func(r bundle.Input) bool { return r.Type != "ground-transport" })
				out[set.ID+" journeys"] = journeys
			}
			out["empty"] = bundle.Source{Event: s.Event, FactorSet: set.ID, Revision: 1, CalculatedAt: s.CalculatedAt, Tree: s.Tree}
		}
	}
	return out
}

// withPeople returns a source with the additions of the second form of a bundle.
func withPeople(s bundle.Source, names string) bundle.Source {
	s.Names, s.Organization, s.NotCounted = names, &bundle.Organization{ID: "org1", Name: "Example Events"}, &bundle.NotCounted{Waiting: 2}
	for _, r := range s.Records {
		s.Provenance = append(s.Provenance, bundle.Provenance{Record: r.ID, Created: bundle.Stamp{By: record.Actor{ID: "u1", Name: "Ada"}, At: s.CalculatedAt}, Evidence: []string{}, History: []record.Entry{}})
	}
	return s
}

func build(t *testing.T, s bundle.Source) bundle.Bundle {
	t.Helper()
	built, err := bundle.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := built.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encode(t *testing.T, b bundle.Bundle) []byte {
	t.Helper()
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSecondVerifierAgrees(t *testing.T) {
	t.Parallel()
	all := sources(t)
	all["with people"] = withPeople(all["desnz-2025 AR6"], bundle.NamesFull)
	all["without names"] = withPeople(all["desnz-2025 bare"], bundle.NamesRoles)
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := build(t, s)
			out, code := verify(t, encode(t, b), "--key="+b.Signature.KeyID)
			if code != 0 || !strings.Contains(out, "RIGHT") || !strings.Contains(out, "the signature by the key "+b.Signature.KeyID) {
				t.Fatalf("exit %d\n%s", code, out)
			}
		})
	}
}

// TestSecondVerifierTakesPacks verifies a bundle of an event with a factor set added by
// an operator: the bundle has an excerpt of the pack, which the verifier does not have.
func TestSecondVerifierTakesPacks(t *testing.T) {
	t.Parallel()
	original, err := factors.ByID("desnz-2025")
	if err != nil {
		t.Fatal(err)
	}
	document := pack.Export(original, "verified-2025", 1)
	copied, err := document.Set()
	if err != nil {
		t.Fatal(err)
	}
	set, err := factors.Add(copied)
	if err != nil {
		t.Fatal(err)
	}
	s := sources(t)["desnz-2025 full by engine 2.3.0"]
	s.FactorSet = set.ID
	b := build(t, s)
	if b.FactorSet.Pack == nil {
		t.Fatal("the bundle has no excerpt of the pack")
	}
	if out, code := verify(t, encode(t, b), "--key="+b.Signature.KeyID); code != 0 || !strings.Contains(out, "RIGHT") {
		t.Fatalf("exit %d\n%s", code, out)
	}
}

// few returns a small event with most kinds of records; each run of the interpreter is
// slow.
func few(t *testing.T) bundle.Source {
	t.Helper()
	s := sources(t)["desnz-2026 full"]
	s.Records = slices.DeleteFunc(s.Records, func(r bundle.Input) bool {
		return !slices.Contains([]string{"flights-0", "flights-6", "accommodation-0", "venue-0", "venue-2", "custom-2", "attendee-travel-0"}, r.ID)
	})
	return s
}

// TestSecondVerifierFindsChanges tampers with a bundle as a forger would: the hashes
// and the signature are recomputed.
func TestSecondVerifierFindsChanges(t *testing.T) {
	t.Parallel()
	whole := few(t)
	record := func(b *bundle.Bundle, id string) *bundle.Record {
		return &b.Records[slices.IndexFunc(b.Records, func(r bundle.Record) bool { return r.ID == id })]
	}
	for name, change := range map[string]func(b *bundle.Bundle){
		"mass of a line":          func(b *bundle.Bundle) { l := &b.Records[0].Lines[0]; l.Mass = l.Mass.Add(footprint.MassOf(1000)) },
		"interval of a line":      func(b *bundle.Bundle) { l := &b.Records[0].Lines[0]; l.High = l.High.Add(footprint.MassOf(1000)) },
		"quantity":                func(b *bundle.Bundle) { b.Records[0].Lines[0].Quantity = "1.5" },
		"a line left out":         func(b *bundle.Bundle) { b.Records[0].Lines = b.Records[0].Lines[:1] },
		"scope":                   func(b *bundle.Bundle) { b.Records[0].Lines[0].Scope = 1 },
		"better score":            func(b *bundle.Bundle) { b.Records[0].Lines[0].Scores[0] = 1 },
		"a record left out":       func(b *bundle.Bundle) { b.Records = b.Records[1:] },
		"figure of a factor":      func(b *bundle.Bundle) { b.Factors[0].KgCO2e = b.Factors[1].KgCO2e },
		"total":                   func(b *bundle.Bundle) { b.Result.Total.KgCO2e = footprint.MassOf(1000) },
		"bound of the total":      func(b *bundle.Bundle) { b.Result.Total.Low = b.Result.Total.Low.Add(footprint.MassOf(1000)) },
		"per attendee":            func(b *bundle.Bundle) { *b.Result.PerAttendeeKg = footprint.MassOf(1000) },
		"sum of a type":           func(b *bundle.Bundle) { b.Result.ByType[2].KgCO2e = footprint.MassOf(1000) },
		"sum of a gas":            func(b *bundle.Bundle) { b.Result.ByGas.CH4 = footprint.MassOf(1000) },
		"energy by contract":      func(b *bundle.Bundle) { b.Result.MarketBased.CoveredKWh = footprint.MassOf(1000) },
		"a notice left out":       func(b *bundle.Bundle) { b.Result.Notices = b.Result.Notices[1:] },
		"kilometres of attendees": func(b *bundle.Bundle) { record(b, "attendee-travel-0").Lines[0].Quantity = "9442.2005" },
		"people of a leg":         func(b *bundle.Bundle) { record(b, "attendee-travel-0").Lines[0].Leg.People = 11 },
		"a supplier's figure": func(b *bundle.Bundle) {
			r := record(b, "custom-2")
			r.Fields = bytes.Replace(r.Fields, []byte(`"kgCO2ePerUnit":3.5`), []byte(`"kgCO2ePerUnit":3.6`), 1)
		},
		"root over the inputs": func(b *bundle.Bundle) { b.Result.InputsHash = strings.Repeat("0", 64) },
		"an input": func(b *bundle.Bundle) {
			b.Records[0].Fields = bytes.Replace(b.Records[0].Fields, []byte(`"passengers":2`), []byte(`"passengers":3`), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := build(t, whole)
			change(&b)
			out, code := verify(t, reseal(t, b))
			if code != 1 || !strings.Contains(out, "DIFFERS") || strings.Contains(out, "hashes.") || strings.Contains(out, "signature: ") {
				t.Fatalf("exit %d\n%s", code, out)
			}
		})
	}
}

// reseal hashes and signs a changed bundle.
func reseal(t *testing.T, b bundle.Bundle) []byte {
	t.Helper()
	part := func(v any) string {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			t.Fatal(err)
		}
		return digest(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	}
	b.Signature, b.Hashes = nil, bundle.Hashes{}
	b.Hashes = bundle.Hashes{Event: part(b.Event), Factors: part(b.Factors), Records: part(b.Records), Result: part(b.Result), Content: part(b)}
	b, err := b.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return encode(t, b)
}

func TestSecondVerifierChecksSeals(t *testing.T) {
	t.Parallel()
	b := build(t, few(t))
	text := encode(t, b)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	unsigned := b
	unsigned.Signature = nil
	for _, c := range []struct {
		name string
		text []byte
		args []string
		code int
		says string
	}{
		{"white space", pretty.Bytes(), nil, 0, "RIGHT"},
		{"another title", bytes.Replace(text, []byte("conference"), []byte("Conference"), 1), nil, 1, "hashes.event"},
		{"another description", bytes.Replace(text, []byte(`"calculatedAt":"2026`), []byte(`"calculatedAt":"2025`), 1), nil, 1, "signature: it is not of this content"},
		{"another key asked for", text, []string{"--key=other"}, 1, "it is by the key"},
		{"no signature", encode(t, unsigned), nil, 0, "not signed"},
		{"a signature asked for", encode(t, unsigned), []string{"--require-signature"}, 1, "there is no valid one"},
		{"another engine", bytes.Replace(text, []byte(`"engineVersion":"`), []byte(`"engineVersion":"99`), 1), nil, 2, "its engine"},
		{"another format", bytes.Replace(text, []byte(`ecf-report/`), []byte(`ecf-report/9`), 1), nil, 2, "its format"},
		{"a member twice", bytes.Replace(text, []byte(`"failed":[]`), []byte(`"failed":[],"failed":[]`), 1), nil, 2, "given twice"},
		{"half of it", text[:len(text)/2], nil, 2, "no bundle"},
		{"nothing", nil, nil, 2, "no bundle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if out, code := verify(t, c.text, c.args...); code != c.code || !strings.Contains(out, c.says) {
				t.Fatalf("exit %d, want %d and %q\n%s", code, c.code, c.says, out)
			}
		})
	}
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
