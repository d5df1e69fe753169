package resulttree

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// The pages of the kept revisions are those of a plain list of them, and so are their number and the answer for each
// dropped one, whatever is kept.
func TestPagesOfKeptRevisions(t *testing.T) {
	t.Parallel()
	const newest = 7
	for floor := range int64(newest + 1) {
		for _, signed := range [][]int64{nil, {1}, {2, 4}, {1, 3, 5}} {
			r := Retention{Floor: floor}
			for _, s := range signed {
				if s < floor {
					r.Signed = append(r.Signed, s)
				}
			}
			var kept []int64 // newest first
			for n := int64(newest); n >= 1; n-- {
				if n >= floor || slices.Contains(r.Signed, n) {
					kept = append(kept, n)
				}
				if dropped := !slices.Contains(kept, n); r.Dropped(n) != dropped || r.Next(n) != kept[len(kept)-1] {
					t.Errorf("%+v: revision %d is dropped: %t, and the next one is %d, want %t and %d", r, n, r.Dropped(n), r.Next(n), dropped, kept[len(kept)-1])
				}
			}
			if got := r.Kept(newest); got != int64(len(kept)) {
				t.Errorf("%+v keeps %d, want %d", r, got, len(kept))
			}
			for offset := range int64(newest + 2) {
				for limit := int64(1); limit < newest+2; limit++ {
					var got []int64
					from, to, older := r.Page(newest, offset, limit)
					for n := to; n >= from; n-- {
						got = append(got, n)
					}
					got = append(got, older...)
					all := int64(len(kept))
					if want := kept[min(offset, all):min(offset+limit, all)]; !slices.Equal(got, want) {
						t.Errorf("%+v: from %d, at most %d: %v, want %v", r, offset, limit, got, want)
					}
				}
			}
		}
	}
}

// Changes that are summed up have the net change of each child, in order, every cause once, and all versions.
func TestSummedChanges(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	child := func(key string, value int) Child { return Child{Key: key, Value: fmt.Sprint(value)} }
	by := func(who string, after time.Duration, ids ...record.ID) []Cause {
		return []Cause{{Action: "approve", By: record.Actor{ID: who}, At: at.Add(after), Records: int64(len(ids)), RecordIDs: ids}}
	}
	log := []NodeChanges{
		{Version: 4, Since: 2, Changed: []Change{{After: child("z", 1)}, {After: child("gone", 1)}}, Causes: by("a", time.Hour, "z", "gone")},
		{Version: 5, Changed: []Change{{Before: child("z", 1), After: child("z", 2)}, {Before: child("gone", 1)}, {Before: child("b", 7)}}, Causes: by("b", time.Minute, "z", "gone", "b")},
		{Version: 6, Changed: []Change{{Before: child("m", 3), After: child("m", 4)}, {Before: child("same", 1), After: child("same", 2)}}, Causes: by("a", time.Second, "m", "same")},
		{Version: 7, Changed: []Change{{Before: child("same", 2), After: child("same", 1)}}, Causes: by("c", 0, "same")},
	}
	sum := summed(log)
	if want := []Change{{Before: child("b", 7)}, {Before: child("m", 3), After: child("m", 4)}, {After: child("z", 2)}}; !reflect.DeepEqual(sum.Changed, want) {
		t.Errorf("the changes are %+v, want %+v", sum.Changed, want)
	}
	if sum.Version != 7 || sum.Since != 2 || sum.first() != 2 || log[1].first() != 5 {
		t.Errorf("the changes are of versions %d to %d", sum.Since, sum.Version)
	}
	records := int64(0)
	for i, c := range sum.Causes {
		if records += c.Records; i > 0 && c.At.Before(sum.Causes[i-1].At) {
			t.Errorf("the causes are in the order %+v", sum.Causes)
		}
	}
	if records != 8 {
		t.Errorf("the causes count %d record changes, want 8: %+v", records, sum.Causes)
	}
	// A crashed pruner leaves what is summed up beside the sum.
	var versions []int64
	for _, c := range effective([]NodeChanges{{Version: 1}, log[0], {Version: 4, Since: 0}, {Version: 5}, sum, {Version: 8}, {Version: 9}}) {
		versions = append(versions, c.Version)
	}
	if want := []int64{1, 7, 8, 9}; !slices.Equal(versions, want) {
		t.Errorf("of all changes those of versions %v count, want %v", versions, want)
	}
}
