package neighbour

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestListing lists all records of an event in pages of a hundred, one after the other,
// and prints how long that takes while another organization floods. No page may be
// refused.
func TestListing(t *testing.T) {
	p := planned(t)
	quiet, greedy, _ := start(t, p)
	records := 0
	for range 2 {
		records += quiet.importRows(p.rows)
	}
	flood := startFlood(t, greedy, p.rows)
	for _, f := range floods(greedy, "", "") {
		switch f.name {
		case "nobody", busy, "exports", "previews of the result", "reports", "pages of 100":
		default:
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			controls := flood.of(f.name)
			controls.start()
			began, listed, pages := time.Now(), 0, 0
			for listed < records && pages < records {
				var page struct{ Items []struct{} }
				pages++
				if err := quiet.ask(http.MethodGet, fmt.Sprintf("%s/waste?limit=100&page=%d", quiet.event, pages), "", http.StatusOK, &page); err != nil {
					t.Fatalf("page %d: %v", pages, err)
				}
				listed += len(page.Items)
			}
			took := time.Since(began)
			answered := controls.stop()
			t.Logf("%d records in %d pages took %v; the flood got %.0f responses a second",
				listed, pages, took.Round(10*time.Millisecond), float64(answered)/took.Seconds())
		})
	}
}

// importRows imports a file and waits until its rows are records.
func (p *person) importRows(rows int) int {
	var file strings.Builder
	file.WriteString("treatment,weightKg\n")
	for n := range rows {
		fmt.Fprintf(&file, "landfill,%d\n", n+1)
	}
	var made struct {
		ID     string `json:"_id"`
		Status string `json:"status"`
	}
	p.must(p.ask(http.MethodPost, p.event+"/waste/import?again=true", file.String(), http.StatusAccepted, &made))
	testkit.Eventually(p.t, 5*time.Minute, func() error {
		p.must(p.ask(http.MethodGet, p.event+"/imports/"+made.ID, "", http.StatusOK, &made))
		if made.Status != "completed" {
			return fmt.Errorf("the import is %s", made.Status)
		}
		return nil
	})
	return rows
}
