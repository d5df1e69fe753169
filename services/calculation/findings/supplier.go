package findings

import (
	"cmp"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// SupplierUse is a version of a supplier's factor, and the records that use it.
type SupplierUse struct {
	Factor  *footprint.SupplierFactor
	Records []record.ID
}

// SupplierUses returns the factors of suppliers that the records of an event use,
// in the order of their names.
func SupplierUses(parts ...[]Fact) []SupplierUse {
	var facts []*Fact
	for _, part := range parts {
		for i := range part {
			if part[i].Supplier != nil {
				facts = append(facts, &part[i])
			}
		}
	}
	return usesOf(facts)
}

// usesOf is SupplierUses of facts that have a supplier's factor.
func usesOf(facts []*Fact) (out []SupplierUse) {
	for _, f := range facts {
		at, found := slices.BinarySearchFunc(out, f.Supplier, func(u SupplierUse, s *footprint.SupplierFactor) int {
			return cmp.Or(cmp.Compare(u.Factor.Name, s.Name), cmp.Compare(u.Factor.Version, s.Version))
		})
		if !found {
			out = slices.Insert(out, at, SupplierUse{Factor: f.Supplier})
		}
		out[at].Records = append(out[at].Records, f.ID)
	}
	return out
}

// WithdrawnFactor is the finding of records that use a version which was withdrawn
// from the library. The reason is a comment, which viewers and reports without names do not have.
func WithdrawnFactor(u SupplierUse) Finding {
	facts := make([]*Fact, len(u.Records))
	for i, id := range u.Records {
		facts[i] = &Fact{ID: id}
	}
	return finding(SupplierWithdrawn, Warning, facts, "%s was withdrawn from the library of supplier factors, whose history says why. The records keep it until they are changed.", u.Factor.Reference())
}

// expiredFactors finds supplier factors that are used outside their validity.
func expiredFactors(e Event, facts []*Fact) (out []Finding) {
	late := with(facts, func(f *Fact) bool { return f.Supplier != nil && !f.Supplier.ValidOn(cmp.Or(f.Date, e.Start)) })
	for _, u := range usesOf(late) {
		about := with(facts, func(f *Fact) bool { return slices.Contains(u.Records, f.ID) })
		out = append(out, finding(SupplierNotValid, Warning, about, "%s is valid %s, but the activity took place on another day. Use a version that is valid on that day.",
			u.Factor.Reference(), u.Factor.Validity()))
	}
	return out
}
