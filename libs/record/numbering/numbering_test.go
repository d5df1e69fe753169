package numbering_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/record/numbering"
)

// list draws a list of up to three blocks and a bit, and returns its live numbers, newest first.
func list(rt *rapid.T) (highest int64, counts numbering.Counts, sets map[int64]*numbering.Set, living []int64) {
	highest = rapid.Int64Range(0, 3*numbering.BlockSize+9).Draw(rt, "highest")
	sets = map[int64]*numbering.Set{}
	remove := func(number int64) {
		block := numbering.BlockOf(number)
		if sets[block] == nil {
			sets[block] = &numbering.Set{}
		}
		sets[block].Add(number)
	}
	if highest > 0 {
		for _, number := range rapid.SliceOfN(rapid.Int64Range(1, highest), 0, 200).Draw(rt, "deleted") {
			remove(number)
		}
		// A long run, so that whole blocks are gone.
		from := rapid.Int64Range(1, highest).Draw(rt, "run from")
		to := rapid.Int64Range(0, highest).Draw(rt, "run to")
		for number := from; number <= to; number++ {
			remove(number)
		}
	}
	for block, set := range sets {
		counts.Set(block, set.Len())
	}
	for number := highest; number >= 1; number-- {
		if set := sets[numbering.BlockOf(number)]; set == nil || !set.Has(number) {
			living = append(living, number)
		}
	}
	return highest, counts, sets, living
}

// TestPagesAreThoseOfAPlainList holds the arithmetic against a plain list: every
// page begins and ends where it does there.
func TestPagesAreThoseOfAPlainList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		highest, counts, sets, living := list(rt)
		numberAt := func(p numbering.Place) int64 {
			set := sets[p.Block]
			if set == nil {
				set = &numbering.Set{}
			}
			number, ok := p.Number(set)
			if !ok {
				rt.Fatalf("there is no %v", p)
			}
			return number
		}
		limit := rapid.Int64Range(1, 100).Draw(rt, "limit")
		total := int64(len(living))
		skips := []int64{0, total - 1, total, total + 1, math.MaxInt64, rapid.Int64Range(0, 4000).Draw(rt, "skip")}
		for skip := int64(0); skip < total; skip += limit {
			skips = append(skips, skip)
		}
		for _, skip := range skips {
			if skip < 0 {
				continue
			}
			page := counts.Page(highest, skip, limit)
			if page.Total != total {
				rt.Fatalf("total %d, want %d", page.Total, total)
			}
			want := living[min(skip, total):]
			want = want[:min(limit, int64(len(want)))]
			if page.Count != int64(len(want)) {
				rt.Fatalf("%d items from %d on, want %d", page.Count, skip, len(want))
			}
			if page.Count == 0 {
				continue
			}
			if newest, oldest := numberAt(page.Newest), numberAt(page.Oldest); newest != want[0] || oldest != want[len(want)-1] {
				rt.Fatalf("from %d on: %d to %d, want %d to %d", skip, newest, oldest, want[0], want[len(want)-1])
			}
		}
	})
}

func TestNoPlaceInABlockThatIsGone(t *testing.T) {
	t.Parallel()
	var all numbering.Set
	for number := int64(1); number <= numbering.BlockSize; number++ {
		all.Add(number)
	}
	if all.Len() != numbering.BlockSize {
		t.Errorf("%d numbers, want all %d", all.Len(), numbering.BlockSize)
	}
	for _, p := range []numbering.Place{{0, 1}, {3, 1}, {0, 0}, {0, -1}} {
		if number, ok := p.Number(&all); ok {
			t.Errorf("%v is at %d of a block without any", p, number)
		}
	}
}

func TestBlocksBeginAfterMultiples(t *testing.T) {
	t.Parallel()
	var blocks []int64
	for _, number := range []int64{1, 2, 1024, 1025, 2048, 2049} {
		blocks = append(blocks, numbering.BlockOf(number))
	}
	if want := []int64{0, 0, 0, 1, 1, 2}; !slices.Equal(blocks, want) {
		t.Errorf("blocks %v, want %v", blocks, want)
	}
}
