package records

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestPagesCoverTheList holds the arithmetic against a plain list: the pages
// one after the other give every live number once, newest first.
func TestPagesCoverTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		layout := record.Layout{Max: rapid.Int64Range(0, 60).Draw(rt, "max")}
		var live []int64
		for seq := int64(1); seq <= layout.Max; seq++ {
			if rapid.IntRange(0, 2).Draw(rt, "deleted") == 0 {
				layout.Deleted = append(layout.Deleted, seq)
			} else {
				live = append(live, seq)
			}
		}
		slices.Reverse(live)
		limit := rapid.Int64Range(1, 10).Draw(rt, "limit")
		var listed []int64
		for number := int64(1); ; number++ {
			high, low, count := pageRange(layout, web.Page{Number: number, Limit: limit})
			if count == 0 {
				break
			}
			var page []int64
			for _, seq := range live {
				if low <= seq && seq <= high {
					page = append(page, seq)
				}
			}
			if int64(len(page)) != count || count > limit {
				rt.Fatalf("page %d: %d to %d holds %v, not %d", number, low, high, page, count)
			}
			listed = append(listed, page...)
		}
		if !slices.Equal(listed, live) {
			rt.Fatalf("listed %v, live %v", listed, live)
		}
	})
	if _, _, count := pageRange(record.Layout{Max: 5}, web.Page{Number: 1 << 62, Limit: 100}); count != 0 {
		t.Fatal("a page beyond the end is not empty")
	}
}
