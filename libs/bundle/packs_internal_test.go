package bundle

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/signature"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// examplesUnder returns the documented examples of all types that a set has factors
// for.
func examplesUnder(t *testing.T, ev footprint.EventContext) (inputs []Input) {
	t.Helper()
	for _, typ := range footprint.Types() {
		for i, body := range footprint.Examples(typ) {
			d, err := footprint.Decode(typ, body, ev)
			if err != nil {
				t.Fatalf("%s %s: %v", typ, body, err)
			}
			inputs = append(inputs, Input{ID: fmt.Sprintf("%s-%d", typ, i), Type: typ, Seq: int64(i + 1), Revision: 1, Fields: d.Fields})
		}
	}
	return inputs
}

// copied returns the set of a signed pack that is a copy of a built-in set, and not cached.
func copied(t *testing.T, id string) *factors.Set {
	t.Helper()
	original, err := factors.ByID(id)
	if err != nil {
		t.Fatal(err)
	}
	d := pack.Export(original, "bundled-"+id, 1)
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, ed25519.SeedSize))
	if err := d.Sign(func(text []byte) (signature.Signature, error) { return signature.Of(text, key) }); err != nil {
		t.Fatal(err)
	}
	set, err := d.Set()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestBundleOfAPackVerifiesWithoutThePack calculates all types with a copy of a
// built-in set, by each engine, and verifies the bundle where the copy is not held.
func TestBundleOfAPackVerifiesWithoutThePack(t *testing.T) {
	t.Parallel()
	set := copied(t, "desnz-2026")
	for _, engine := range footprint.Engines() {
		for _, country := range []string{"GB", "US", "FR"} {
			if (engine != footprint.NewestEngine || country != "US") && !testkit.Long(t) {
				continue
			}
			ev := footprint.EventContext{Country: country, StartDate: "2026-06-10", EndDate: "2026-06-12", Attendees: 120, RadiativeForcing: true, GWP: "published",
				FactorSet: "desnz-2026", Engine: footprint.Pin(engine)}
			s := Source{Event: Event{ID: "event1", Title: "Example", Context: ContextOf(ev)}, FactorSet: ev.FactorSet, Engine: ev.Engine, Revision: 1,
				CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: Tree{Fanout: 2, Levels: 2}, Records: examplesUnder(t, ev)}
			original, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			s.FactorSet, s.set = set.ID, set
			built, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			sameFigures(t, original.Bundle, built.Bundle)
			text, err := built.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if joined := joinedText(t, s, built.Result.InputsHash); string(joined) != string(text) {
				t.Errorf("%s %s: from groups of records it is\n%s\nand at once\n%s", engine, country, joined, text)
			}
			v, err := Verify(text)
			if err != nil || len(v.Differences) > 0 {
				t.Fatalf("%s in %s: %v %v", engine, country, err, v.Differences)
			}
			if all := strings.Join(v.Statements, "\n"); !strings.Contains(all, "signed with the key "+set.Pack.SignedBy) || set.Pack.SignedBy == "" {
				t.Errorf("it says of the pack: %s", all)
			}
			if rows := len(built.FactorSet.Pack.Rows); rows < len(built.Factors) || rows > len(set.Factors())/2 {
				t.Errorf("%d of %d rows are in the bundle; the lines use %d", rows, len(set.Factors()), len(built.Factors))
			}
		}
	}
}

func sameFigures(t *testing.T, a, b Bundle) {
	t.Helper()
	for i := range a.Records {
		x, _ := json.Marshal(a.Records[i].Lines)
		y, _ := json.Marshal(b.Records[i].Lines)
		if !bytes.Equal(x, y) || a.Records[i].Low != b.Records[i].Low || a.Records[i].High != b.Records[i].High {
			t.Errorf("%s:\n%s\n%s", a.Records[i].ID, x, y)
		}
	}
	if a.Result.Total != b.Result.Total {
		t.Errorf("%v and %v", a.Result.Total, b.Result.Total)
	}
}

// TestChangedRowsOfAPackAreFound changes the excerpt in a bundle.
func TestChangedRowsOfAPackAreFound(t *testing.T) {
	t.Parallel()
	set := copied(t, "desnz-2025")
	ev := footprint.EventContext{Country: "GB", StartDate: "2025-06-10", EndDate: "2025-06-12", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2025", Engine: footprint.NewestEngine}
	d, err := footprint.Decode("venue", []byte(`{"electricityKWh":1000}`), ev)
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(Source{Event: Event{ID: "event1", Title: "Example", Context: ContextOf(ev)}, FactorSet: set.ID, set: set, Engine: ev.Engine, Revision: 1,
		CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: Tree{Fanout: 2, Levels: 2}, Records: []Input{{ID: "r1", Type: "venue", Seq: 1, Revision: 1, Fields: d.Fields}}})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := built.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(encoded)
	for _, c := range []struct{ from, to, want string }{
		{`"kgCO2e":0.177,`, `"kgCO2e":0.178,`, "another row of this id"},
		{`"unit":"kWh","region":"GB"`, `"unit":"MWh","region":"GB"`, "no factor pack"},
		{`"format":"ecf-factors/1","name":"bundled-desnz-2025"`, `"format":"ecf-factors/1","name":"bundled"`, "the factor pack bundled-v1"},
		{`"version":"` + set.Checksum, `"version":"` + strings.Repeat("0", 64), "signature of the pack"},
		{`"pack":{`, `"other":{`, ""},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if strings.Contains(c.from, "kgCO2e") { // that of the excerpt, not that of the list of factors
			at := strings.Index(text, `"pack":{`)
			changed = text[:at] + strings.Replace(text[at:], c.from, c.to, 1)
		}
		v, err := Verify([]byte(changed))
		if changed == text || err == nil && len(v.Differences) == 0 || !strings.Contains(fmt.Sprint(err, v.Differences), c.want) {
			t.Errorf("%s: %v %v", c.to, err, v.Differences)
		}
	}
}

// inMemory keeps texts in memory.
type inMemory struct{ bytes.Buffer }

func (m *inMemory) Size() int { return m.Len() }

func (m *inMemory) Section(at, n int) io.Reader { return bytes.NewReader(m.Bytes()[at : at+n]) }

// joinedText returns the bundle of a source, put together from groups of three records.
func joinedText(t *testing.T, s Source, inputsHash string) []byte {
	t.Helper()
	inputs := slices.Clone(s.Records)
	slices.SortStableFunc(inputs, func(a, b Input) int {
		return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), cmp.Compare(a.Seq, b.Seq))
	})
	var groups []Kept
	in := new(inMemory)
	for some := range slices.Chunk(inputs, 3) {
		s.Records = some
		part, err := PartOf(s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := TextOf(in, func(w io.Writer) error { return WriteRecords(w, part.Records) })
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, Kept{Group: part.Group, Records: text})
	}
	s.Records, s.InputsHash = nil, inputsHash
	joined, err := Join(s, groups)
	if err != nil {
		t.Fatal(err)
	}
	reader, _, err := joined.Text()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
