package findings_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

func deviating(id, factor string, kg, up int64) findings.Fact {
	f := findings.Fact{ID: record.ID(id), Type: "custom", Mass: footprint.MassOf(kg)}
	if up > 0 {
		f.Deviations = []total.Deviation{{Factor: factor, Down: footprint.MassOf(1), Up: footprint.MassOf(up)}}
	}
	return f
}

// TestMeasureNextRanksByShare: of (60+40)² + 50² each record of the common factor has a larger share than the
// single one of the same width.
func TestMeasureNextRanksByShare(t *testing.T) {
	t.Parallel()
	facts := []findings.Fact{
		deviating("alone", "b", 100, 50), deviating("first", "a", 100, 60), deviating("second", "a", 100, 40), deviating("sure", "c", 900, 0),
	}
	var got []string
	for _, m := range findings.MeasureNext(facts) {
		got = append(got, fmt.Sprint(m.ID, " ", m.Share.Millionths()))
	}
	if want := []string{"first 480000", "second 320000", "alone 200000"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if none := findings.MeasureNext(facts[3:]); none == nil || len(none) != 0 {
		t.Fatalf("of certain records: %v", none)
	}
}

// TestMeasureNextIsBoundedAndInOneOrder: equal shares have an order too.
func TestMeasureNextIsBoundedAndInOneOrder(t *testing.T) {
	t.Parallel()
	var facts []findings.Fact
	for i := range 40 {
		facts = append(facts, deviating(fmt.Sprintf("r%02d", i), fmt.Sprint("f", i%3), int64(100+i%4), 10))
	}
	facts = append(facts, deviating("tiny", "t", 1, 0))
	want := findings.MeasureNext(facts)
	if len(want) != findings.MaxMeasure {
		t.Fatalf("%d records", len(want))
	}
	for i := 1; i < len(want); i++ {
		a, b := want[i-1], want[i]
		if c := a.Share.Cmp(b.Share); c < 0 || c == 0 && (a.KgCO2e.Cmp(b.KgCO2e) < 0 || a.KgCO2e == b.KgCO2e && a.ID >= b.ID) {
			t.Errorf("%v before %v", a, b)
		}
	}
	random := testkit.Rand(t)
	for range 20 {
		random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
		if got := findings.MeasureNext(facts); !reflect.DeepEqual(got, want) {
			t.Fatalf("the order of the facts matters: %v, %v", got, want)
		}
	}
}
