package footprint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestFiguresBelongToTheEngineVersion holds every figure of a spread of records
// to the engine version: results name it so that anyone can compute them again.
// When a change moves a number on purpose, raise EngineVersion with it.
func TestFiguresBelongToTheEngineVersion(t *testing.T) {
	t.Parallel()
	ar6 := london
	ar6.GWP, ar6.RadiativeForcing = "AR6", false
	hash := sha256.New()
	for _, ev := range []footprint.EventContext{london, ar6} {
		for _, r := range []struct{ typ, body string }{
			{"flights", `{"from":"LHR","to":"SYD","via":["DXB"],"passengers":7,"class":"business","roundTrip":true,"group":"attendees"}`},
			{"flights", `{"from":"NYC","to":"LON","passengers":3,"population":90,"respondents":41,"sampleCV":0.37}`},
			{"flights", `{"from":"QQQ","to":"EDI","passengers":3,"distanceKm":812.75,"dataQuality":"measured"}`},
			{"accommodation", `{"nights":3,"rooms":12,"city":"London","group":"speakers"}`},
			{"accommodation", `{"nights":2,"guests":31,"country":"NO","kind":"hostel"}`},
			{"accommodation", `{"nights":1,"rooms":9,"country":"KE","kind":"apartment","date":"2019-01-01"}`},
			{"venue", `{"electricityKWh":18250.5,"gasKWh":4100,"heatKWh":77.125,"control":"own","renewablePercent":40,"evidence":[{"name":"a"}]}`},
			{"venue", `{"annualElectricityKWh":2500000,"annualGasKWh":900000,"spaceSharePercent":7.5,"days":2,"country":"DE"}`},
			{"venue", `{"floorAreaM2":4200,"days":3,"venueType":"pool","country":"XK"}`},
			{"waste", `{"treatment":"landfill","weightKg":812.25,"material":"wood","dataQuality":"measured","evidence":[{"name":"a"}]}`},
			{"waste", `{"treatment":"recycling","volumeLitres":12000,"densityKgPerM3":35.5,"country":"US"}`},
		} {
			e := evaluate(t, r.typ, r.body, ev)
			hash.Write([]byte(encoded(t, e.Lines)))
			hash.Write([]byte(encoded(t, e.Contribution)))
			hash.Write([]byte(encoded(t, e.Contribution.Breakdown(ev))))
		}
	}
	want := map[string]string{"1.0.0": "bb7121e50784f2a8c909c30c9a9983041a9b31c97e37f84dee1cedc03bf50a10"}[footprint.EngineVersion]
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("the figures of engine %s have the hash %s, pinned is %s", footprint.EngineVersion, got, want)
	}
}
