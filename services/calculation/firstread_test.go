package calculation_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// fill stores approved records, all different.
func (s *service) fill(n int) { s.fillWith(n, 499) }

// fillWith is fill with a number of different amounts.
func (s *service) fillWith(n, amounts int) {
	s.t.Helper()
	kinds := []struct{ typ, body string }{
		{"flights", `{"description":"Team %d","from":"LHR","to":"JFK","passengers":%d,"class":"economy","date":"2026-06-09","group":"attendees"}`},
		{"accommodation", `{"description":"Hotel %d","country":"GB","nights":2,"rooms":%d}`},
		{"waste", `{"description":"Waste %d","treatment":"landfill","weightKg":%d}`},
		{"ground-transport", `{"description":"Trains %d","mode":"rail","distanceKm":120,"passengers":%d}`},
	}
	at := s.now()
	many := map[string][]record.Record{}
	for i := range n {
		kind := kinds[i%len(kinds)]
		decoded, err := footprint.Decode(kind.typ, fmt.Appendf(nil, kind.body, i, 1+i%amounts), s.event.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		r := record.Record{ID: record.ID(record.NewID()), Org: org, Event: s.event.ID, Type: kind.typ, Rev: 1, Status: record.Approved, Fields: decoded.Fields,
			ContextRev: 1, CreatedBy: someUser, EditedBy: someUser, CreatedAt: at, UpdatedAt: at, SubmittedAt: &at, SubmittedBy: &someUser,
			Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, By: someUser, At: at}}
		if r.Preview, r.Contribution, err = record.Evaluate(kind.typ, decoded.Fields, nil, s.event.Context()); err != nil {
			s.t.Fatal(err)
		}
		if len(many[kind.typ])%resulttree.Fanout == 0 {
			r.Mark = record.NewMark(at)
		}
		many[kind.typ] = append(many[kind.typ], r)
	}
	for typ, all := range many {
		if _, _, err := s.records.InsertRecords(s.t.Context(), org, record.Sub{Event: s.event.ID, Type: typ}, all); err != nil {
			s.t.Fatal(err)
		}
	}
	s.settle()
}

// restart creates the service again, without its caches.
func (s *service) restart() {
	s.t.Helper()
	var err error
	if s.app, err = calculation.New(s.deps); err != nil {
		s.t.Fatal(err)
	}
}

// BenchmarkFirstReading reads the result of 10,000 records in a service just started, and then once more.
func BenchmarkFirstReading(b *testing.B) {
	s := start(b)
	s.fill(10_000)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			s.restart()
			b.StartTimer()
			s.of("").want(http.StatusOK)
		}
	})
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.of("").want(http.StatusOK)
		}
	})
}
