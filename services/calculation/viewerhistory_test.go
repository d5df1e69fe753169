package calculation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestHistoryIsCachedForEachReader: a viewer reads the history of results without comments, also after others have read
// it, and they read it with them, also after a viewer.
func TestHistoryIsCachedForEachReader(t *testing.T) {
	t.Parallel()
	for _, readers := range [][]string{{"org1.user", "org1.viewer"}, {"org1.viewer", "org1.user"}} {
		s := start(t)
		for kg := range 3 { // the comment of each move is "because"
			s.add("waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 50+kg), record.Approved)
			s.settle()
		}
		for _, reader := range append(readers, readers...) {
			a := s.call(http.MethodGet, "/api/v2/events/e1/results/history", reader, nil).want(http.StatusOK)
			want := 0
			if reader == "org1.user" {
				want = 3
			}
			if got := strings.Count(string(a.body), `"comment":"because"`); a.count("items") != 3 || got != want {
				t.Errorf("%s of %v reads %d comments, want %d: %s", reader, readers, got, want, a.body)
			}
		}
	}
}
