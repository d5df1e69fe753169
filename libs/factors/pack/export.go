package pack

import (
	"strconv"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// Export writes a set as a pack of another name, complete by itself: the beginning of
// the next edition.
func Export(s *factors.Set, name string, release int) Document {
	d := Document{Format: Format, Name: name, Release: release, Title: "The rows of " + s.ID, Publisher: "unchanged copy of " + s.ID, Year: s.Year, StandIns: []string{}}
	for _, o := range s.StandIns() {
		d.StandIns = append(d.StandIns, o.ID)
	}
	b := excerpt{document: &d, keys: map[Source]string{}}
	for _, f := range s.Factors() {
		b.row(f)
	}
	for _, v := range s.Defaults() {
		b.fallback(v)
	}
	for _, p := range s.Scores() {
		d.Pedigree = append(d.Pedigree, Score(p))
	}
	return d
}

// Excerpt returns the pack of a set with only some of its own rows, and everything else unchanged. The signature is
// that of the whole pack. Rows that are not the pack's own are ignored.
func Excerpt(s *factors.Set, rows []factors.Factor) *Document {
	whole, ok := s.Pack.Document.(*Document)
	if !ok {
		return nil
	}
	d := *whole
	d.Sources, d.Rows, d.Defaults = []Source{}, []Row{}, nil
	keys := make(map[string]bool)
	for _, f := range rows {
		if f.Index < s.Pack.Rows {
			d.Rows = append(d.Rows, whole.Rows[f.Index])
			keys[whole.Rows[f.Index].Source] = true
		}
	}
	for _, v := range whole.Defaults {
		d.Defaults = append(d.Defaults, v)
		keys[v.Source] = true
	}
	for _, source := range whole.Sources {
		if keys[source.Key] {
			d.Sources = append(d.Sources, source)
		}
	}
	return &d
}

// excerpt writes rows of a set into a document.
type excerpt struct {
	document *Document
	keys     map[Source]string
}

func (b *excerpt) source(text, licence string) string {
	s := Source{Source: text, Licence: licence}
	if key, ok := b.keys[s]; ok {
		return key
	}
	key := "s" + strconv.Itoa(len(b.keys)+1)
	b.keys[s] = key
	s.Key = key
	b.document.Sources = append(b.document.Sources, s)
	return key
}

func (b *excerpt) row(f factors.Factor) {
	b.document.Rows = append(b.document.Rows, Row{ID: f.ID, Series: f.Series, Category: f.Category, Activity: f.Activity, Detail: f.Detail, Unit: f.Unit,
		Region: f.Region, Year: f.Year, KgCO2e: f.KgCO2e, CO2: figure(f.CO2), CH4: figure(f.CH4), N2O: figure(f.N2O), WellToTank: figure(f.WTT),
		BiogenicCO2: figure(f.BiogenicCO2), Low: figure(f.Low), High: figure(f.High), Fallback: f.Fallback,
		Source: b.source(f.Source, f.Licence), Location: f.SourceLocation})
}

func (b *excerpt) fallback(v factors.Default) {
	b.document.Defaults = append(b.document.Defaults, Default{ID: v.ID, Quantity: v.Quantity, Detail: v.Detail, Value: v.Value, Unit: v.Unit, Region: v.Region,
		Low: figure(v.Low), High: figure(v.High), Year: v.Year, Source: b.source(v.Source, v.Licence), Location: v.SourceLocation})
}

func figure(v factors.Value) *decimal.Decimal {
	if !v.Published {
		return nil
	}
	d := v.Decimal
	return &d
}
