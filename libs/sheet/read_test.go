package sheet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// all reads a file; an error ends it.
func all(file, typ string, o sheet.Options) (rows []string, r *sheet.Reader, err error) {
	if r, err = sheet.NewReader(strings.NewReader(file), typ, o); err != nil {
		return nil, r, err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, r, nil
		}
		if err != nil {
			return rows, r, err
		}
		text := string(row.Body)
		if row.Err != nil {
			var e *apperr.Error
			if !errors.As(row.Err, &e) {
				return rows, r, row.Err
			}
			text = e.Details[0].Field + " " + e.Details[0].Code
		}
		rows = append(rows, fmt.Sprintf("%d %s", row.Number, text))
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		o    sheet.Options
		want []string
	}{
		"commas":             {file: "from,to,passengers\nLHR,JFK,2\n", want: []string{`2 {"from":"LHR","to":"JFK","passengers":2}`}},
		"semicolons and BOM": {file: "\ufefffrom;to;passengers\r\nLHR;JFK;2\r\n", want: []string{`2 {"from":"LHR","to":"JFK","passengers":2}`}},
		"tabs":               {file: "from\tto\tdescription\nLHR\tJFK\ta,b;c", want: []string{`2 {"from":"LHR","to":"JFK","description":"a,b;c"}`}},
		"quotes":             {file: "description,from\n\"a \"\"b\"\"\r\nc,d\",LHR\n", want: []string{`2 {"description":"a \"b\"\r\nc,d","from":"LHR"}`}},
		"breaks in cells":    {file: "description,from\r\n\"\r\na\n\r\n\",LHR\r\n\"b\r\",MAN\r\n", want: []string{`2 {"description":"\r\na\n\r\n","from":"LHR"}`, `3 {"description":"b\r","from":"MAN"}`}},
		"a guarded blank":    {file: "description,from\n'  ,LHR\n", want: []string{`2 {"description":"  ","from":"LHR"}`}},
		"a quoted head":      {file: "\"from\";\"to, or not\"\nLHR;x", want: []string{`2 {"from":"LHR"}`}},
		"heads as people write": {file: "Round Trip,DISTANCE_KM,external-reference\nYES,12.50,'=x\n", want: []string{
			`2 {"roundTrip":true,"distanceKm":12.50,"externalReference":"=x"}`}},
		"empty cells and rows": {file: "from,to\n,\nLHR,\n  ,JFK\n", want: []string{`3 {"from":"LHR"}`, `4 {"to":"JFK"}`}},
		"a decimal comma":      {file: "distanceKm;passengers\n2,5;3\n2.5;1\n", o: sheet.Options{DecimalComma: true}, want: []string{`2 {"distanceKm":2.5,"passengers":3}`, `3 {"distanceKm":"2.5","passengers":1}`}},
		"one not declared":     {file: "distanceKm;passengers\n2,5;x\n", want: []string{`2 {"passengers":"x","stated":{"distanceKm":"2,5"}}`}},
		"lists and objects": {file: "via;metadata;evidence\n" + `KEF|OSL;"{""a"":""b""}";"[{""name"":""x""}]"` + "\n" + `"[""KEF""]";x;[` + "\n", want: []string{
			`2 {"via":["KEF","OSL"],"metadata":{"a":"b"},"evidence":[{"name":"x"}]}`, `3 {"via":["KEF"],"metadata":"x","evidence":["["]}`}},
		"odd numbers":             {file: "passengers\n007\n+5\n1e3\nNaN\ntrue\n\"\"\"5\"\"\"\n", want: []string{`2 {"passengers":"007"}`, `3 {"passengers":"+5"}`, `4 {"passengers":1e3}`, `5 {"passengers":"NaN"}`, `6 {"passengers":"true"}`, `7 {"passengers":"\"5\""}`}},
		"more cells than heads":   {file: "from,to\nLHR,JFK,x\nLHR,JFK,,\n", want: []string{"2 3 TOO_MANY", `3 {"from":"LHR","to":"JFK"}`}},
		"another type":            {file: "type,from,status\nwaste,LHR,approved\nflights,LHR,\n", o: sheet.Options{Known: []string{"status"}}, want: []string{"2 type NOT_ALLOWED", `3 {"from":"LHR"}`}},
		"a text that is no UTF-8": {file: "from,description\nLHR,caf\xe9\n", want: []string{"2 description OTHER_ENCODING"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := all(c.file, "flights", c.o)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
	for name, file := range map[string]string{
		"nothing": "", "only a mark": "\ufeff", "no field": "a,b\n1,2\n", "a field twice": "from,From\n", "UTF-16": "\xff\xfef\x00", "no UTF-8": "from,\xe9\n",
		"an open quote": "\"from\n", "columns without end": "from" + strings.Repeat(",x", 600) + "\n",
	} {
		if _, _, err := all(file, "flights", sheet.Options{}); apperr.CodeOf(err) != apperr.ValidationError {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, _, err := all("from,to\nLHR,JFK\nLHR,J\"FK\nLHR,JFK\n", "flights", sheet.Options{})
	if len(got) != 1 || apperr.CodeOf(err) != apperr.ValidationError {
		t.Errorf("a stray quote: %q, %v", got, err)
	}
	_, r, err := all("Passengers,colour,From,status,via\n1,red,LHR,x,\n", "flights", sheet.Options{Known: []string{"status"}})
	if err != nil || !reflect.DeepEqual(r.Ignored(), []string{"colour"}) || r.Head("passengers") != "Passengers" || r.Head("to") != "to" || r.Head("via[2]") != "via" {
		t.Errorf("%v: ignored %v", err, r.Ignored())
	}
}

// A column without a head is named where it has values, wherever the file has been read to
// by then; one that is empty is not.
func TestColumnsWithoutHeads(t *testing.T) {
	t.Parallel()
	file := "from,,to,colour, ,\nLHR,,JFK,red,,\nLHR, ,JFK,,x,\n,7,,,,\n"
	want := []string{"colour", "column B", "column E"}
	_, r, err := all(file, "flights", sheet.Options{})
	if err != nil || !reflect.DeepEqual(r.Ignored(), want) {
		t.Errorf("%v: ignored %q", err, r.Ignored())
	}
	if got, err := sheet.KeepColumns(io.Discard, from(file), "flights", sheet.Options{}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("left out: %q, %v", got, err)
	}
	wide := "from" + strings.Repeat(",", 60) + "\nLHR" + strings.Repeat(",x", 60) + "\n"
	if _, r, err := all(wide, "flights", sheet.Options{}); err != nil || len(r.Ignored()) != 50 || r.Ignored()[25] != "column AA" {
		t.Errorf("%v: %q", err, r.Ignored())
	}
}

// A head of any length would be in the error of every row: a long one is no field, and is
// shortened where it is named.
func TestLongHeads(t *testing.T) {
	t.Parallel()
	const most = 200
	for _, name := range []string{"passengers", "quantity", "colour", "passengers kg"} {
		long := name + strings.Repeat("(", 50_000)
		file := "from,to," + long + "\nLHR,JFK,1\n"
		rows, r, err := all(file, "flights", sheet.Options{Rules: sheet.Rules})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: %v, %v", name, rows, err)
		}
		if got := r.Ignored(); len(got) != 1 || got[0] != long[:most]+"…" || r.Heads()[2] != got[0] || r.Head("passengers") != "passengers" {
			t.Errorf("%s: ignored %.300q, head %.300q", name, got, r.Head("passengers"))
		}
	}
	fits := "passengers" + strings.Repeat("(", most-len("passengers"))
	if _, r, err := all("from,to,"+fits+"\nLHR,JFK,1\n", "flights", sheet.Options{Rules: sheet.Rules}); err != nil || r.Head("passengers") != fits {
		t.Errorf("a head that is not too long: %q, %v", r.Head("passengers"), err)
	}
}

// Heads are read as tables have them, of two for one field the first, and none that
// stands for several.
func TestHeadsOfTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		row       string
		ignored   []string
	}{
		"a booking list":            {"flights", "Passenger name,Origin,Destination,Pax,Cabin class,Return?\nA. Person,LHR,JFK,2,business,yes\n", `2 {"from":"LHR","to":"JFK","passengers":2,"class":"business","roundTrip":true}`, []string{"Passenger name"}},
		"a German one":              {"flights", "Abflughafen;Zielflughafen;Anzahl Personen;Reiseklasse;Rückflug\nLHR;JFK;2;economy;nein\n", `2 {"from":"LHR","to":"JFK","passengers":2,"class":"economy","roundTrip":false}`, nil},
		"hotel nights":              {"accommodation", "Country code,No. of rooms,Nächte\nGB,2,3\n", `2 {"country":"GB","rooms":2,"nights":3}`, nil},
		"gases as on the plate":     {"energy", "source,refrigerant,weightKg\nrefrigerant,R-410A,2\n", `2 {"source":"refrigerant","refrigerant":"r410a","weightKg":2}`, nil},
		"what a type calls it":      {"energy", "Energieträger;Liter;Notiz\nDiesel;300;Aggregat\n", `2 {"source":"diesel","volumeLitres":300,"description":"Aggregat"}`, nil},
		"the field's own name wins": {"flights", "Notes,From,To,Origin,People,Description\nx,LHR,JFK,CDG,2,y\n", `2 {"from":"LHR","to":"JFK","passengers":2,"description":"y"}`, []string{"Notes", "Origin"}},
		"else the first":            {"flights", "Item,Comments,From\nx,y,LHR\n", `2 {"description":"x","from":"LHR"}`, []string{"Comments"}},
		"a word for a unit":         {"ground-transport", "mode,Vehicles,Kilometres\ncar,1,12\n", `2 {"mode":"car","vehicles":1,"distanceKm":12}`, nil},
		"one for several fields":    {sheet.Mixed, "type,people,from\nflights,2,LHR\n", `2 {"from":"LHR"}`, []string{"people"}},
		"one of a single type":      {sheet.Mixed, "type,waste stream,weightKg\nwaste,glass,2\n", `2 {"material":"glass","weightKg":2}`, nil},
	} {
		got, r, err := all(c.file, c.typ, sheet.Options{})
		if err != nil || !reflect.DeepEqual(got, []string{c.row}) || !reflect.DeepEqual(r.Ignored(), c.ignored) {
			t.Errorf("%s: %q, ignored %q, %v", name, got, r.Ignored(), err)
		}
	}
}

// A head that says no unit is one of the field that the type has for it, where the cells
// have theirs; of a cell without one nothing is guessed.
func TestHeadsWithoutUnits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		row       string
		ignored   []string
	}{
		"a distance":              {"ground-transport", "mode,vehicles,Distance\ncar,1,120 km\n", `2 {"mode":"car","vehicles":1,"stated":{"distanceKm":"120 km"}}`, nil},
		"in German":               {"ground-transport", "mode,vehicles,Entfernung\ncar,1,75 mi\n", `2 {"mode":"car","vehicles":1,"stated":{"distanceKm":"75 mi"}}`, nil},
		"a weight":                {"freight", "mode,Weight,distanceKm\nroad,3 short tons,9\n", `2 {"mode":"road","distanceKm":9,"stated":{"weightKg":"3 short tons"}}`, nil},
		"an area":                 {"venue", "venueType,Area,days\nhotel,900 m2,2\n", `2 {"venueType":"hotel","days":2,"stated":{"floorAreaM2":"900 m2"}}`, nil},
		"the field called so":     {"materials", "material,Area\nwood,20 sq ft\n", `2 {"material":"wood","stated":{"areaM2":"20 sq ft"}}`, nil},
		"a supply":                {"water", "Supply\n12 m3\n", `2 {"stated":{"supplyM3":"12 m3"}}`, nil},
		"an amount of energy":     {"energy", "source,Amount\ngrid,12 kWh\n", `2 {"source":"grid","stated":{"energyKWh":"12 kWh"}}`, nil},
		"an amount of weight":     {"energy", "source,Menge\npropane,94 kg\n", `2 {"source":"propane","stated":{"weightKg":"94 kg"}}`, nil},
		"a volume in m3":          {"energy", "source,Volume\nnatural_gas,12 m3\n", `2 {"source":"natural_gas","stated":{"volumeM3":"12 m3"}}`, nil},
		"a volume in litres":      {"energy", "source,Volume\ndiesel,300 l\n", `2 {"source":"diesel","stated":{"volumeLitres":"300 l"}}`, nil},
		"one of two volumes":      {"energy", "source,Volume\ndiesel,3 yd3\n", "2 Volume NOT_ALLOWED", nil},
		"no unit":                 {"ground-transport", "mode,vehicles,Distance\ncar,1,120\n", "2 Distance BAD_FORMAT", nil},
		"no number":               {"ground-transport", "mode,vehicles,Distance\ncar,1,far\n", "2 Distance BAD_FORMAT", nil},
		"another dimension":       {"ground-transport", "mode,vehicles,Distance\ncar,1,120 kg\n", "2 Distance BAD_FORMAT", nil},
		"two readings":            {"ground-transport", "mode,vehicles,Distance\ncar,1,1.200 km\n", "2 Distance AMBIGUOUS_NUMBER", nil},
		"a gallon":                {"waste", "treatment,Volume\nlandfill,3 gal\n", "2 Volume AMBIGUOUS_UNIT", nil},
		"an amount, no unit":      {"energy", "source,Amount\ngrid,12\n", "2 Amount BAD_FORMAT", nil},
		"an amount of money":      {"energy", "source,generatorKVA,hours,Amount\ndiesel,100,36,£230\n", `2 {"source":"diesel","generatorKVA":100,"hours":36}`, []string{"Amount"}},
		"one nobody needs":        {"flights", "from,to,passengers,Distance\nLHR,JFK,1,\"5,540\"\n", `2 {"from":"LHR","to":"JFK","passengers":1}`, []string{"Distance"}},
		"one with its unit":       {"flights", "from,to,passengers,Distance\nLHR,JFK,1,5540 km\n", `2 {"from":"LHR","to":"JFK","passengers":1,"stated":{"distanceKm":"5540 km"}}`, nil},
		"an area by sheets":       {"materials", "material,sheets,Area\npaper,40,2\n", "2 Area BAD_FORMAT", nil},
		"of a type without it":    {sheet.Mixed, "type,from,to,passengers,Weight\nflights,LHR,JFK,1,20\n", `2 {"from":"LHR","to":"JFK","passengers":1}`, []string{"Weight"}},
		"nights by days":          {"accommodation", "Hotel,Check-in,Check-out,rooms\nHilton,15/09/2026,17/09/2026,40\n", `2 {"description":"Hilton","rooms":40,"nights":2}`, nil},
		"and one that is none":    {"accommodation", "Check-in,Check-out,rooms\n02.09.2026,02.09.2026,40\n", "2 Check-out OUT_OF_RANGE", nil},
		"by days in doubt":        {"accommodation", "Anreise,Abreise,Zimmer\n01/09/2026,02/09/2026,40\n", "2 Anreise AMBIGUOUS_DATE", nil},
		"by no days":              {"accommodation", "Arrival,Departure,rooms\nnoon,2026-09-02,40\n", "2 Arrival BAD_FORMAT", nil},
		"nights that are there":   {"accommodation", "Check-in,Check-out,rooms,nights\n2026-09-01,2026-09-04,40,3\n", `2 {"rooms":40,"nights":3}`, []string{"Check-in", "Check-out"}},
		"nights that differ":      {"accommodation", "Check-in,Check-out,rooms,nights\n2026-09-01,2026-09-02,40,3\n", "2 nights NOT_ALLOWED", []string{"Check-in", "Check-out"}},
		"nights in doubtful days": {"accommodation", "Check-in,Check-out,rooms,nights\n01/09/2026,03/09/2026,40,3\n", `2 {"rooms":40,"nights":3}`, []string{"Check-in", "Check-out"}},
		"nights that are not":     {"accommodation", "Check-in,Check-out,rooms,nights\n2026-09-01,2026-09-04,40,\n", `2 {"rooms":40,"nights":3}`, nil},
		"an arrival alone":        {"accommodation", "Check-in,rooms\n2026-09-01,40\n", `2 {"rooms":40}`, []string{"Check-in"}},
		"an itinerary":            {"flights", "Routing,passengers\nLHR-JFK,2\n", `2 {"passengers":2,"from":"LHR","to":"JFK"}`, nil},
		"there and back":          {"flights", "Route,passengers\nlhr/fra/sin/fra/lhr,2\n", `2 {"passengers":2,"roundTrip":true,"from":"LHR","to":"SIN","via":["FRA"]}`, nil},
		"back by another way":     {"flights", "Route,passengers\nLHR-JFK-ORD-LHR,2\n", "2 Route NOT_ALLOWED", nil},
		"back, and no return":     {"flights", "Route,passengers,Return?\nLHR-JFK-LHR,2,no\n", "2 Route NOT_ALLOWED", nil},
		"to where it begins":      {"flights", "Route,passengers\nLHR LHR,2\n", "2 Route NOT_ALLOWED", nil},
		"towns on the way":        {"flights", "Route,passengers\nLondon - Paris,2\n", `2 {"passengers":2,"from":"London","to":"Paris"}`, nil},
		"a route beside ends":     {"flights", "Route,from,to,passengers\nX,LHR,JFK,2\n", `2 {"from":"LHR","to":"JFK","passengers":2}`, []string{"Route"}},
		"a unit alone":            {"ground-transport", "mode,vehicles,Miles\ncar,1,44.5\n", `2 {"mode":"car","vehicles":1,"stated":{"distanceKm":"44.5 mi"}}`, nil},
		"a letter alone":          {"ground-transport", "mode,vehicles,distanceKm,M\ncar,1,5,2\n", `2 {"mode":"car","vehicles":1,"distanceKm":5}`, []string{"M"}},
		"a journey of nobody":     {"ground-transport", "mode,vehicles,distanceKm,Journey\ncar,1,5,Return\n", "2 Journey AMBIGUOUS_COUNT", []string{"Journey"}},
		"a way back on a day":     {"flights", "from,to,passengers,Hinflug,Rückflug\nLHR,JFK,1,31.08.2026,02.09.2026\n", `2 {"from":"LHR","to":"JFK","passengers":1,"roundTrip":true}`, nil},
		"the weight of paper":     {"materials", "material,sheets,Paper size,Grammatur\npaper,40,A3,120 g/m²\n", `2 {"material":"paper","sheets":40,"sheetSize":"A3","gramsPerM2":120}`, nil},
		"a currency in a head":    {"purchases", "category;Amount (EUR)\nprint;1350,50\n", `2 {"category":"print","currency":"EUR","stated":{"amount":"1350,50"}}`, nil},
		"in a head, by a sign":    {"purchases", "category,Net (£),VAT (20%)\nprint,99,20\n", `2 {"category":"print","amount":99,"currency":"GBP"}`, []string{"VAT (20%)"}},
		"none in a head":          {"purchases", "category,Net (VAT),currency\nprint,99,GBP\n", `2 {"category":"print","currency":"GBP"}`, []string{"Net (VAT)"}},
		"a net weight":            {"waste", "treatment,Net weight\nlandfill,0.42 t\n", `2 {"treatment":"landfill","stated":{"weightKg":"0.42 t"}}`, nil},
		"gross and net":           {"waste", "treatment,Gross weight (kg),Net weight (kg)\nlandfill,900,420\n", `2 {"treatment":"landfill","weightKg":420}`, []string{"Gross weight (kg)"}},
		"gross, of goods":         {"freight", "mode,Gross weight (t),distanceKm\nroad,2.4,9\n", `2 {"mode":"road","distanceKm":9,"stated":{"weightKg":"2.4 t"}}`, nil},
		"an amount in litres":     {"energy", "Produkt;Menge (l)\nSuper E10;52,31\n", `2 {"source":"petrol","stated":{"volumeLitres":"52,31"}}`, nil},
		"an amount in tonnes":     {"waste", "treatment,Menge in t\nlandfill,0.42\n", `2 {"treatment":"landfill","stated":{"weightKg":"0.42 t"}}`, nil},
		"a unit of none":          {"waste", "treatment,weightKg,Menge (Stk)\nlandfill,2,0.42\n", `2 {"treatment":"landfill","weightKg":2}`, []string{"Menge (Stk)"}},
		"a column of units":       {"energy", "source,Quantity,UoM\ndiesel,52,L\n", `2 {"source":"diesel","stated":{"volumeLitres":"52 L"}}`, nil},
		"of units, in German":     {"waste", "treatment;Gewicht;Einheit\nlandfill;1,5;t\n", `2 {"treatment":"landfill","stated":{"weightKg":"1,5 t"}}`, nil},
		"of units, and its own":   {"energy", "source,Quantity,Unit\ndiesel,52 l,gal\n", `2 {"source":"diesel","stated":{"volumeLitres":"52 l"}}`, nil},
		"of units that are none":  {"materials", "material,Qty,Unit\npaper,52,each\n", "2 Qty BAD_FORMAT", nil},
		"units of two columns":    {"ground-transport", "mode,Distance,Energy,Unit\ncar,5 km,,kWh\n", `2 {"mode":"car","stated":{"distanceKm":"5 km"}}`, []string{"Unit"}},

		"money where people go":  {"ground-transport", "mode,passengers,from,to,Amount\nrail,2,London,Leeds,230\n", `2 {"mode":"rail","passengers":2,"from":"London","to":"Leeds"}`, []string{"Amount"}},
		"the field's own name":   {"ground-transport", "mode,Distance,distanceKm,vehicles\ncar,120 mi,5,1\n", `2 {"mode":"car","distanceKm":5,"vehicles":1}`, []string{"Distance"}},
		"of two the first":       {"ground-transport", "mode,Distance,Entfernung\ncar,120 mi,5 km\n", `2 {"mode":"car","stated":{"distanceKm":"120 mi"}}`, []string{"Entfernung"}},
		"no such field":          {"accommodation", "rooms,nights,Distance\n2,3,120 km\n", `2 {"rooms":2,"nights":3}`, []string{"Distance"}},
		"several energies":       {"venue", "Energy,days\n12 kWh,2\n", "2 Energy NOT_ALLOWED", nil},
		"a file of all types":    {sheet.Mixed, "type,treatment,Weight\nwaste,landfill,2 t\n", `2 {"treatment":"landfill","stated":{"weightKg":"2 t"}}`, nil},
		"an amount of all types": {sheet.Mixed, "type,Quantity,meals,diet\nwater,2 m3,,\n", `2 {"stated":{"supplyM3":"2 m3"}}`, nil},
		"in one without it":      {sheet.Mixed, "type,treatment,Weight\nflights,,2 t\n", "2 Weight NOT_ALLOWED", nil},
		"purchases have amount":  {"purchases", "category,Amount,currency\nprinting,230,GBP\n", `2 {"category":"printing","amount":230,"currency":"GBP"}`, nil},
	} {
		got, r, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules})
		if err != nil || !reflect.DeepEqual(got, []string{c.row}) || !reflect.DeepEqual(r.Ignored(), c.ignored) {
			t.Errorf("%s: %q, ignored %q, %v", name, got, r.Ignored(), err)
		}
	}
	_, r, err := all("mode,vehicles,Distance\ncar,1,120\n", "ground-transport", sheet.Options{Rules: sheet.Rules})
	if err != nil || r.Head("stated.distanceKm") != "Distance" || r.Head("distanceKm") != "Distance" {
		t.Errorf("%v: distanceKm is %q", err, r.Head("distanceKm"))
	}
	_, r, err = all("mode,vehicles,Distance\ncar,1,120 km\n", "ground-transport", sheet.Options{})
	if err != nil || !reflect.DeepEqual(r.Ignored(), []string{"Distance"}) {
		t.Errorf("as it was taken before: ignored %v, %v", r.Ignored(), err)
	}
}

// A row that was exported is read as it was.
func TestWhatIsExportedIsRead(t *testing.T) {
	t.Parallel()
	fields := `{"from":"LHR","via":["KEF"],"passengers":2,"roundTrip":true,"distanceKm":0.50,"description":"=1;\"x\"\n'","metadata":{"a":"-1"}}`
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(fields), &values); err != nil {
		t.Fatal(err)
	}
	var head, cells []string
	for name, value := range values {
		cell, err := sheet.Cell(value)
		if err != nil {
			t.Fatal(err)
		}
		head, cells = append(head, name), append(cells, cell)
	}
	rows, _, err := all(string(sheet.AppendRow(sheet.AppendRow(nil, head), cells)), "flights", sheet.Options{})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	var back map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimPrefix(rows[0], "2 ")), &back); err != nil || !reflect.DeepEqual(back, values) {
		t.Errorf("%v\n%s\n%s", err, rows[0], fields)
	}
}

// FuzzRead reads any text as a table of each type, as people's tables and as those of earlier releases are read.
func FuzzRead(f *testing.F) {
	types := append(footprint.Types(), footprint.OriginRows, sheet.Mixed)
	for at, typ := range types {
		f.Add([]byte("from,to\nLHR,JFK\n"), true, uint8(at))
		for _, name := range []string{"split.txt", "series.txt", "languages.txt"} {
			for _, table := range expectedTables(f, "testdata/"+name, 0) {
				if table.typ == typ {
					f.Add([]byte(table.text), false, uint8(at))
				}
			}
		}
	}
	f.Add([]byte("\ufeffvia;passengers\n\"a|b\";1,5\n"), false, uint8(0))
	f.Fuzz(func(t *testing.T, file []byte, comma bool, at uint8) {
		for rules := range sheet.Rules + 1 {
			r, err := sheet.NewReader(strings.NewReader(string(file)), types[int(at)%len(types)], sheet.Options{DecimalComma: comma, Rules: rules})
			for err == nil {
				var row sheet.Row
				row, err = r.Next()
				if err == nil && row.Err == nil && !json.Valid(row.Body) {
					t.Fatalf("%q gives %q", file, row.Body)
				}
			}
			if !errors.Is(err, io.EOF) && apperr.CodeOf(err) != apperr.ValidationError {
				t.Fatalf("%q: %v", file, err)
			}
		}
	})
}

// TestRowsOfSeparators: a row of separators alone would take fifty times its bytes to read;
// it is refused before, wherever it is, and one as wide as a sheet is not.
func TestRowsOfSeparators(t *testing.T) {
	t.Parallel()
	const head = "treatment,weightKg\n"
	for name, c := range map[string]struct{ file, want string }{
		"the head":           {strings.Repeat(",", 1<<20), "line 1 has more"},
		"a row":              {head + "landfill,1\n" + strings.Repeat(",", 16_384) + "\n", "line 3 has more"},
		"after a long text":  {head + "\"" + strings.Repeat(",\n", 20_000) + "\",1" + strings.Repeat(",", 16_384), "line 20002 has more"},
		"other separators":   {"treatment;weightKg\n" + strings.Repeat(";", 16_384), "line 2 has more"},
		"as wide as a sheet": {head + "landfill,1" + strings.Repeat(",", 16_382) + "\nlandfill,2\n", ""},
		"many rows":          {head + strings.Repeat("landfill,1\n", 20_000), ""},
	} {
		_, _, err := all(c.file, "waste", sheet.Options{})
		var e *apperr.Error
		switch {
		case c.want == "" && err == nil:
		case c.want == "" || !errors.As(err, &e) || len(e.Details) != 1 || e.Details[0].Code != "TOO_MANY" || !strings.Contains(e.Details[0].Message, c.want):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestFaultsNameTheChoices: the messages of faults are complete without their suggestions, of which clients show a few or
// none.
func TestFaultsNameTheChoices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, file, says, first string }{
		{"flights", "x,y\n1,2\n", "the names of fields above the columns, as templates have them", "distanceKm"},
		{sheet.Mixed, "type,from\nflihgts,LHR\n", "flights, accommodation,", "flights"},
		{sheet.Mixed, "type,from\n,LHR\n", "flights, accommodation,", "flights"},
		{"catering", "Meat\n20\n", "red_meat, white_meat, fish or mixed", "red_meat"},
	} {
		r, err := sheet.NewReader(strings.NewReader(c.file), c.typ, sheet.Options{Rules: sheet.Rules})
		if err == nil {
			row, _ := r.Next()
			err = row.Err
		}
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || !strings.Contains(e.Details[0].Message, c.says) || e.Details[0].Suggestions[0] != c.first {
			t.Errorf("%q: %+v", c.file, e.Details)
		}
	}
}
