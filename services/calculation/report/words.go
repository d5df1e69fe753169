package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func (l *language) orUnsaid(n int64) string {
	if n == 0 {
		return l.text("not stated")
	}
	return l.count(n)
}

// intro is the report in a few sentences.
func (l *language) intro(d Data) string {
	types := slices.Clone(d.Result.ByType)
	slices.SortStableFunc(types, func(a, b total.TypePart) int { return b.KgCO2e.Cmp(a.KgCO2e) })
	text := l.headline(d)
	if len(types) > 0 && !d.Result.Total.KgCO2e.IsZero() {
		of := func(i int) (name, share string) {
			return l.inSentence(l.typeName(types[i].Type)), l.percent(types[i].KgCO2e, d.Result.Total.KgCO2e)
		}
		name, share := of(0)
		if len(types) > 1 {
			second, secondShare := of(1)
			text += " " + l.text("The largest source is %s with %s of the total, followed by %s with %s.", name, share, second, secondShare)
		} else {
			text += " " + l.text("All of it is from %s.", name)
		}
	}
	text += " " + l.text("Only records that were reviewed and approved are counted.")
	if left := l.notCounted(d.NotCounted); left != "" {
		text += " " + left
	}
	return text
}

// inSentence writes a name as it stands inside of a sentence.
func (l *language) inSentence(name string) string {
	if l.english() {
		return strings.ToLower(name)
	}
	return name
}

// headline is the sentence with the headline figure, and what it covers.
func (l *language) headline(d Data) string {
	var p page
	p.boundary(l, d)
	var left []string
	for _, x := range p.Excluded {
		left = append(left, l.inSentence(x.Type))
	}
	total, included, excluded := l.inTonnes(d.Result.Total), l.listed(p.Included), l.listed(left)
	format := "For what was recorded, without a stated boundary, the event caused %[1]s %[2]s of CO₂ equivalent, between %[3]s and %[4]s %[2]s given the known uncertainties."
	switch {
	case included != "" && excluded != "":
		format = "Including %[5]s and excluding %[6]s, the event caused %[1]s %[2]s of CO₂ equivalent, between %[3]s and %[4]s %[2]s given the known uncertainties."
	case included != "":
		format = "Including %[5]s, the event caused %[1]s %[2]s of CO₂ equivalent, between %[3]s and %[4]s %[2]s given the known uncertainties."
	case excluded != "":
		format = "Excluding %[6]s, the event caused %[1]s %[2]s of CO₂ equivalent, between %[3]s and %[4]s %[2]s given the known uncertainties."
	}
	return l.text(format, total.Value, total.Unit, total.Low, total.High, included, excluded)
}

// notCounted states how many records are not in the figures, and why.
func (l *language) notCounted(n *bundle.NotCounted) string {
	if n == nil {
		return ""
	}
	var parts []string
	for _, c := range []struct {
		count  int64
		format string
	}{{n.Waiting, "%s waiting for a decision"}, {n.ChangesRequested, "%s returned for changes"}, {n.Rejected, "%s rejected"}, {n.Unsubmitted, "%s not submitted"}} {
		if c.count > 0 {
			parts = append(parts, l.text(c.format, l.count(c.count)))
		}
	}
	if len(parts) == 0 {
		return l.text("All records of the event are included.")
	}
	return l.text("Not counted: %s.", l.listed(parts))
}

// signedBy names the person who signed off.
func (l *language) signedBy(s *bundle.SignOff) string {
	return l.text("%s, %s, as edition %d", l.person(s.By), l.minute(s.At), s.Edition)
}

// earlier says which edition was signed before, and its figure in the unit of the tables.
func (l *language) earlier(e *Earlier) string {
	said := l.text("Edition %d, of revision %d, signed off on %s", e.Edition, e.Revision, l.moment(e.SignedAt))
	if e.Total != nil {
		said += l.text("; it had %s kg", l.kg(*e.Total))
	}
	return said
}

// sinceWhen describes the period of the changes that led to a revision.
func (l *language) sinceWhen(e *Earlier, revision int64) string {
	switch {
	case e != nil && e.AllCauses:
		return l.text("The changes from edition %d to this revision.", e.Edition)
	case revision == 1:
		return l.text("The changes that led to the first revision.")
	}
	return l.text("The changes from the previous revision to this one.")
}

// translationOf names the documents of a signed edition that a page is a translation of; empty
// for the page that was signed, and if the event is not signed.
func (l *language) translationOf(s *bundle.SignOff) string {
	if s == nil || l.english() {
		return ""
	}
	return l.text("This page is a translation. The documents of the signed edition %d are the page in English and the JSON version.", s.Edition)
}

// person returns the name of a person with their role.
func (l *language) person(by record.Actor) string {
	who := by.Name
	if who == "" {
		who = by.ID
	}
	return fmt.Sprintf("%s (%s)", who, l.text(by.Role.String()))
}

// doneBy is what an action on records has done, in English.
var doneBy = map[string]string{
	string(record.Create): "Created", string(record.Edit): "Edited", string(record.Delete): "Deleted", string(record.Submit): "Submitted",
	string(record.Withdraw): "Withdrawn", string(record.Review): "Taken into review", string(record.Approve): "Approved",
	string(record.AutoApprove): "Approved by rule", string(record.RequestChanges): "Changes requested", string(record.Reject): "Rejected",
	string(record.Reopen): "Reopened",
}

// cause writes a cause of a revision. The comment is not in it: the page is for
// those outside too, and a comment is among colleagues.
func (l *language) cause(c resulttree.Cause) string {
	var text string
	switch c.Action {
	case resulttree.ActionUnknown:
		text = l.text("A change from before causes were kept")
	case resulttree.ActionOther:
		text = l.text("Further changes")
	case resulttree.ActionEngine:
		text = l.text("A new version of the calculation")
	case resulttree.ActionEvent:
		text = l.text("The event was changed")
	default:
		text = l.text(capital(strings.ReplaceAll(c.Action, "-", " ")))
		if done, known := doneBy[c.Action]; known && l.english() {
			text = done
		}
	}
	if len(c.Fields) > 0 {
		fields := slices.Clone(c.Fields)
		for i, f := range fields {
			fields[i] = l.text(f)
		}
		text += " (" + strings.Join(fields, ", ") + ")"
	}
	if c.Records > 0 {
		if c.Records == 1 {
			text += l.text(", 1 record change")
		} else {
			text += l.text(", %d record changes", c.Records)
		}
	}
	if c.By.Name != "" || c.By.ID != "" {
		text += l.text(", by %s", l.person(c.By))
	}
	if !c.At.IsZero() {
		text += l.text(" on %s", l.moment(c.At))
	}
	return text
}

// titleOf returns a record a line of its own words.
func (l *language) titleOf(r bundle.Record) string {
	s := shownOf(r.Fields)
	var parts []string
	if s.From != "" {
		parts = append(parts, s.From+" → "+s.To)
	}
	if s.Meals == 0 {
		s.Diet = "" // without meals
	}
	parts = append(parts, s.Name, s.Site, s.City)
	for _, v := range []struct{ field, value string }{{"material", s.Material}, {"treatment", s.Treatment}, {"source", s.Source}, {"mode", s.Mode},
		{"category", s.Category}, {"diet", s.Diet}, {"kind", s.Kind}, {"venueType", s.VenueType}} {
		parts = append(parts, l.value(v.field, v.value))
	}
	for _, id := range slices.Sorted(maps.Keys(s.Drinks)) {
		parts = append(parts, l.value("drinks", id))
	}
	for _, id := range slices.Sorted(maps.Keys(s.Servings)) {
		parts = append(parts, l.value("servings", id))
	}
	parts = append(parts, s.Description, l.value("group", s.Group), l.isoDate(s.Date))
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// wayOf describes the leg of a line: its part of the journey, and the people who travel.
func (l *language) wayOf(leg footprint.Leg) string {
	format := "%s, %s, %s: %s people"
	if leg.People == 1 {
		format = "%s, %s, %s: %s person"
	}
	return l.text(format, leg.Origin, l.value("mode", leg.Mode), l.text(leg.Part), l.count(leg.People))
}

func (l *language) yearOfRow(y *int) string {
	if y == nil {
		return l.text("undated")
	}
	return fmt.Sprint(*y)
}

func (l *language) valueOf(f bundle.Factor) string {
	v := l.number(explain.Grouped(f.KgCO2e.String()))
	if f.WellToTank != nil {
		return l.text("%s + %s upstream", v, l.number(explain.Grouped(f.WellToTank.String())))
	}
	return v
}

// described returns the activity of a factor with its detail; many rows of vehicles have none.
func described(f bundle.Factor) string {
	if f.Detail == "" {
		return f.Activity + "."
	}
	return f.Activity + ". " + f.Detail + "."
}

// cited names the publication of a factor, and its place there.
func cited(f bundle.Factor) string {
	c := factors.Cite(f.Source, f.SourceLocation)
	if place := c.Located(); place != "" {
		return c.Publication + "; " + place + "."
	}
	return c.Publication + "."
}

// bestBefore returns the day after which a newer figure should be used; empty if there is none. The validity of a
// supplier factor is in its detail.
func bestBefore(f bundle.Factor) string {
	if footprint.IsSupplierRow(f.ID) {
		return ""
	}
	return f.BestBefore
}

// pastBest states how many factors were out of date on a day (YYYY-MM-DD); empty if none
// was, or the day is not known.
func (l *language) pastBest(factors []bundle.Factor, day string) string {
	past := 0
	for _, f := range factors {
		if best := bestBefore(f); best != "" && day != "" && best < day {
			past++
		}
	}
	if past == 0 {
		return ""
	}
	return l.text("When the event began, %d of these %d were past their “best before” date, after which a newer figure should be used if there is one.", past, len(factors))
}
