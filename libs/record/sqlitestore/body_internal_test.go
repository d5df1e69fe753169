package sqlitestore

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestBodiesAreReadAsTheyAreWritten: any body, damaged or not, is decoded as by encoding/json.
func TestBodiesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any body
	escaped := 0                                        // of 3 bodies one has no escaped character
	text := func() string {
		if escaped == 0 {
			return []string{"", "u-1", "Jo Field", "é😀"}[random.IntN(4)]
		}
		return []string{"", "u-1", "Jo Field", `a "quoted" \ name`, "é😀", "<b>&amp;", "line\nbreak", `,"last":{"rev":1`, "\u2028"}[random.IntN(9)]
	}
	has := func() bool { return random.IntN(2) == 0 }
	actor := func() actorJSON { return actorJSON{ID: text(), Name: text(), Role: text()} }
	stamp := func() (s stampJSON) {
		if has() {
			at := random.Int64() - random.Int64()
			s.At = &at
		}
		if has() {
			by := actor()
			s.By = &by
		}
		return s
	}
	quick := 0
	for round := range 20_000 {
		escaped = round % 3
		want := recordBody{EditedBy: actor(), Submitted: stamp(), Reviewed: stamp(), ReviewComment: text(), Last: entryJSON{Rev: random.Int64N(99), Move: text(),
			From: text(), To: text(), By: actor(), At: random.Int64(), Comment: text(), Input: text(), Once: text(), FourEyes: has(), PolicyRev: random.Int64N(2),
			Salt: text(), Prev: text(), Hash: text()}}
		for range random.IntN(3) {
			want.Last.Changed = append(want.Last.Changed, text())
		}
		if random.IntN(8) == 0 {
			want.Notices = []noticeJSON{{Code: text()}}
		}
		if random.IntN(8) == 0 {
			want.Last.Origins = &footprint.OriginCounts{Rows: 1}
		}
		stored, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(want.append(nil)); len(want.Notices) == 0 && want.Last.Origins == nil && text != string(stored) {
			t.Fatalf("written as\n%s\nwant\n%s", text, stored)
		}
		if random.IntN(4) == 0 { // damaged
			stored[random.IntN(len(stored))] = `",:{}[]0a`[random.IntN(9)]
		}
		var decoded recordBody
		wantErr := json.Unmarshal(stored, &decoded)
		got, err := decodeBody(stored)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, decoded) {
			t.Fatalf("%s\nwas read as\n%+v %v\nwant\n%+v %v", stored, got, err, decoded, wantErr)
		}
		var b recordBody
		if c, ok := newCursor(stored); ok && c.body(&b) {
			quick++
		}
		by, err := json.Marshal(want.EditedBy)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(want.EditedBy.append(nil)); text != string(by) {
			t.Fatalf("%s was written as %s", by, text)
		}
		if got, err := decodeActor(by); err != nil || got != want.EditedBy {
			t.Fatalf("%s was read as %+v %v", by, got, err)
		}
	}
	// Without escaped texts, everything except notices and origins is decoded without encoding/json.
	all := recordBody{EditedBy: actorJSON{"a", "b", "c"}, Submitted: stampJSON{At: new(int64), By: &actorJSON{ID: "d"}}, ReviewComment: "e",
		Last: entryJSON{Rev: 1, Move: "f", From: "g", To: "h", By: actorJSON{ID: "i"}, At: 1, Comment: "j", Changed: []string{"k", "l"}, Input: "m", Once: "n", FourEyes: true,
			PolicyRev: 2, Salt: "o", Prev: "p", Hash: "q"}}
	stored, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var b recordBody
	if c, ok := newCursor(stored); !ok || !c.body(&b) || !c.Ended() || !reflect.DeepEqual(b, all) {
		t.Errorf("%s is not read in its own form: %+v", stored, b)
	}
	if quick < 1000 {
		t.Errorf("%d of 20,000 bodies were read in their own form", quick)
	}
}
