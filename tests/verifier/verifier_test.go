// Package verifier_test holds the second verifier, examples/verify, against
// the bundles that the engine makes.
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
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// python returns the interpreter; a machine without one tests nothing and says
// so.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: there is no python3, so no bundle was verified a second time")
	}
	return path
}

// verify runs the second verifier and returns what it printed and its exit
// status.
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

// extras are records that the documented examples of the types leave out.
var extras = map[string][]string{
	"flights": {
		`{"from":"MAN","to":"SYD","passengers":7,"via":["LHR","SIN"],"trips":2,"class":"first","group":"speakers"}`,
		`{"from":"Brighton, GB","to":"Berlin, DE","passengers":4}`, `{"from":"Leeds, GB","to":"JFK","via":["KEF"],"passengers":2,"roundTrip":true}`,
		`{"from":"LON","to":"NYC","passengers":3,"population":700,"respondents":333,"date":"2021-01-01"}`,
		`{"from":"LHR","to":"CDG","passengers":1,"population":70,"respondents":33,"sampleCV":0.35,"evidence":[{"name":"list"}]}`,
	},
	"accommodation": {`{"nights":3,"rooms":2,"country":"XK","kind":"apartment"}`, `{"nights":2,"rooms":3,"country":"IE","kind":"hostel","group":"exhibitors"}`, `{"nights":2,"rooms":3,"guests":17,"country":"GB","kind":"hostel"}`},
	"venue": {
		`{"country":"GB","electricityKWh":1234.567,"gasKWh":100.5,"heatKWh":12.25,"control":"own","dataQuality":"measured"}`,
		`{"country":"DE","electricityKWh":1234.567,"renewablePercent":33.3,"evidence":[{"name":"contract"}],"control":"hired_with_operator"}`,
		`{"country":"KE","electricityKWh":0.333,"respondents":3,"population":7,"renewablePercent":50}`,
		`{"floorAreaM2":333.3,"days":2,"country":"US"}`, `{"country":"US","subdivision":"TX","electricityKWh":900,"control":"own"}`, `{"country":"EE","electricityKWh":900}`, `{"country":"CR","electricityKWh":900}`,
		`{"country":"NZ","electricityKWh":900}`, `{"country":"AU","subdivision":"VIC","electricityKWh":900}`,
	},
	"ground-transport": {
		`{"mode":"car","fuel":"battery_electric","distanceKm":12.5,"passengers":7,"occupancy":2,"control":"own"}`,
		`{"mode":"rail","from":"London, GB","to":"Manchester, GB","passengers":12,"roundTrip":true}`, `{"mode":"car","from":"Berlin, DE","via":["Hannover, DE"],"to":"Paris, FR","vehicles":2}`,
		`{"mode":"walk","distanceKm":3,"passengers":2}`, `{"mode":"ferry","distanceKm":80,"passengers":4,"country":"FR"}`,
		`{"mode":"car","fuel":"plug_in_hybrid","distanceKm":12.5,"vehicles":2,"control":"own"}`,
	},
	"freight":   {`{"mode":"road","weightKg":8000,"from":"Birmingham, GB","to":"Manchester, GB"}`, `{"mode":"air","haul":"short_haul","weightKg":12.5,"distanceKm":900,"group":"exhibitors"}`},
	"catering":  {`{"meals":0,"diet":"red_meat","drinks":{"cocktail":1.5,"wine":0.333}}`},
	"materials": {`{"material":"board","areaM2":3.5,"gramsPerM2":900}`, `{"material":"wood","source":"hired","weightKg":70,"usesOverLife":7}`, `{"material":"paper","weightKg":12}`},
	"energy":    {`{"source":"biodiesel","volumeLitres":12.5}`, `{"source":"lpg","energyKWh":100,"volumeLitres":7,"control":"own"}`, `{"source":"natural_gas","volumeM3":3}`, `{"source":"grid","energyKWh":850,"country":"US","subdivision":"CA","control":"own"}`},
}

// sources returns the inputs of events that together have every record type,
// under each setting that moves a figure.
func sources(t *testing.T) map[string]bundle.Source {
	t.Helper()
	out := map[string]bundle.Source{}
	for _, set := range factors.Sets() {
		for name, ev := range map[string]footprint.EventContext{
			"full":                 {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published"},
			"AR6":                  {Country: "FR", StartDate: "2024-02-28", EndDate: "2024-03-01", Attendees: 7, GWP: "AR6"},
			"bare":                 {Country: "US", GWP: "published"},
			"full by engine 2.0.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine2},
			"full by engine 2.1.0": {Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published", Engine: footprint.Engine3},
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
					decoded, err := footprint.Decode(typ, body, ev)
					if err != nil {
						t.Fatalf("%s %s: %v", typ, body, err)
					}
					if rough(typ, decoded.Fields) {
						continue
					}
					// Numbers with gaps, as after records that are not counted.
					s.Records = append(s.Records, bundle.Input{ID: fmt.Sprintf("%s-%d", typ, i), Type: typ, Seq: int64(3*i + 1), Revision: 3, Fields: decoded.Fields})
				}
			}
			if name != "full" && set.ID != "desnz-2025" {
				continue // each run of the interpreter costs a second
			}
			out[set.ID+" "+name] = s
			out["empty"] = bundle.Source{Event: s.Event, FactorSet: set.ID, Revision: 1, CalculatedAt: s.CalculatedAt, Tree: s.Tree}
		}
	}
	return out
}

// rough reports whether a record is of a form that the second verifier refuses to
// recompute, as it says itself.
func rough(typ string, stored []byte) bool {
	for _, mark := range map[string][]string{
		"venue": {`"hotel"`, "outdoor_site"}, "waste": {"container"}, "ground-transport": {"volumeLitres"}, "catering": {"servings"},
		"materials": {"sheets", "lanyard", "pvc_foam_board"}, "energy": {`"weightKg"`, "generatorKVA"}, "purchases": {"derived"}, "accommodation": {"rental"}, "attendee-travel": {"origins"},
	}[typ] {
		if bytes.Contains(stored, []byte(mark)) {
			return true
		}
	}
	return typ == "waste" && !bytes.Contains(stored, []byte("weightKg")) && !bytes.Contains(stored, []byte("densityKgPerM3")) ||
		typ == "ground-transport" && bytes.Contains(stored, []byte(`"coach"`)) && !bytes.Contains(stored, []byte("passengers")) ||
		typ == "materials" && bytes.Contains(stored, []byte("hired")) && !bytes.Contains(stored, []byte("usesOverLife"))
}

// TestSecondVerifierRefusesRoughData holds that a form it does not know is named,
// and not counted by the rules of another one.
func TestSecondVerifierRefusesRoughData(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, GWP: "published", FactorSet: "desnz-2026"}
	for form, c := range map[string]struct{ typ, body string }{
		"venueType": {"venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`},
		"its type":  {"attendee-travel", `{"to":"London, GB","origins":[{"place":"Leeds","people":2,"mode":"rail"}]}`},
		"derived":   {"purchases", `{"category":"security","amount":6200,"currency":"GBP"}`},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			decoded, err := footprint.Decode(c.typ, []byte(c.body), ev)
			if err != nil {
				t.Fatal(err)
			}
			s := bundle.Source{Event: bundle.Event{ID: "event1", Context: bundle.ContextOf(ev)}, FactorSet: ev.FactorSet, Revision: 1, CalculatedAt: "2026-06-12T09:00:00.000Z",
				Tree: bundle.Tree{Fanout: 2, Levels: 3}, Records: []bundle.Input{{ID: "r1", Type: c.typ, Seq: 1, Revision: 1, Fields: decoded.Fields}}}
			out, code := verify(t, encode(t, build(t, s)))
			if code != 2 || !strings.Contains(out, "does not recompute: r1 ("+form) {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// withPeople returns a source with what only the second form of a bundle has.
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

// TestSecondVerifierFindsChanges changes a bundle as somebody would who wants
// to deceive: the hashes and the signature are made anew over the change.
func TestSecondVerifierFindsChanges(t *testing.T) {
	t.Parallel()
	whole := sources(t)["desnz-2026 full"]
	for name, change := range map[string]func(b *bundle.Bundle){
		"mass of a line":       func(b *bundle.Bundle) { l := &b.Records[0].Lines[0]; l.Mass = l.Mass.Add(footprint.MassOf(1000)) },
		"interval of a line":   func(b *bundle.Bundle) { l := &b.Records[0].Lines[0]; l.High = l.High.Add(footprint.MassOf(1000)) },
		"quantity":             func(b *bundle.Bundle) { b.Records[0].Lines[0].Quantity = "1.5" },
		"a line left out":      func(b *bundle.Bundle) { b.Records[0].Lines = b.Records[0].Lines[:1] },
		"scope":                func(b *bundle.Bundle) { b.Records[0].Lines[0].Scope = 1 },
		"better score":         func(b *bundle.Bundle) { b.Records[0].Lines[0].Scores[0] = 1 },
		"a record left out":    func(b *bundle.Bundle) { b.Records = b.Records[1:] },
		"figure of a factor":   func(b *bundle.Bundle) { b.Factors[0].KgCO2e = b.Factors[1].KgCO2e },
		"total":                func(b *bundle.Bundle) { b.Result.Total.KgCO2e = footprint.MassOf(1000) },
		"bound of the total":   func(b *bundle.Bundle) { b.Result.Total.Low = b.Result.Total.Low.Add(footprint.MassOf(1000)) },
		"per attendee":         func(b *bundle.Bundle) { *b.Result.PerAttendeeKg = footprint.MassOf(1000) },
		"sum of a type":        func(b *bundle.Bundle) { b.Result.ByType[2].KgCO2e = footprint.MassOf(1000) },
		"sum of a gas":         func(b *bundle.Bundle) { b.Result.ByGas.CH4 = footprint.MassOf(1000) },
		"energy by contract":   func(b *bundle.Bundle) { b.Result.MarketBased.CoveredKWh = footprint.MassOf(1000) },
		"a notice left out":    func(b *bundle.Bundle) { b.Result.Notices = b.Result.Notices[1:] },
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
	b := build(t, sources(t)["desnz-2026 full"])
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
