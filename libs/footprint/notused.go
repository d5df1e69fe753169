package footprint

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// probe is a number, a flag or a choice of an input that can affect the figure.
type probe struct {
	name  string
	index []int // of the field in the struct of the input
	// values are the allowed ones of a choice.
	values []string
	// always marks a field that every record has.
	always bool
}

var (
	number = reflect.TypeFor[*decimal.Decimal]()
	flag   = reflect.TypeFor[*bool]()
)

// probesOf returns the probes of the record types. The fields that every type has are none: they concern quality, or
// have rules of their own.
var probesOf = sync.OnceValue(func() map[string][]probe {
	set, _ := factors.ForStart("")
	out := map[string][]probe{}
	for _, t := range registry() {
		r, shape := fields.Describe()
		of := reflect.TypeOf(t.decode(&decoder{Reader: r, engine: engines()[set.ID]})).Elem()
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := slices.IndexFunc(shape.Properties, func(p fields.Property) bool { return p.Name == name })
			if f.Anonymous || at < 0 || slices.Contains(t.doc.informative, name) {
				continue
			}
			p := probe{name: name, index: f.Index, values: shape.Properties[at].Enum, always: slices.Contains(shape.Required, name)}
			if f.Type == number || f.Type == flag || f.Type.Kind() == reflect.Int64 || f.Type.Kind() == reflect.String && len(p.values) > 0 {
				out[t.name] = append(out[t.name], p)
			}
		}
	}
	return out
})

// countsAs reports whether two evaluations count the same: their lines are equal but for texts and quantities, and so
// are the figures beside the lines.
func (e *Evaluation) countsAs(o *Evaluation) bool {
	if e.Biogenic != o.Biogenic || (e.Market == nil) != (o.Market == nil) || e.Market != nil && *e.Market != *o.Market {
		return false
	}
	return slices.EqualFunc(e.Lines, o.Lines, func(a, b Line) bool {
		return a.FactorID == b.FactorID && a.KgPerUnit == b.KgPerUnit && a.Mass == b.Mass && a.Low == b.Low && a.High == b.High &&
			a.Scope == b.Scope && a.Category == b.Category && a.Quality == b.Quality && a.GSD2 == b.GSD2
	})
}

// calculations are those of changed inputs: every write needs one, and their lines are used again.
var calculations = sync.Pool{New: func() any { return &calculation{quiet: true} }}

// unusedInputs returns a notice for each number, flag and choice of the body that does not affect the figure: neither
// its absence nor another value changes what the record counts. This covers combinations of inputs for which a
// type has no notice of its own. The notices are about the body and stored with the record; they are not part of its
// evaluation, which an engine determines.
func (d *decoder) unusedInputs(t *recordType, in any, ev *Evaluation) []Notice {
	stated := func(p probe) bool { return !p.always && d.Has(p.name) }
	probes := probesOf()[t.name]
	if !slices.ContainsFunc(probes, stated) {
		return nil
	}
	if !slices.ContainsFunc(ev.Lines, func(l Line) bool { return !l.Mass.IsZero() }) {
		return nil // no input changes nothing
	}
	c := calculations.Get().(*calculation) //nolint:forcetypeassert // its New makes them
	defer calculations.Put(c)
	c.engine, c.ev = d.engine, d.ev
	s := sensitivity{t: t, in: in, input: reflect.ValueOf(in).Elem(), whole: ev, c: c}
	var out []Notice
	for _, p := range probes {
		if !stated(p) || s.affects(p) || names(ev.Notices, p.name) || names(d.notices, p.name) {
			continue
		}
		out = append(out, Notice{Code: NoticeInputNotUsed, Field: p.name})
	}
	if len(out) == 0 {
		return nil
	}
	var decide []string
	for _, p := range probes {
		if d.Has(p.name) && len(p.values) == 0 && s.affects(p) {
			decide = append(decide, p.name)
		}
	}
	for i := range out {
		out[i].Message = out[i].Field + " does not affect the figure of this record, and was not used."
		if len(decide) > 0 {
			out[i].Message = "The figure follows from " + strings.Join(decide, ", ") + "; " + out[i].Field + " was not used."
		}
	}
	return out
}

// names reports whether a notice is about a field.
func names(notices []Notice, field string) bool {
	return slices.ContainsFunc(notices, func(n Notice) bool { return n.Field == field || strings.HasPrefix(n.Message, field+" ") })
}

// sensitivity evaluates an input with one field changed.
type sensitivity struct {
	t     *recordType
	in    any
	input reflect.Value
	whole *Evaluation
	c     *calculation
}

// affects reports whether a field affects what the record counts, or would if there were more of everything: few people
// fill one car, however many it seats.
func (s *sensitivity) affects(p probe) bool {
	if s.matters(p) {
		return true
	}
	before := reflect.New(s.input.Type()).Elem()
	before.Set(s.input)
	defer s.input.Set(before)
	for _, p := range probesOf()[s.t.name] {
		if f := s.input.FieldByIndex(p.index); f.Kind() == reflect.Int64 {
			f.SetInt(f.Int() * 1009)
		}
	}
	more := &calculation{engine: s.c.engine, ev: s.c.ev, quiet: true}
	if s.t.calculate(s.in, more) != nil || more.finish() != nil {
		return false
	}
	return (&sensitivity{t: s.t, in: s.in, input: s.input, whole: &more.out, c: s.c}).matters(p)
}

// matters reports whether the absence of a field or another value changes what the record counts. A value that has no
// factor is one that matters. An input that needs the field together with another one cannot be without it. Of a
// zero nothing is lost.
func (s *sensitivity) matters(p probe) bool {
	f := s.input.FieldByIndex(p.index)
	var other bool
	switch f.Kind() {
	case reflect.Int64:
		before := f.Int()
		defer f.SetInt(before)
		if f.SetInt(before / 2); before == 1 {
			f.SetInt(2)
		}
		other = s.differs()
	case reflect.String:
		before := f.String()
		defer f.SetString(before)
		other = slices.ContainsFunc(p.values, func(v string) bool {
			f.SetString(v)
			return v != before && s.differs()
		})
	default:
		before := reflect.ValueOf(f.Interface())
		defer f.Set(before)
		switch v := f.Interface().(type) {
		case *decimal.Decimal:
			if v == nil || v.IsZero() {
				return true
			}
			f.Set(reflect.ValueOf(less(*v)))
		case *bool:
			if v == nil {
				return true
			}
			f.Set(reflect.ValueOf(new(!*v)))
		}
		other = s.differs()
	}
	if other {
		return true
	}
	// Absence comes last: what is assumed instead costs most to evaluate.
	f.SetZero()
	return s.t.calculate(s.in, s.c) == nil && s.c.finish() == nil && !s.whole.countsAs(&s.c.out)
}

// differs reports whether the input as changed counts differently, or has no factor.
func (s *sensitivity) differs() bool {
	return s.t.calculate(s.in, s.c) != nil || s.c.finish() != nil || !s.whole.countsAs(&s.c.out)
}

// less returns about half of a number, which is within every bound.
func less(v decimal.Decimal) *decimal.Decimal {
	out := decimal.New(5, v.Scale()+1)
	if half := v.Coefficient() / 2; half > 0 {
		out = decimal.New(half, v.Scale())
	}
	return &out
}
