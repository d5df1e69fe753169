package bundle_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func context(t testing.TB) footprint.EventContext {
	t.Helper()
	set, err := factors.ByID("desnz-2026")
	if err != nil {
		t.Fatal(err)
	}
	return footprint.EventContext{Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: 120,
		RadiativeForcing: true, GWP: "published", FactorSet: set.ID}
}

// source returns the inputs of a small event.
func source(t testing.TB) bundle.Source {
	t.Helper()
	ev := context(t)
	s := bundle.Source{
		Event:     bundle.Event{ID: "event1", Title: "A <conference> & more", Boundary: json.RawMessage(`{"included":["flights"],"excluded":[]}`), Context: bundle.ContextOf(ev)},
		FactorSet: ev.FactorSet, Revision: 3, CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: bundle.Tree{Fanout: 2, Levels: 2}, Failed: []string{"r99"},
	}
	for i, body := range []struct{ typ, body string }{
		{"flights", `{"from":"LHR","to":"JFK","passengers":3,"class":"business","group":"attendees","description":"<b>Äpfel</b> \u2028 & \"more\""}`},
		{"flights", `{"from":"LHR","to":"CDG","passengers":1,"roundTrip":true}`},
		{"accommodation", `{"nights":2,"rooms":10,"city":"London","date":"2026-06-10"}`},
		{"venue", `{"electricityKWh":1234.567,"gasKWh":100.5,"respondents":3,"population":7}`},
		{"waste", `{"treatment":"recycling","material":"glass","weightKg":7}`},
		{"flights", `{"from":"MAN","to":"SYD","passengers":1,"via":["SIN"]}`},
	} {
		decoded, err := footprint.Decode(body.typ, []byte(body.body), ev)
		if err != nil {
			t.Fatal(err)
		}
		s.Records = append(s.Records, bundle.Input{ID: fmt.Sprintf("r%d", i), Type: body.typ, Seq: int64(i + 1), Revision: 3, Fields: decoded.Fields})
	}
	return s
}

func signed(t testing.TB) (bundle.Bundle, []byte) {
	t.Helper()
	built, err := bundle.Build(source(t))
	if err != nil {
		t.Fatal(err)
	}
	b, err := built.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b, text
}

func TestBundleVerifies(t *testing.T) {
	t.Parallel()
	b, text := signed(t)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string][]byte{"as written": text, "indented": pretty.Bytes()} {
		v, err := bundle.Verify(form)
		if err != nil || len(v.Differences) > 0 {
			t.Fatalf("%s: %v %v", name, err, v.Differences)
		}
		if v.SignedBy == "" || v.SignedBy != b.Signature.KeyID || v.Records != 6 || v.Revision != 3 || v.Total != b.Result.Total.KgCO2e || v.Total.IsZero() {
			t.Fatalf("%s: %+v", name, v)
		}
	}
	// The order in which records are given does not matter, and nothing else
	// does: the same source is the same bytes.
	s := source(t)
	testkit.Rand(t).Shuffle(len(s.Records), func(i, j int) { s.Records[i], s.Records[j] = s.Records[j], s.Records[i] })
	again, err := bundle.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	once, _ := bundle.Build(source(t))
	x, _ := once.Encode()
	if y, _ := again.Encode(); !bytes.Equal(x, y) {
		t.Fatal("another order of records gave other bytes")
	}
	unsigned, err := bundle.Verify(x)
	if err != nil || len(unsigned.Differences) > 0 || unsigned.SignedBy != "" {
		t.Fatalf("unsigned: %v %+v", err, unsigned)
	}
}

// TestAnyFlippedByteIsFound changes single bits all over a bundle.
func TestAnyFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	_, text := signed(t)
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		at, bit := random.IntN(len(text)), byte(1)<<random.IntN(8)
		changed := bytes.Clone(text)
		changed[at] ^= bit
		if v, err := bundle.Verify(changed); err == nil && len(v.Differences) == 0 {
			var a, b bytes.Buffer
			if json.Compact(&a, text) == nil && json.Compact(&b, changed) == nil && bytes.Equal(a.Bytes(), b.Bytes()) {
				continue // only white space
			}
			t.Fatalf("byte %d, %q to %q, was not noticed", at, text[max(at-20, 0):at+20], changed[at])
		}
	}
}

// TestDifferenceSaysWhere changes one figure, one factor and one input, and recomputes the hashes and the signature,
// as a forger would.
func TestDifferenceSaysWhere(t *testing.T) {
	t.Parallel()
	_, text := signed(t)
	for _, c := range []struct{ name, old, with, where string }{
		{"a line's figure", `"kgCO2e":230.000000,"low"`, `"kgCO2e":230.000001,"low"`, "records[3] (accommodation r2).kgCO2e: 230.000001 is stated, 230.000000 was computed"},
		{"an input", `"passengers":3`, `"passengers":4`, "records[0] (flights r0).inputHash"},
		{"an input that moves no figure", `"description":"<b>`, `"description":"<i>`, "records[0] (flights r0).inputHash"},
		{"a factor", `"kgCO2e":11.5,`, `"kgCO2e":11.4,`, "factors[0] (acc.hotel.gb-lnd).kgCO2e: 11.4 is stated, 11.5 was computed"},
		{"a factor's source", `"sourceLocation":"`, `"sourceLocation":" `, ".sourceLocation"},
		{"the factor set", `"factorSet":{"id":"desnz-2026","year":2026`, `"factorSet":{"id":"desnz-2026","year":2027`, "factorSet.year: 2027"},
		{"the title", `A <conference>`, `B <conference>`, "hashes.event"},
		{"the context", `"attendees":120`, `"attendees":121`, "result.perAttendeeKg"},
		{"the total", `"total":{"kgCO2e":`, `"total":{"kgCO2e":1`, "result.total.kgCO2e"},
		{"a revision", `"revision":3,"calculatedAt"`, `"revision":4,"calculatedAt"`, "hashes.result"},
		{"a failed record", `"failed":["r99"]`, `"failed":["r98"]`, "hashes.content"},
		{"an unknown set", `"factorSet":{"id":"desnz-2026"`, `"factorSet":{"id":"desnz-1926"`, `factorSet: desnz-1926 is stated, no such set`},
		{"the engine", `"engineVersion":"`, `"engineVersion":"9`, "hashes.content"},
		{"an input that cannot be calculated", `"class":"business","passengers":3`, `"class":"business","passengers":"3"`, "records[0] (flights r0): record r0"},
		{"a record twice", `{"_id":"r1"`, `{"_id":"r0"`, "records[1] (flights r0): the record is there twice"},
		{"a member given twice", `"failed":["r99"]`, `"failed":["r99"],"failed":["r99"]`, "form, byte"},
		{"white space", `"gwp":"published"}},`, `"gwp" : "published"} } , `, ""},
		{"the order of members", `"_id":"event1","title":"A <conference> & more"`, `"title":"A <conference> & more","_id":"event1"`, "form, byte"},
		{"other digits", `"rooms":10`, `"rooms":1e1`, "records[3] (accommodation r2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(string(text), c.old) {
				t.Fatalf("%s is not in the bundle", c.old)
			}
			v, err := bundle.Verify([]byte(strings.Replace(string(text), c.old, c.with, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, d := range v.Differences {
				found = append(found, d.String())
			}
			if all := strings.Join(found, "\n"); !strings.Contains(all, c.where) || (c.where == "") != (all == "") {
				t.Fatalf("want %q, found\n%s", c.where, all)
			}
		})
	}
}

func TestResealedBundleIsStillFound(t *testing.T) {
	t.Parallel()
	b, _ := signed(t)
	b.Records[0].Lines[0].Mass = b.Records[0].Lines[0].Mass.Add(footprint.MassOf(1000))
	b, err := b.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := b.Encode()
	v, err := bundle.Verify(text)
	if err != nil || v.SignedBy == "" || len(v.Differences) == 0 || v.Differences[0].Where != "records[0] (flights r0).lines[0].kgCO2e" {
		t.Fatalf("%v %+v", err, v)
	}
}

func TestWhatIsNoBundle(t *testing.T) {
	t.Parallel()
	_, text := signed(t)
	for _, bad := range []string{"", "null", "{}", "[]", "{", `{"format":"ecf-report/2"}`, string(text) + "{}", strings.Replace(string(text), `"event"`, `"evil"`, 1)} {
		if v, err := bundle.Verify([]byte(bad)); err == nil {
			t.Errorf("%.40s: %+v", bad, v)
		}
	}
}

func FuzzVerify(f *testing.F) {
	_, text := signed(f)
	f.Add(text)
	f.Add([]byte(strings.Replace(string(text), `"passengers":3`, `"passengers":-9223372036854775808`, 1)))
	f.Add([]byte(strings.Replace(string(text), `"fanout":2,"levels":2`, `"fanout":0,"levels":2000000000`, 1)))
	f.Add([]byte(strings.Replace(string(text), `"seq":1,`, `"seq":-9223372036854775808,`, 1)))
	f.Add([]byte(strings.Replace(string(text), `"population":7`, `"population":0`, 1)))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = bundle.Verify(data) // it must terminate
	})
}

// TestOldBundlesWithRowsOfTheSupplement: bundles by engines before 2.1.0 lack the rows of tables outside of the sets,
// and still verify.
func TestOldBundlesWithRowsOfTheSupplement(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		ev := context(t)
		ev.Engine = footprint.Pin(engine)
		s := source(t)
		s.Engine, s.Event.Context = ev.Engine, bundle.ContextOf(ev)
		d, err := footprint.Decode("purchases", []byte(`{"category":"av_hire","amount":8400,"currency":"GBP","date":"2026-05-12"}`), ev)
		if err != nil {
			t.Fatal(err)
		}
		s.Records = append(s.Records, bundle.Input{ID: "money", Type: "purchases", Seq: 1, Revision: 3, Fields: d.Fields})
		built, err := bundle.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := built.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
		if err != nil {
			t.Fatal(err)
		}
		row := ""
		for _, r := range b.Records {
			if r.ID == "money" {
				row = r.Lines[0].FactorID
			}
		}
		if _, ok := factors.Supplement().Factor(row); !ok {
			t.Fatalf("engine %s: %q is no row of the supplement", engine, row)
		}
		held := slices.ContainsFunc(b.Factors, func(f bundle.Factor) bool { return f.ID == row })
		if held != footprint.HasAllRows(engine) {
			t.Errorf("engine %s: the bundle holds the row: %t", engine, held)
		}
		text, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := bundle.Verify(text); err != nil || len(v.Differences) > 0 || v.SignedBy == "" {
			t.Errorf("engine %s: %v %v", engine, err, v.Differences)
		}
	}
}
