package total

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestContributionsAreReadAsTheyAreWritten: whatever of a contribution is there, it is read
// as encoding/json reads it, damaged or not.
func TestContributionsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any contribution
	texts := []string{"", "1|2", "waste|a|1", "é😀", `a "quoted" \ one`, "<b>&amp;", `,"cells":["`, "\u2028"}
	for round := range 20_000 {
		text := func() string { return texts[random.IntN(4+round%2*4)] }
		list := func() (all []string) {
			for range random.IntN(4) {
				all = append(all, text())
			}
			return all
		}
		want := contributionJSON{Engine: text(), Records: random.Int64() - random.Int64(), Total: text(), Counts: list(), Parts: list(), Cells: list(), Gases: text(),
			Quality: text(), Extrapolated: text(), Unbased: text(), Biogenic: text(), Market: text(), Notices: list()}
		stored, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			if r, ok := plainjson.NewReader(stored); !ok || !written(&r, new(contributionJSON)) {
				t.Fatalf("%s is not read in its own form", stored)
			}
		}
		if random.IntN(4) == 0 { // damaged
			stored[random.IntN(len(stored))] = `",:{}[]0a`[random.IntN(9)]
		}
		var decoded contributionJSON
		wantErr := json.Unmarshal(stored, &decoded)
		got, err := decode(stored)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, decoded) {
			t.Fatalf("%s\nwas read as\n%+v %v\nwant\n%+v %v", stored, got, err, decoded, wantErr)
		}
	}
}
