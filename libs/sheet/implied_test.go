package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// What a table says without a column of its own: vans go by road, and waste that is weighed needs no containers.
func TestModesAndWeightsWithoutColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		rules     int
		want      string
	}{
		"a van":                     {"freight", "vehicle,weightKg,distanceKm\nvan,350,54\n", sheet.Rules, `2 {"vehicle":"van","weightKg":350,"distanceKm":54,"mode":"road"}`},
		"a lorry of a size":         {"freight", "vehicle,weightKg,distanceKm\nhgv_rigid,350,54\n", sheet.Rules, `2 {"vehicle":"hgv_rigid","weightKg":350,"distanceKm":54,"mode":"road"}`},
		"a ship":                    {"freight", "vehicle,weightKg,distanceKm\ncontainer_ship,350,54\n", sheet.Rules, `2 {"vehicle":"container_ship","weightKg":350,"distanceKm":54}`},
		"a van with its mode":       {"freight", "mode,vehicle,weightKg,distanceKm\nrail,van,350,54\n", sheet.Rules, `2 {"mode":"rail","vehicle":"van","weightKg":350,"distanceKm":54}`},
		"a van, before":             {"freight", "vehicle,weightKg,distanceKm\nvan,350,54\n", 0, `2 {"vehicle":"van","weightKg":350,"distanceKm":54}`},
		"actual weight":             {"freight", "mode,Actual Weight (kg),Chargeable Weight (kg),distanceKm\nroad,12,18,54\n", sheet.Rules, `2 {"mode":"road","weightKg":12,"distanceKm":54}`},
		"a container of a weight":   {"waste", "treatment,Container,Net (t)\nlandfill,RoRo 40yd,3.15\n", sheet.Rules, `2 {"treatment":"landfill","stated":{"weightKg":"3.15 t"}}`},
		"containers that count":     {"waste", "treatment,Container,containers,weightKg\nlandfill,skip_8yd,2,9\n", sheet.Rules, `2 {"treatment":"landfill","container":"skip_8yd","containers":2,"weightKg":9}`},
		"a container without one":   {"waste", "treatment,Container\nlandfill,skip_8yd\n", sheet.Rules, `2 {"treatment":"landfill","container":"skip_8yd"}`},
		"a container, before":       {"waste", "treatment,Container,weightKg\nlandfill,skip_8yd,9\n", 0, `2 {"treatment":"landfill","container":"skip_8yd","weightKg":9}`},
		"cities of a booking":       {"flights", "Start City,End City,passengers\nLondon,Paris,1\n", sheet.Rules, `2 {"from":"London","to":"Paris","passengers":1}`},
		"airports of a reservation": {"flights", "Board,Off,passengers\nFRA,LHR,1\n", sheet.Rules, `2 {"from":"FRA","to":"LHR","passengers":1}`},
		"a kind of energy":          {"energy", "Energieart;Verbrauch kWh\nStrom;12\n", sheet.Rules, `2 {"source":"grid","energyKWh":12}`},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: c.rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}
