package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// Headings in two rows, of groups above those of columns or with units below, are read together, and nowhere else.
func TestHeadingsInTwoRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		want      []string
	}{
		"groups":                  {"flights", "Journey,,,Travellers,\nFrom,To,Date,Number,Class\nLHR,CDG,2026-06-01,3,economy\n", []string{`3 {"from":"LHR","to":"CDG","date":"2026-06-01","passengers":3,"class":"economy"}`}},
		"below a title":           {"flights", "Report of June\nJourney,,Travellers\nFrom,To,Number\nLHR,CDG,3\n", []string{`4 {"from":"LHR","to":"CDG","passengers":3}`}},
		"groups that are fields":  {"venue", ",Electricity,,Gas,\nSite,kWh,Cost,kWh,Cost\nHall,1200,300,500,20\n", []string{`3 {"site":"Hall","electricityKWh":1200,"gasKWh":500}`}},
		"units below":             {"freight", "Weight;Distance;Mode\n(t);km;\n2,5;300;hgv\n", []string{`3 {"distanceKm":300,"mode":"road","stated":{"weightKg":"2,5 t"}}`}},
		"units below a title":     {"freight", "Deliveries\nWeight;Distance;Mode\nkg;km;\n200;300;hgv\n", []string{`4 {"weightKg":200,"distanceKm":300,"mode":"road"}`}},
		"one unit":                {"energy", "source,Consumption\n,kWh\ngrid,1200\n", []string{`3 {"source":"grid","energyKWh":1200}`}},
		"cubic metres":            {"water", "Site,Consumption\n,m3\nHall,120\n", []string{`3 {"site":"Hall","supplyM3":120}`}},
		"the same word twice":     {"accommodation", "Hotel,,Rooms,Nights\nName,City,Number,Number\nIbis,London,20,2\n", []string{`3 {"description":"Ibis","city":"London","rooms":20,"nights":2}`}},
		"people":                  {footprint.OriginRows, "Tickets,Address,\nNumber,City,Postcode\n2,Bonn,53111\n", []string{`3 {"people":2,"place":"Bonn","postcode":"53111"}`}},
		"of several types":        {sheet.Mixed, "Kind,Journey,,Travellers\ntype,From,To,Number\nflights,LHR,CDG,3\n", []string{`3 {"from":"LHR","to":"CDG","passengers":3}`}},
		"a title of numbers":      {"flights", "Passengers\nFrom,To,Number\nLHR,CDG,123\n", []string{`3 {"from":"LHR","to":"CDG"}`}},
		"a title of units":        {"venue", "Electricity\nMonth,kWh\nJune,120\n", []string{`3 {"electricityKWh":120}`}},
		"a title alone":           {"water", "Water\nSite,supplyM3\nHall,120\n", []string{`3 {"site":"Hall","supplyM3":120}`}},
		"a row of words":          {"flights", "from,to,class,passengers\nLHR,CDG,economy,\n", []string{`2 {"from":"LHR","to":"CDG","class":"economy"}`}},
		"the head once more":      {"flights", "from,to\nfrom,to\nLHR,CDG\n", []string{"2  REPEATED_HEAD", `3 {"from":"LHR","to":"CDG"}`}},
		"units of a row":          {"energy", "source,Consumption,Unit\ngrid,1200,kWh\n", []string{`2 {"source":"grid","stated":{"energyKWh":"1200 kWh"}}`}},
		"a group of another kind": {"flights", "Outbound,,Return,,\nFrom,To,From,To,passengers\nLHR,CDG,CDG,LHR,3\n", []string{"3 From DUPLICATE_KEY"}},
	} {
		o := sheet.Options{Rules: sheet.Rules}
		head, err := sheet.HeadRow(strings.NewReader(c.file), o, c.typ)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o.HeadRow = head
		form, err := sheet.DetectForm(strings.NewReader(c.file), c.typ, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o.HeadRow = form.HeadRow
		if got, _, err := all(c.file, c.typ, o); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		if c.typ != footprint.OriginRows && c.typ != "flights" {
			continue // names are left out of no other file
		}
		var only strings.Builder
		if _, err := sheet.KeepColumns(&only, from(c.file), c.typ, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, _, err := all(only.String(), c.typ, o); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, its fields alone: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if got, _, err := all("Weight,mode\nkg,\n2,hgv\n", "freight", sheet.Options{}); err != nil || len(got) != 2 {
		t.Errorf("a file that was accepted before: %q, %v", got, err)
	}
}
