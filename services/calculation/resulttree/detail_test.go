package resulttree

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestDetailIsWrittenAndReadAsJSON: details are encoded and decoded as by encoding/json, for any content.
func TestDetailIsWrittenAndReadAsJSON(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.StringMatching(`[a-z0-9-]{0,12}`), rapid.StringMatching(`[a-z"\\<&,\]\[ é\n]{0,6}`))
	child := rapid.Custom(func(t *rapid.T) Child { return Child{text.Draw(t, "key"), text.Draw(t, "hash"), text.Draw(t, "value")} })
	rapid.Check(t, func(t *rapid.T) {
		d := Detail{Children: rapid.SliceOfN(child, 0, 5).Draw(t, "children")}
		if len(d.Children) == 0 {
			d.Children = nil
		}
		if rapid.Bool().Draw(t, "changed") {
			d.Changed = []Change{{Before: child.Draw(t, "before"), After: child.Draw(t, "after")}}
		}
		if rapid.Bool().Draw(t, "caused") {
			d.Causes = []Cause{{Action: "approve", Comment: text.Draw(t, "comment"), At: time.Unix(1, 0).UTC(), RecordIDs: []record.ID{"r"}}}
		}
		if rapid.Bool().Draw(t, "facts") {
			d.Facts = &FactsState{Form: 2}
		}
		want, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EncodeDetail(d)
		if err != nil || string(got) != string(want) {
			t.Fatalf("written\n%s\nwant\n%s %v", got, want, err)
		}
		sameAsJSON(t, want)
	})
}

// TestPlainChildrenAreReadWithoutReflection: what nodes have, which is keys, hashes and values without escapes, is not
// left to encoding/json. It would take several allocations for each child.
func TestPlainChildrenAreReadWithoutReflection(t *testing.T) {
	d := Detail{Children: make([]Child, 512), Facts: &FactsState{Form: 2}}
	for i := range d.Children {
		d.Children[i] = Child{Key: fmt.Sprint(i), Hash: "9f86d081884c7d65", Value: "1569.434689"}
	}
	text, err := EncodeDetail(d)
	if err != nil {
		t.Fatal(err)
	}
	const most = 128
	if n := testing.AllocsPerRun(10, func() { _, err = EncodeDetail(d) }); err != nil || n > most {
		t.Errorf("writing takes %v allocations, %v; at most %d", n, err, most)
	}
	if n := testing.AllocsPerRun(10, func() { _, err = DecodeDetail(text) }); err != nil || n > most {
		t.Errorf("reading takes %v allocations, %v; at most %d", n, err, most)
	}
}

// TestDetailsThatAreNotWrittenSo are read by encoding/json, or refused by it.
func TestDetailsThatAreNotWrittenSo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{}`, `{"holds":[]}`, `{"holds":["a|b|c"]}`, `{"holds":["a|b|c","d|e|f"]}`, `{"holds":["a|b|c", "d|e|f"]}`, `{"holds":["a|b|c"],"facts":{"form":1}}`,
		`{"holds":["a|b|c"] ,"facts":{"form":1}}`, `{"holds":["a|b|c"],}`, `{"holds":["a|b|c"]`, `{"holds":["a|b|c"]}}`, `{"holds":["a|b"]}`, `{"holds":[""]}`, `{"holds":["a|b|c|d"]}`,
		`{"holds":["a\"]|b|c"]}`, `{"holds":["a|b|c"x"]}`, `{"holds":["a|\u0062|c"]}`, "{\"holds\":[\"a|\n|c\"]}", "{\"holds\":[\"a|\xff|c\"]}", `{"holds":["a|b|c"],"holds":["d|e|f"]}`,
		`{"facts":{"form":1},"holds":["a|b|c"]}`, `{"holds":["a|b|c"],"facts":7}`, `{"holds":["a|b|c"]x}`, `{"holds":[7]}`, `null`,
	} {
		sameAsJSON(t, []byte(text))
	}
}

func sameAsJSON(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte) {
	t.Helper()
	var want Detail
	wrong := json.Unmarshal(text, &want)
	before := string(text)
	got, err := DecodeDetail(text)
	if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s is read as\n%+v %v, want\n%+v %v", text, got, err, want, wrong)
	}
	if string(text) != before {
		t.Fatalf("reading changed %s into %s", before, text)
	}
}
