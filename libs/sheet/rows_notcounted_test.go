package sheet_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// Rows of which the file says that they do not count are refused with the column that says it,
// and no others.
func TestRowsThatDoNotCount(t *testing.T) {
	t.Parallel()
	for head, c := range map[string]struct{ stop, pass []string }{
		"Booking Status":   {[]string{"Cancelled", "CANX", "Canceled by guest", "no-show", "Refunded", "storniert", "Annulé", "cancelado", "Void", "Declined", "waitlisted", "XX", "HX"}, []string{"", "Confirmed", "OK", "HK", "Not cancelled", "Partially refunded", "Refund requested", "Free cancellation until 1 June", "gebucht", "nicht storniert", "Gold", "Cancelled by the supplier, and then booked once more with another one at the same price"}},
		"Transaction Type": {[]string{"Refund", "RFND", "Credit", "Credit note", "Gutschrift", "Reversal"}, []string{"Sale", "Credit card", "Purchase", "Issue"}},
		"Cancelled":        {[]string{"yes", "TRUE", "x", "1", "2026-05-01", "01.05.2026 10:00", "2026-05-01T10:00:00"}, []string{"", "no", "FALSE", "0", "-", "n/a"}},
		"No show":          {[]string{"Y"}, []string{"N"}},
		"Fare (GBP)":       {[]string{"-310", "-£310.00", "£-310", "(310.00)", "310.00-", "310.00 CR", "−5", "GBP -5"}, []string{"310", "0", "-0.00", "310.-", "310,-", "£310.00", "n/a", "2026-05-01", "A-5", "-"}},
		"Betrag EUR":       {[]string{"-60,10", "250,00-"}, []string{"60,10", "1.250,-"}},
		"Qty":              {[]string{"-1"}, []string{"1"}},
	} {
		for i, cell := range append(append([]string{}, c.stop...), c.pass...) {
			file := "from;to;passengers;" + head + "\nLHR;JFK;2;" + cell + "\n"
			want := "2 " + head + " " + sheet.RowNotCounted
			if i >= len(c.stop) {
				want = `2 {"from":"LHR","to":"JFK","passengers":2}`
			}
			if got, _, err := all(file, "flights", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
				t.Errorf("%s %q: %q, %v, want %s", head, cell, got, err, want)
			}
		}
	}
	for name, c := range map[string]struct {
		typ, file string
		o         sheet.Options
		want      []string
	}{
		"a ledger": {"purchases", "category,Betrag,currency,S/H\nav_hire,100,EUR,S\nav_hire,50,EUR,H\nav_hire,70,EUR,\nav_hire,80,EUR,S\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"category":"av_hire","amount":100,"currency":"EUR"}`, "3 S/H ROW_NOT_COUNTED", `4 {"category":"av_hire","amount":70,"currency":"EUR"}`, `5 {"category":"av_hire","amount":80,"currency":"EUR"}`}},
		"a ledger of creditors": {"purchases", "category,Betrag,currency,S/H\nav_hire,100,EUR,H\nav_hire,50,EUR,H\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"category":"av_hire","amount":100,"currency":"EUR"}`, `3 {"category":"av_hire","amount":50,"currency":"EUR"}`}},
		"the head once more": {"waste", "treatment,weightKg,nr\nlandfill,1,1\nTreatment,weightkg,NR\nlandfill,2,2\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"treatment":"landfill","weightKg":1}`, "3  REPEATED_HEAD", `4 {"treatment":"landfill","weightKg":2}`}},
		"what was booked": {"flights", "Segment type,from,to,passengers\nAir,LHR,JFK,1\nRail,LHR,CDG,1\nHotel,LHR,CDG,1\nBritish Airways,LHR,CDG,1\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"from":"LHR","to":"JFK","passengers":1}`, "3 Segment type ROW_NOT_COUNTED", "4 Segment type ROW_NOT_COUNTED", `5 {"from":"LHR","to":"CDG","passengers":1}`}},
		"stays and flights": {"accommodation", "Service,rooms,nights\nBed and breakfast,1,2\nAir,1,2\nBreakfast,1,2\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"rooms":1,"nights":2}`, "3 Service ROW_NOT_COUNTED", "4 Service ROW_NOT_COUNTED"}},
		"what is fed in": {"energy", "source,Register,kWh\ngrid,Active import,400\ngrid,Active export,300\ngrid,Blindarbeit,20\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"source":"grid","energyKWh":400}`, "3 Register ROW_NOT_COUNTED", "4 Register ROW_NOT_COUNTED"}},
		"what was paid back": {"flights", "from,to,passengers,Refund Amount\nLHR,JFK,1,\nLHR,JFK,1,0.00\nLHR,JFK,1,£200\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"from":"LHR","to":"JFK","passengers":1}`, `3 {"from":"LHR","to":"JFK","passengers":1}`, "4 Refund Amount ROW_NOT_COUNTED"}},
		"credits": {"purchases", "category,Debit,Credit (GBP),amount,currency\nav_hire,100,,100,GBP\nav_hire,,20,20,GBP\nav_hire,80,20,60,GBP\n", sheet.Options{Rules: sheet.Rules},
			[]string{`2 {"category":"av_hire","amount":100,"currency":"GBP"}`, "3 Credit (GBP) ROW_NOT_COUNTED", `4 {"category":"av_hire","amount":60,"currency":"GBP"}`}},
		"of an event": {footprint.OriginRows, "eventId,Order,City,Status\n7,1,Bonn,cancelled\n7,2,Bonn,paid\n", sheet.Options{Rules: sheet.Rules}, []string{"2 Status ROW_NOT_COUNTED", `3 {"place":"Bonn"}`}},
		"an export":   {"waste", "_id,status,treatment,weightKg\na,rejected,landfill,1\n", sheet.Options{Rules: sheet.Rules, Known: []string{"_id", "status"}}, []string{`2 {"treatment":"landfill","weightKg":1}`}},
		"before":      {"waste", "Status,treatment,weightKg\ncancelled,landfill,1\n", sheet.Options{}, []string{`2 {"treatment":"landfill","weightKg":1}`}},
	} {
		if got, _, err := all(c.file, c.typ, c.o); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// Of a list of people what says that a row does not count is kept, and nothing else of columns
// that are left out.
func TestOnlyKeepsWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	file := "Name,Town,People,Status,Ticket Type,Attending\nAnn,Ulm,2,paid by card,On site,yes\nBob,Bonn,1,cancelled,On site,\nCid,Bonn,1,,Online ticket,yes\nDan,Bonn,1,,Online Marketing Pass,no\nEve,Köln,3,,,\nTotal,,8,,,\n"
	var only bytes.Buffer
	o := sheet.Options{Rules: sheet.Rules}
	if _, err := sheet.KeepColumns(&only, from(file), footprint.OriginRows, o); err != nil {
		t.Fatal(err)
	}
	want := "Town,People,Status,Ticket Type,Attending\r\nUlm,2,,,\r\nBonn,1,cancelled,,\r\nBonn,1,,Online ticket,\r\nBonn,1,,,no\r\nKöln,3,,,\r\nTotal,8,,,\r\n"
	if only.String() != want {
		t.Errorf("kept %q, want %q", only.String(), want)
	}
	got, _, err := all(only.String(), footprint.OriginRows, o)
	if want := []string{`2 {"place":"Ulm","people":2}`, "3 Status ROW_NOT_COUNTED", "4 Ticket Type ROW_NOT_COUNTED", "5 Attending ROW_NOT_COUNTED", `6 {"place":"Köln","people":3}`, "7 Town TOTALS_ROW"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
