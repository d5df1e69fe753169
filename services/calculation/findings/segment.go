package findings

import (
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/compact"
	"github.com/eventcarbon/ecf/libs/footprint/originlist"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// Form is the version of the stored format of facts. It rises with any change of
// their contents, computation or encoding: facts in another format are
// recomputed.
const Form = 4

// Segment is the facts of records that are summed together, and what they hold under.
type Segment struct {
	// ContextRev and Engine are those of the contributions.
	ContextRev int64
	Engine     string
	// Hash is that of the inputs of all records; Inputs are those of each, in the order
	// of Facts.
	Hash   string
	Inputs []string
	Facts  []Fact
}

// maxSegment bounds the stored facts of a segment, in bytes. It has 512 records of some 150 bytes, and a few texts of
// some hundred characters each.
const maxSegment = 1 << 20

// Compact returns the form in which facts are stored; nil where they can't be.
func (s *Segment) Compact() []byte {
	c := compact.NewWriter()
	if s.compact(c); !c.OK() {
		return nil
	}
	if all := c.Bytes(); len(all) <= maxSegment {
		return all
	}
	return nil
}

// ReadSegment reads what Compact returned; ok is false where it is of another form. The
// texts of the facts are parts of it.
func ReadSegment(stored string) (s Segment, ok bool) {
	c := compact.NewReader(stored)
	s.compact(c)
	if !c.Ended() {
		return Segment{}, false
	}
	return s, true
}

// Under reads no more of what Compact returned than what the facts hold under.
func Under(stored string) (s Segment, ok bool) {
	c := compact.NewReader(stored)
	ok = s.under(c) && c.OK()
	return s, ok
}

func (s *Segment) under(c *compact.Coder) bool {
	form := int64(Form)
	if c.Int(&form); form != Form {
		return false
	}
	c.Int(&s.ContextRev)
	c.Raw(&s.Engine)
	c.Raw(&s.Hash)
	return true
}

func (s *Segment) compact(c *compact.Coder) {
	if !s.under(c) {
		return
	}
	records, deviations := len(s.Facts), 0
	for i := range s.Facts {
		deviations += len(s.Facts[i].Deviations)
	}
	records, deviations = c.Len(records), c.Len(deviations)
	if c.Reading() {
		s.Facts, s.Inputs = make([]Fact, records), make([]string, records)
	}
	var room []total.Deviation
	if c.Reading() {
		room = make([]total.Deviation, deviations)
	}
	for i := range s.Facts {
		c.Raw(&s.Inputs[i])
		s.Facts[i].compact(c, &room)
	}
}

// compact reads or writes a fact.
func (f *Fact) compact(c *compact.Coder, room *[]total.Deviation) {
	id := string(f.ID)
	c.Raw(&id)
	f.ID = record.ID(id)
	c.Text(&f.Type)
	c.Mass(&f.Mass)
	total.CompactDeviations(c, &f.Deviations, room)
	c.Group()
	f.CradleToGrave, f.RoundTrip = c.Has(f.CradleToGrave), c.Has(f.RoundTrip)
	if c.Has(f.same != "") {
		c.Raw(&f.same)
	}
	for _, text := range []*string{&f.Date, &f.Group, &f.From, &f.To, &f.Class, &f.Direction, &f.Site, &f.Source, &f.Material, &f.EndOfLife, &f.Category, &f.Mode, &f.VenueType} {
		if c.Has(*text != "") {
			c.Text(text)
		}
	}
	for _, n := range []*int64{&f.Respondents, &f.Population, &f.Passengers, &f.Trips, &f.Rooms, &f.Guests, &f.Nights, &f.Participants, &f.Vehicles, &f.There, &f.Back} {
		if c.Has(*n != 0) {
			c.Int(n)
		}
	}
	for _, d := range []**decimal.Decimal{&f.ElectricityKWh, &f.AnnualElectricityKWh, &f.GasKWh, &f.AnnualGasKWh, &f.HeatKWh, &f.FloorAreaM2,
		&f.DistanceKm, &f.WeightKg, &f.VolumeLitres, &f.EnergyKWh, &f.SupplyM3, &f.GeneratorKVA} {
		if c.Has(*d != nil) {
			if *d == nil {
				*d = new(decimal.Decimal)
			}
			c.Decimal(*d)
		}
	}
	if c.Has(f.Meals != nil) {
		if f.Meals == nil {
			f.Meals = new(int64)
		}
		c.Int(f.Meals)
	}
	if c.Has(len(f.Via) > 0) {
		n := c.Len(len(f.Via))
		if c.Reading() {
			f.Via = make([]string, n)
		}
		for i := range f.Via {
			c.Text(&f.Via[i])
		}
	}
	if c.Has(len(f.Ends) > 0) {
		n := c.Len(len(f.Ends))
		if c.Reading() {
			f.Ends = make([]Spot, n)
		}
		for i := range f.Ends {
			c.Int(&f.Ends[i].Latitude)
			c.Int(&f.Ends[i].Longitude)
		}
	}
	if c.Has(f.origins != nil) {
		if f.origins == nil {
			f.origins = &originlist.List{}
		}
		f.origins.Compact(c)
	}
	if c.Has(f.Supplier != nil) {
		if f.Supplier == nil {
			f.Supplier = &footprint.SupplierFactor{}
		}
		s := f.Supplier
		for _, text := range []*string{&s.Name, &s.ValidFrom, &s.ValidTo} {
			c.Text(text)
		}
		c.Int(&s.Version)
	}
}
