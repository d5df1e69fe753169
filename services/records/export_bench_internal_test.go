package records

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// BenchmarkExport sends 20,000 approved records of four types, without HTTP.
func BenchmarkExport(b *testing.B) {
	db, err := sqlitex.Open(b.Context(), filepath.Join(b.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	store, at := sqlitestore.New(db), time.UnixMilli(1_780_000_000_000).UTC()
	event := record.Event{ID: "e", Org: "o", Title: "Large", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", CreatedAt: at, UpdatedAt: at, Rev: 1, ContextRev: 1}
	if _, err := store.InsertEvent(b.Context(), "o", event, record.Unlimited); err != nil {
		b.Fatal(err)
	}
	const each = 5000
	by := record.Actor{ID: "u-1", Name: "Jo Field"}
	highest, bodies := map[string]int64{}, map[string]string{
		"flights":          `{"description":"Team %[1]d","from":"LHR","to":"JFK","passengers":%[2]d,"class":"economy","date":"2026-06-09","group":"attendees"}`,
		"accommodation":    `{"description":"Hotel %d","country":"GB","nights":2,"rooms":%d}`,
		"waste":            `{"description":"Waste %d","treatment":"landfill","weightKg":%d}`,
		"ground-transport": `{"description":"Trains %d","mode":"rail","distanceKm":120,"passengers":%d}`,
	}
	for typ, body := range bodies {
		for from := 0; from < each; from += 500 {
			var all []record.Record
			for i := from; i < from+500; i++ {
				decoded, err := footprint.Decode(typ, fmt.Appendf(nil, body, i, 1+i%499), event.Context())
				if err != nil {
					b.Fatal(err)
				}
				r := record.Record{ID: record.ID(record.NewID()), Org: "o", Event: "e", Type: typ, Rev: 3, Status: record.Approved, Fields: decoded.Fields, ContextRev: 1,
					CreatedBy: by, EditedBy: by, CreatedAt: at, UpdatedAt: at, SubmittedAt: &at, SubmittedBy: &by, ReviewedAt: &at, ReviewedBy: &by,
					Last: record.Entry{Rev: 3, Move: record.Approve, From: record.Submitted, To: record.Approved, By: by, At: at}}
				if r.Preview, r.Contribution, err = record.Evaluate(typ, decoded.Fields, nil, event.Context()); err != nil {
					b.Fatal(err)
				}
				all = append(all, r)
			}
			if _, _, err := store.InsertRecords(b.Context(), "o", record.Sub{Event: "e", Type: typ}, all); err != nil {
				b.Fatal(err)
			}
		}
		highest[typ] = each
	}
	types := slices.DeleteFunc(footprint.Types(), func(typ string) bool { return highest[typ] == 0 })
	for form, encode := range encodings {
		b.Run(form, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := exported(b, store, 0, form)
				e.types, e.highest = types, highest
				e.columns = slices.Concat(sheet.All(types), sheet.ServerColumns())
				if err := encode(e); err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, struct{ io.Reader }{e}); err != nil {
					b.Fatal(err)
				}
				_ = e.Close()
			}
			b.ReportMetric(float64(4*each*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
