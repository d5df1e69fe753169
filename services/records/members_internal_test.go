package records

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestMembersAreThoseOfTheObject: the members of any object, of the canonical form or not,
// are those that encoding/json reads.
func TestMembersAreThoseOfTheObject(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any object
	var value func(depth int) any
	value = func(depth int) any {
		switch random.IntN(8) {
		case 0:
			return nil
		case 1:
			return random.IntN(2) == 0
		case 2:
			return []any{}
		case 3:
			if depth == 0 {
				return []any{value(1), value(1)}
			}
		case 4:
			if depth == 0 {
				return map[string]any{"a": value(1), `"b":{`: value(1)}
			}
		case 5:
			return random.NormFloat64()
		}
		return []string{"", "text", `a "quoted\", text`, `}],"x":1`, "é😀", "\\", "line\nbreak"}[random.IntN(7)]
	}
	quick := 0
	for range 20_000 {
		object := map[string]any{}
		for _, name := range []string{"a", "b", "kgCO2e", "", "é", `q"`}[:random.IntN(7)] {
			object[name] = value(0)
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if random.IntN(4) == 0 {
			if text, err = json.MarshalIndent(object, "", " "); err != nil {
				t.Fatal(err)
			}
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		each := func(name, value []byte) { got[string(name)] = value }
		if err := allMembersOf(text, each); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s has the members %s, %v; want %s", text, got, err, want)
		}
		if membersOf(text, func([]byte, []byte) {}) {
			quick++
		}
	}
	if quick < 5000 {
		t.Errorf("%d of 20,000 objects were gone through without being decoded", quick)
	}
	for _, text := range []string{`{`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{"a":1,"b"}`, `[1]`, `{"a":"b}`, `{"a":[1}`, `{"a":1]}`} {
		if err := allMembersOf([]byte(text), func([]byte, []byte) {}); err == nil {
			t.Errorf("%s was taken for an object", text)
		}
	}
}

// TestRowsAndItemsAreWhatTheyWere: the export of a record equals that by complete decoding, escaped as by
// encoding/json.
func TestRowsAndItemsAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_780_000_000_123)
	for _, c := range []struct{ typ, fields, preview string }{
		{"waste", `{"description":"<b> & \"x\" ü","treatment":"landfill","weightKg":7}`, `{"kgCO2e":1.500000,"low":null,"high":2,"factorSet":"desnz-2026","lines":[{"kgCO2e":9}]}`},
		{"waste", `{"description":"=1+1","metadata":{"a":"b, \"c\""},"treatment":"landfill","weightKg":0.5}`, ``},
		{"flights", `{"from":"LHR","passengers":2,"to":"JFK","via":["AMS","CDG"],"roundTrip":true}`, `{ "kgCO2e" : 3 }`},
		{"waste", `{}`, `{}`},
	} {
		r := record.Record{ID: "r", Event: "e", Type: c.typ, Rev: 1, Status: record.Approved, CreatedAt: at, UpdatedAt: at, SubmittedAt: &at,
			CreatedBy: record.Actor{ID: "u", Name: "<Jo>"}, Fields: json.RawMessage(c.fields), Preview: json.RawMessage(c.preview)}
		e := exported(t, nil, 0, "JSON")
		e.types = footprint.Types()
		if r.Preview != nil && len(r.Preview) == 0 {
			r.Preview = nil
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.append(nil, r); err != nil || string(got) != string(want) {
			t.Errorf("%v: the item is\n%s\nwant\n%s", err, got, want)
		}
		e = exported(t, nil, 0, "table")
		head := e.head()
		for range 2 { // the second row finds the cells of the first
			row, err := e.row(r)
			if err != nil || len(row) != len(head) {
				t.Fatalf("%d cells for %d columns: %v", len(row), len(head), err)
			}
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(r.Fields, &fields); err != nil {
				t.Fatal(err)
			}
			for i, name := range head {
				want := string(fields[name])
				switch name {
				case "description":
					want = map[string]string{`"=1+1"`: "'=1+1", `"<b> & \"x\" ü"`: `<b> & "x" ü`}[want]
				case "treatment":
					want = map[string]string{`"landfill"`: "landfill"}[want]
				case "kgCO2e":
					want = map[string]string{`{}`: "", ``: "", `{ "kgCO2e" : 3 }`: "3"}[c.preview]
					if len(c.preview) > 20 {
						want = "1.500000"
					}
				case "high":
					if len(c.preview) > 20 {
						want = "2"
					}
				}
				if i >= 14 && i != 17 && row[i] != want {
					t.Errorf("%s is %q, want %q", name, row[i], want)
				}
			}
		}
	}
}
