package report_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// rich returns the data of a report that has every part of the page.
func rich(t *testing.T) report.Data {
	t.Helper()
	ev := footprint.EventContext{Country: "DE", StartDate: "2027-06-10", EndDate: "2027-06-12", Attendees: 1200, RadiativeForcing: true, GWP: "AR6",
		FactorSet: "desnz-2026", Engine: footprint.Engine2}
	d := data(t, ev,
		`flights {"from":"LHR","to":"JFK","passengers":30,"class":"economy","roundTrip":true,"group":"speakers","date":"2027-06-09"}`,
		`flights {"from":"BER","to":"MUC","passengers":400,"group":"attendees","respondents":40,"population":400}`,
		`accommodation {"nights":2,"rooms":300,"city":"Berlin","group":"staff","description":"Gala"}`,
		`venue {"electricityKWh":18000,"gasKWh":3400.5,"renewablePercent":50,"name":"Halle 7","dataQuality":"measured","evidence":[{"name":"meter"}]}`,
		`venue {"electricityKWh":500,"country":"AU","subdivision":"NSW"}`,
		`venue {"electricityKWh":500,"country":"NZ"}`,
		`waste {"treatment":"landfill","weightKg":1320}`,
		`waste {"treatment":"recycling","material":"paper_card","weightKg":210}`,
		`ground-transport {"mode":"bus","distanceKm":120,"passengers":50,"group":"attendees"}`,
		`freight {"mode":"road","weightKg":1200,"distanceKm":400,"group":"exhibitors"}`,
		`catering {"drinks":{"beer":5,"bottled_water":2},"servings":{"coffee":100},"meals":800,"diet":"vegan"}`,
		`materials {"material":"carpet","weightKg":500,"source":"hired"}`,
		`energy {"source":"diesel","volumeLitres":600,"control":"own"}`,
		`energy {"source":"grid","energyKWh":900,"control":"own"}`,
		`water {"supplyM3":12}`,
		`digital {"activity":"streaming","participants":500,"hours":4,"quality":"hd"}`,
		`purchases {"category":"toilet_hire","amount":1000,"currency":"GBP"}`,
		`attendee-travel {"to":"LHR","origins":[{"place":"Brighton, GB","people":20,"mode":"rail"},{"place":"Leeds, GB","people":1,"mode":"coach"},{"place":"New York, US","people":3,"mode":"plane"}]}`,
		`custom {"description":"Fireworks","kgCO2e":55,"source":"The maker","evidence":[{"url":"https://example.org/lca.pdf"}],"scope3Category":"2 Capital goods"}`,
	)
	d.Event.Title = "Sommertagung"
	d.Event.Boundary = json.RawMessage(`{"included":["flights","ground_transport","waste"],"excluded":[{"type":"digital","reason":"gering"}]}`)
	d.Organization = "Beispiel GmbH"
	d.NotCounted = &bundle.NotCounted{Waiting: 2, ChangesRequested: 1, Rejected: 1234, Unsubmitted: 3}
	d.SignOff = &bundle.SignOff{Edition: 3, By: record.Actor{ID: "u", Name: "Morgan Lee", Role: identity.Manager}, At: "2027-07-01T10:00:00.000Z", Statement: "Abgenommen"}
	d.Signature = &bundle.Signature{KeyID: "k1"}
	d.Failed = []string{"r77", "r78"}
	d.Causes = causes()
	d.About.Compensation = []record.Compensation{
		{Kind: record.Offset, KgCO2e: decimal.New(12345678, 3), Description: "Aufforstung", Standard: "Gold Standard", RetiredOn: "2027-01-02"},
		{Kind: record.Removal, KgCO2e: decimal.New(50, 0), Description: "Pflanzenkohle"},
	}
	for i, code := range []string{findings.DuplicateFlight, findings.DuplicateRecord, findings.IncludedTypeMissing, findings.CompanionMissing, findings.EndOfLifeTwice,
		findings.SiteEnergyTwice, findings.RoomNightsExceed, findings.FlyersExceed, findings.PurchaseOverlaps, findings.ExcludedTypeCounted, findings.OutboundWithoutBack,
		findings.LargeWithoutDateOrGr, findings.OutOfRange, findings.SupplierNotValid, findings.SupplierWithdrawn, findings.NotChecked} {
		d.Findings = append(d.Findings, findings.Finding{Code: code, Severity: findings.Warning, Message: fmt.Sprintf("Something is the matter with %d of them.", i), Records: i})
	}
	return d
}

// causes are one of each kind.
func causes() (all []resulttree.Cause) {
	by, at := record.Actor{ID: "u", Name: "Morgan Lee", Role: identity.Manager}, time.Date(2027, 6, 20, 8, 5, 0, 0, time.UTC)
	for _, action := range []string{resulttree.ActionUnknown, resulttree.ActionOther, resulttree.ActionEngine, string(record.Create), string(record.Edit), string(record.Delete),
		string(record.Submit), string(record.Withdraw), string(record.Review), string(record.Approve), string(record.RequestChanges), string(record.Reject),
		string(record.Reopen), string(record.AutoApprove)} {
		all = append(all, resulttree.Cause{Action: action, By: by, At: at, Records: 3})
	}
	return append(all, resulttree.Cause{Action: resulttree.ActionEvent, By: record.Actor{ID: "a", Role: identity.Admin}, At: at,
		Fields: []string{"startDate", "endDate", "attendees", "country", "method", "factorSet", "place", "location", "boundary", "deleted"}})
}
