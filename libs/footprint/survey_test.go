package footprint_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

func TestSurveyIsScaledUp(t *testing.T) {
	t.Parallel()
	plain := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":10,"class":"economy","dataQuality":"measured"}`, london)
	e := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":10,"class":"economy","dataQuality":"measured","respondents":50,"population":150}`, london)
	b := total.Of(&e).Breakdown(london)
	// Three times 10 passengers, of which two thirds are extrapolated.
	if got := b.Total.KgCO2e.Kilograms(); got != "23541.520334" || !has(e.Notices, footprint.NoticeSampling) {
		t.Errorf("total %s, %v", got, e.Notices)
	}
	if got := b.ExtrapolatedKg.Kilograms(); got != "15694.346890" {
		t.Errorf("extrapolated %s", got)
	}
	q := b.DataQuality
	if q.MeasuredShare.String() != "0.333333" || q.ExtrapolatedShare.String() != "0.666667" || !q.EstimatedShare.IsZero() {
		t.Errorf("shares %+v", q)
	}
	if total.Of(&plain).Breakdown(london).DataQuality.MeasuredShare.String() != "1" {
		t.Error("a measured record is not measured")
	}
	for _, c := range []struct {
		answered string
		score    int
	}{{"120", 1}, {"119", 2}, {"90", 2}, {"89", 3}, {"60", 3}, {"59", 4}, {"150", 1}} {
		e := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"population":150,"respondents":`+c.answered+`}`, london)
		if e.Lines[0].Scores[1] != c.score {
			t.Errorf("%s of 150 score %d, want %d", c.answered, e.Lines[0].Scores[1], c.score)
		}
	}
	// Everyone responded: no extrapolation, no uncertainty.
	all := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":10,"class":"economy","dataQuality":"measured","respondents":5,"population":5,"sampleCV":2}`, london)
	if total.Of(&all).Total() != total.Of(&plain).Total() || all.Lines[0].GSD2 != plain.Lines[0].GSD2 || len(all.Notices) != 0 {
		t.Errorf("a full survey: %+v", all.Notices)
	}
	wide := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":10,"respondents":5,"population":50,"sampleCV":2}`, london)
	tight := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":10,"respondents":45,"population":50,"sampleCV":2}`, london)
	if wide.Lines[0].GSD2 <= tight.Lines[0].GSD2 || has(wide.Notices, footprint.NoticeSampling) {
		t.Errorf("GSD² %d for 5 of 50, %d for 45 of 50", wide.Lines[0].GSD2, tight.Lines[0].GSD2)
	}
}

func TestMeasuredMeansNothingDefaulted(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		quality     string
		reliability int
	}{
		`{"from":"LHR","to":"JFK","passengers":1,"class":"first","dataQuality":"measured"}`:                                 {"measured", 2},
		`{"from":"LHR","to":"JFK","passengers":1,"class":"first","dataQuality":"measured","evidence":[{"name":"invoice"}]}`: {"measured", 1},
		`{"from":"LHR","to":"JFK","passengers":1,"dataQuality":"measured","evidence":[{"name":"invoice"}]}`:                 {"calculated", 3},
		`{"from":"LHR","to":"JFK","passengers":1}`:                                                                          {"estimated", 4},
		`{"from":"LHR","to":"JFK","passengers":1,"dataQuality":"assumed"}`:                                                  {"assumed", 5},
	} {
		l := evaluate(t, "flights", body, london).Lines[0]
		if l.Quality.String() != want.quality || l.Scores[0] != want.reliability {
			t.Errorf("%s: %s %v", body, l.Quality, l.Scores)
		}
	}
}

func TestDateInAnotherYear(t *testing.T) {
	t.Parallel()
	now := evaluate(t, "waste", `{"treatment":"landfill","weightKg":1,"date":"2026-05-13"}`, london)
	old := evaluate(t, "waste", `{"treatment":"landfill","weightKg":1,"date":"2019-05-13"}`, london)
	if total.Of(&now).Total() != total.Of(&old).Total() {
		t.Error("the date moved the figure")
	}
	if has(now.Notices, footprint.NoticeDateOtherYear) || !has(old.Notices, footprint.NoticeDateOtherYear) || now.Lines[0].Scores[2] != 1 || old.Lines[0].Scores[2] != 3 {
		t.Errorf("%v %v, %v %v", now.Notices, now.Lines[0].Scores, old.Notices, old.Lines[0].Scores)
	}
}

// TestSharedFactorsAreCorrelated adds two records: of one factor their
// intervals add, of different factors they combine in quadrature.
func TestSharedFactorsAreCorrelated(t *testing.T) {
	t.Parallel()
	glass := contributed(t, "waste", `{"treatment":"landfill","material":"glass","weightKg":1000000}`, london)
	width := func(b total.Breakdown) footprint.Mass { return b.Total.High.Sub(b.Total.KgCO2e) }
	one := width(glass.Breakdown(london))
	if got := width(glass.Add(glass).Breakdown(london)); got != one.Add(one) {
		t.Errorf("two of one factor: %s, one is %s", got, one)
	}
	metal := contributed(t, "waste", `{"treatment":"landfill","material":"metal","weightKg":1000000}`, london)
	got := width(glass.Add(metal).Breakdown(london))
	// √2 × one, the two factors being equal in size.
	low, high := one.Big(), one.Big()
	low.Mul(low, one.Big()).Lsh(low, 1)
	if got.Big(); high.Mul(got.Big(), got.Big()).Cmp(low) > 0 {
		t.Errorf("two factors: %s, one is %s", got, one)
	}
	next := got.Add(footprint.MassOf(1)).Big()
	if next.Mul(next, next).Cmp(low) <= 0 {
		t.Errorf("two factors: %s is too narrow", got)
	}
}

func TestBreakdownOfAnEvent(t *testing.T) {
	t.Parallel()
	sum := total.Sum(
		contributed(t, "flights", `{"from":"LHR","to":"JFK","passengers":4,"group":"attendees"}`, london),
		contributed(t, "flights", `{"from":"LHR","to":"CDG","passengers":4,"group":"staff"}`, london),
		contributed(t, "accommodation", `{"nights":2,"rooms":50,"group":"attendees"}`, london),
		contributed(t, "waste", `{"treatment":"recycling","weightKg":100,"country":"FR"}`, london),
		contributed(t, "waste", `{"treatment":"landfill","weightKg":100}`, london),
	)
	b := sum.Breakdown(london)
	if len(b.ByType) != 3 || b.ByType[0].Type != "flights" || b.ByType[1].Type != "accommodation" || b.ByType[2].Records != 2 {
		t.Errorf("types %+v", b.ByType)
	}
	// 4 × 1024.592113 kg of attendees' flights are excluded, their accommodation is not.
	if got := b.Total.KgCO2e.Sub(b.ExcludingAttendeeTravelKg).Kilograms(); got != "4098.368453" {
		t.Errorf("attendee travel is %s", got)
	}
	var optional string
	for _, c := range b.ByScope3Category {
		if c.Category == footprint.CategoryOptional {
			optional = c.KgCO2e.Kilograms()
		}
	}
	if optional != "5138.368453" { // and 100 × 10.4
		t.Errorf("optional is %s", optional)
	}
	if b.PerAttendeeKg == nil || b.PerAttendeeKg.Kilograms() != "13.501152" || b.PerAttendeeDayKg == nil || b.PerAttendeeDayKg.Kilograms() != "6.750576" {
		t.Errorf("per attendee %v, per day %v, total %s", b.PerAttendeeKg, b.PerAttendeeDayKg, b.Total.KgCO2e.Kilograms())
	}
	if !has(b.Notices, footprint.NoticeGroup) || !has(b.Notices, footprint.NoticeProxy) || !has(b.Notices, footprint.NoticeTransportOnly) {
		t.Errorf("notices %v", b.Notices)
	}
	ev := london
	ev.Attendees, ev.StartDate = 0, "2019-01-01"
	if b := sum.Breakdown(ev); b.PerAttendeeKg != nil || b.PerAttendeeDayKg != nil || !has(b.Notices, footprint.NoticeSetNewer) {
		t.Errorf("%v %v", b.PerAttendeeKg, b.Notices)
	}
	ev = london
	ev.EndDate = ""
	if b := sum.Breakdown(ev); b.PerAttendeeKg == nil || b.PerAttendeeDayKg != nil {
		t.Error("without an end there are no days")
	}
}

// TestNoticesStateTheirMass: a notice of a result states how many records it is about and their whole mass, and that of
// missing groups only the part of records without one.
func TestNoticesStateTheirMass(t *testing.T) {
	t.Parallel()
	ev := london
	ev.StartDate, ev.EndDate = "2026-01-01", "2026-01-02" // the year of the factor set: it is not newer
	sum := total.Sum(
		contributed(t, "waste", `{"treatment":"recycling","weightKg":100,"country":"FR"}`, ev),
		contributed(t, "waste", `{"treatment":"recycling","weightKg":300}`, ev),
		contributed(t, "waste", `{"treatment":"recycling","weightKg":500,"group":"staff"}`, ev),
		contributed(t, "waste", `{"treatment":"landfill","weightKg":100}`, ev),
	)
	const transportOnly = "Factors of recycling, incineration, composting and digestion cover collection and transport only; do not rank routes by them."
	want := []footprint.Notice{
		// 4 × 0.465358 kg are recycled without a group, and 52.058023 kg are of the landfill.
		{Code: footprint.NoticeGroup, Field: "group", Message: "53.919455 kg are of records that name no group of people."},
		{Code: footprint.NoticeTransportOnly, Message: transportOnly + " It is about 3 records of 4.188222 kg together."},
		{Code: footprint.NoticeProxy, Message: "UK factors stand in for places outside the UK. It is about 1 record of 0.465358 kg."},
	}
	if got := sum.Breakdown(ev).Notices; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
