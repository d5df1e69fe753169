package expected_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/tests/expected"
)

const exampleFolder = "../../examples/london-conference"

// TestEngineAgreesLineByLine verifies that the engine gives every line of the table:
// the same figure, stage, scope and kilograms. The table was made without the engine.
func TestEngineAgreesLineByLine(t *testing.T) {
	t.Parallel()
	agrees(t, eventContext(t))
}

// TestASetThatComesAsAPackAgreesLineByLine verifies that no figure changes if the
// example's factor set is installed as a pack, as if it were new, see
// docs/factor-packs.md.
func TestASetThatComesAsAPackAgreesLineByLine(t *testing.T) {
	t.Parallel()
	event := eventContext(t)
	builtIn, err := factors.ByID(event.FactorSet)
	if err != nil {
		t.Fatal(err)
	}
	exported := pack.Export(builtIn, "as-if-new", 1)
	text, err := exported.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := pack.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	set, err := read.Set()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := factors.Add(set); err != nil {
		t.Fatal(err)
	}
	event.FactorSet = set.ID
	agrees(t, event)
}

func agrees(t *testing.T, event footprint.EventContext) {
	t.Helper()
	table, err := expected.Read(filepath.Join(exampleFolder, "expected.csv"))
	if err != nil {
		t.Fatal(err)
	}
	total := expected.Milligrams(0)
	seen := 0
	for _, kind := range footprint.Types() {
		if _, err := os.Stat(filepath.Join(exampleFolder, kind+".json")); errors.Is(err, fs.ErrNotExist) {
			continue // the example has no record of the type
		}
		var bodies []json.RawMessage
		readJSON(t, kind+".json", &bodies)
		for _, body := range bodies {
			decoded, err := footprint.Decode(kind, body, event)
			if err != nil {
				t.Errorf("%s: %v", body, err)
				continue
			}
			evaluation, err := footprint.Evaluate(kind, decoded.Fields, event)
			if err != nil {
				t.Errorf("%s: %v", body, err)
				continue
			}
			seen++
			got := expected.Table{}
			for _, l := range evaluation.Lines {
				kg, err := expected.ParseKg(l.Mass.Kilograms())
				if err != nil {
					t.Fatal(err)
				}
				total += kg
				got = append(got, expected.Row{FactorID: l.FactorID, PerUnit: l.KgPerUnit.String(), Stage: l.Stage, Scope: string(rune('0' + l.Scope)), Kg: kg})
			}
			want := expected.Table{}
			for _, row := range table {
				if row.Record == decoded.ExternalReference {
					want = append(want, row)
				}
			}
			if !slices.Equal(keys(got), keys(want)) {
				t.Errorf("%s:\n got %v\nwant %v", decoded.ExternalReference, keys(got), keys(want))
			}
		}
	}
	if total != table.Total() || seen == 0 {
		t.Errorf("%d records add up to %s kg, want %s kg", seen, total, table.Total())
	}
}

// keys returns comparable lines in a fixed order.
func keys(lines expected.Table) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Join([]string{strings.TrimSuffix(l.FactorID, " (WTT)"), l.Stage, l.Scope, l.Kg.String()}, " "))
	}
	slices.Sort(out)
	return out
}

func eventContext(t *testing.T) footprint.EventContext {
	t.Helper()
	var event struct {
		Country, StartDate, EndDate string
		Attendees                   int64
		Method                      struct {
			RadiativeForcing bool
			GWP              string
		}
	}
	readJSON(t, "event.json", &event)
	set, _ := factors.ForStart(event.StartDate)
	return footprint.EventContext{Country: event.Country, StartDate: event.StartDate, EndDate: event.EndDate, Attendees: event.Attendees,
		RadiativeForcing: event.Method.RadiativeForcing, GWP: event.Method.GWP, FactorSet: set.ID, Engine: footprint.NewestEngine}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(exampleFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
