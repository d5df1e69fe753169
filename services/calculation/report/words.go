package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

func orUnsaid(n int64) string {
	if n == 0 {
		return "not stated"
	}
	return explain.Grouped(fmt.Sprint(n))
}

func dates(ev footprint.EventContext) string {
	start, err := time.Parse(time.DateOnly, ev.StartDate)
	if err != nil {
		return ""
	}
	const layout = "2 January 2006"
	end, err := time.Parse(time.DateOnly, ev.EndDate)
	switch {
	case err != nil || end.Equal(start):
		return start.Format(layout)
	case end.Year() == start.Year() && end.Month() == start.Month():
		return fmt.Sprintf("%d to %s", start.Day(), end.Format(layout))
	}
	return start.Format(layout) + " to " + end.Format(layout)
}

// minute writes a moment to the minute, for people.
func minute(moment string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return moment
	}
	return at.UTC().Format("2 January 2006, 15:04 UTC")
}

// intro is the report in a few sentences.
func intro(d Data) string {
	types := slices.Clone(d.Result.ByType)
	slices.SortStableFunc(types, func(a, b total.TypePart) int { return b.KgCO2e.Cmp(a.KgCO2e) })
	total := inTonnes(d.Result.Total)
	text := fmt.Sprintf("%s, the event caused %s %s of CO₂ equivalent, between %s and %s %[3]s given the known uncertainties.", boundaryOf(d), total.Value, total.Unit, total.Low, total.High)
	if len(types) > 0 && !d.Result.Total.KgCO2e.IsZero() {
		text += fmt.Sprintf(" The largest source is %s with %s of the total", strings.ToLower(name(types[0].Type)), percent(types[0].KgCO2e, d.Result.Total.KgCO2e))
		if len(types) > 1 {
			text += fmt.Sprintf(", followed by %s with %s", strings.ToLower(name(types[1].Type)), percent(types[1].KgCO2e, d.Result.Total.KgCO2e))
		}
		text += "."
	}
	return text + " Only records that were reviewed and approved are counted." + notCounted(d.NotCounted)
}

// boundaryOf says what the headline figure covers.
func boundaryOf(d Data) string {
	var p page
	p.boundary(d)
	var excluded []string
	for _, x := range p.Excluded {
		excluded = append(excluded, strings.ToLower(x.Type))
	}
	switch {
	case len(p.Included) > 0 && len(excluded) > 0:
		return "Including " + listed(p.Included) + " and excluding " + listed(excluded)
	case len(p.Included) > 0:
		return "Including " + listed(p.Included)
	case len(excluded) > 0:
		return "Excluding " + listed(excluded)
	}
	return "For what was recorded, without a stated boundary"
}

func listed(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// notCounted says how many records are not in the figures, and why.
func notCounted(n *bundle.NotCounted) string {
	if n == nil {
		return ""
	}
	var parts []string
	for _, c := range []struct {
		count int64
		why   string
	}{{n.Waiting, "waiting for a decision"}, {n.ChangesRequested, "returned for changes"}, {n.Rejected, "rejected"}, {n.Unsubmitted, "not submitted"}} {
		if c.count > 0 {
			parts = append(parts, explain.Grouped(fmt.Sprint(c.count))+" "+c.why)
		}
	}
	if len(parts) == 0 {
		return " All records of the event are included."
	}
	return " Not counted: " + listed(parts) + "."
}

// signedBy says who signed off.
func signedBy(s *bundle.SignOff) string {
	who := s.By.Name
	if who == "" {
		who = s.By.ID
	}
	return fmt.Sprintf("%s (%s), %s, as edition %d", who, s.By.Role, minute(s.At), s.Edition)
}

// titleOf returns a record a line of its own words.
func titleOf(r bundle.Record) string {
	s := shownOf(r.Fields)
	var parts []string
	if s.From != "" {
		parts = append(parts, s.From+" → "+s.To)
	}
	if s.Meals == 0 {
		s.Diet = "" // of nothing
	}
	parts = append(parts, s.Name, s.Site, s.City)
	for _, id := range slices.Concat([]string{s.Material, s.Treatment, s.Source, s.Mode, s.Category, s.Diet, s.Kind, s.VenueType}, slices.Sorted(maps.Keys(s.Drinks)), slices.Sorted(maps.Keys(s.Servings))) {
		parts = append(parts, words(id))
	}
	parts = append(parts, s.Description, s.Group, s.Date)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// wayOf says which part of whose way a line is of.
func wayOf(l footprint.Leg) string {
	people := "people"
	if l.People == 1 {
		people = "person"
	}
	return fmt.Sprintf("%s, %s, %s: %s %s", l.Origin, words(l.Mode), l.Part, explain.Grouped(fmt.Sprint(l.People)), people)
}

// words writes an id as words.
func words(id string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(id) }

// name writes a type or group for people.
func name(s string) string {
	s = words(s)
	if s == footprint.GroupUnspecified {
		return "Not stated"
	}
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func yearOfRow(y *int) string {
	if y == nil {
		return "undated"
	}
	return fmt.Sprint(*y)
}

func valueOf(f bundle.Factor) string {
	v := f.KgCO2e.String()
	if f.WellToTank != nil {
		v += " + " + f.WellToTank.String() + " upstream"
	}
	return v
}

// bestBefore returns the day after which a newer figure should be looked for; empty
// where there is none. How long a supplier's factor is valid is in its detail.
func bestBefore(f bundle.Factor) string {
	if footprint.IsSupplierRow(f.ID) {
		return ""
	}
	return f.BestBefore
}

// pastBest says how many factors were past their best on a day (YYYY-MM-DD); empty
// where none was, or the day is not known.
func pastBest(factors []bundle.Factor, day string) string {
	past := 0
	for _, f := range factors {
		if best := bestBefore(f); best != "" && day != "" && best < day {
			past++
		}
	}
	if past == 0 {
		return ""
	}
	return fmt.Sprintf("When the event began, %d of these %d were past their “best before” date, after which a newer figure should be used if there is one.", past, len(factors))
}
