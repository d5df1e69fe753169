package web_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestAllocationsOfALongList measures what the encoding of a long list allocates.
func TestAllocationsOfALongList(t *testing.T) {
	testkit.WithoutRace(t)
	// Not parallel: it measures the memory of the process.
	text, _ := json.Marshal(strings.Repeat("x", 512<<10))
	items := make([]json.RawMessage, 100)
	for i := range items {
		items[i] = text
	}
	list := web.NewList(items, web.Page{Number: 1, Limit: 100}, 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body, err := web.Encode(list)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 2*uint64(len(body)) {
		t.Errorf("%d bytes for a list of %d", took, len(body))
	}
}
