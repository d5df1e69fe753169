package recordtest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// someSupplierFactor returns a version with every field set.
func someSupplierFactor(id, name string, version int64) record.SupplierFactor {
	by := record.Actor{ID: "u1", Name: "Ann", Role: identity.User}
	uncertainty := decimal.New(15, 1)
	return record.SupplierFactor{
		SupplierFactor: footprint.SupplierFactor{ID: id, Name: name, Version: version, KgCO2ePerUnit: decimal.New(12345, 5), Unit: "kWh", Stage: "direct",
			Scope3Category: "1 Purchased goods and services", ValidFrom: "2025-01-01", ValidTo: "2026-12-31", Source: "Disclosure", Uncertainty: &uncertainty,
			Evidence: []footprint.Evidence{{Name: "a", URL: "https://example.org/a", SHA256: strings.Repeat("ab", 32)}}},
		Org: acme, Rev: 1, Status: record.SupplierProposed, CreatedBy: by, CreatedAt: start, EditedBy: by, UpdatedAt: start,
		History: []record.SupplierEntry{{Rev: 1, Action: "create", By: by, At: start, Comment: "Why.", Changed: []string{"unit"}, FourEyes: true, PolicyRev: 2}},
	}
}

func supplierTests() []test {
	return []test{
		{"a supplier factor is read as it was stored, and its id and version are taken once", func(b *bench) {
			want := someSupplierFactor("f1", "Green  Power", 1)
			b.must(b.InsertSupplierFactor(b.Context(), acme, want))
			got, err := b.SupplierFactor(b.Context(), acme, "f1")
			b.must(err)
			equal(b, "factor", got, want)
			b.want(record.ErrDuplicate, b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor("f1", "Other", 1)))
			b.want(record.ErrDuplicate, b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor("f2", "green power", 1)))
			b.must(b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor("f2", "green power", 2)))
			_, err = b.SupplierFactor(b.Context(), acme, "f3")
			b.want(record.ErrNotFound, err)
		}},
		{"a supplier factor of one tenant is nobody else's", func(b *bench) {
			f := someSupplierFactor("f1", "Power", 1)
			b.must(b.InsertSupplierFactor(b.Context(), acme, f))
			_, err := b.SupplierFactor(b.Context(), other, "f1")
			b.want(record.ErrNotFound, err)
			f.Rev = 2
			b.want(record.ErrConflict, b.ReplaceSupplierFactor(b.Context(), other, f, 1))
			page, total, err := b.SupplierFactorList(b.Context(), other, 0, 10)
			b.must(err)
			equal(b, "others", [2]int64{int64(len(page)), total}, [2]int64{})
			versions, err := b.SupplierFactorVersions(b.Context(), other, "power")
			b.must(err)
			all, err := b.StoredSupplierFactors(b.Context(), other, "", 10)
			b.must(err)
			equal(b, "others", len(versions)+len(all), 0)
			mine := someSupplierFactor("g1", "Power", 1)
			mine.Org = other
			b.must(b.InsertSupplierFactor(b.Context(), other, mine))
		}},
		{"a supplier factor is replaced at the revision given only, and not once it is deleted", func(b *bench) {
			f := someSupplierFactor("f1", "Power", 1)
			b.must(b.InsertSupplierFactor(b.Context(), acme, f))
			f.Rev, f.Status, f.Source = 2, record.SupplierApproved, "Another"
			b.want(record.ErrConflict, b.ReplaceSupplierFactor(b.Context(), acme, f, 2))
			b.must(b.ReplaceSupplierFactor(b.Context(), acme, f, 1))
			b.want(record.ErrConflict, b.ReplaceSupplierFactor(b.Context(), acme, f, 1))
			got, err := b.SupplierFactor(b.Context(), acme, "f1")
			b.must(err)
			equal(b, "factor", got, f)
			f.Rev, f.Deleted = 3, true
			b.must(b.ReplaceSupplierFactor(b.Context(), acme, f, 2))
			_, err = b.SupplierFactor(b.Context(), acme, "f1")
			b.want(record.ErrNotFound, err)
			f.Rev, f.Deleted = 4, false
			b.want(record.ErrConflict, b.ReplaceSupplierFactor(b.Context(), acme, f, 3))
			// Its version remains used, and a copy of the whole has it.
			b.want(record.ErrDuplicate, b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor("f2", "Power", 1)))
			versions, err := b.SupplierFactorVersions(b.Context(), acme, "power")
			b.must(err)
			all, err := b.StoredSupplierFactors(b.Context(), acme, "", 10)
			b.must(err)
			equal(b, "kept", [2]int{len(versions), len(all)}, [2]int{1, 1})
		}},
		{"supplier factors are listed by name, the newest version first, and counted", func(b *bench) {
			for i, c := range []struct {
				name    string
				version int64
			}{{"Beta", 1}, {"alpha", 1}, {"Alpha", 2}, {"Beta", 2}, {"gamma", 1}} {
				b.must(b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor(fmt.Sprint("f", i), c.name, c.version)))
			}
			gone := someSupplierFactor("f4", "gamma", 1)
			gone.Rev, gone.Deleted = 2, true
			b.must(b.ReplaceSupplierFactor(b.Context(), acme, gone, 1))
			page, total, err := b.SupplierFactorList(b.Context(), acme, 1, 2)
			b.must(err)
			equal(b, "total", total, 4)
			equal(b, "page", references(page), []string{"alpha@1", "Beta@2"})
			page, _, err = b.SupplierFactorList(b.Context(), acme, 0, 0)
			b.must(err)
			equal(b, "none", len(page), 0)
			versions, err := b.SupplierFactorVersions(b.Context(), acme, "alpha")
			b.must(err)
			equal(b, "versions", references(versions), []string{"Alpha@2", "alpha@1"})
			after, err := b.StoredSupplierFactors(b.Context(), acme, "f1", 2)
			b.must(err)
			equal(b, "after", [2]string{after[0].Factor.Reference(), after[1].Factor.Reference()}, [2]string{"Alpha@2", "Beta@2"})
			equal(b, "their ids", [3]string{after[0].ID, after[1].ID, fmt.Sprint(len(after))}, [3]string{"f2", "f3", "2"})
		}},
		{"of many who create one version at once, one does", func(b *bench) {
			var wg sync.WaitGroup
			var made atomic.Int64
			for i := range 8 {
				store := b.another()
				wg.Go(func() {
					if store.InsertSupplierFactor(b.Context(), acme, someSupplierFactor(fmt.Sprint("f", i), "Power", 1)) == nil {
						made.Add(1)
					}
				})
			}
			wg.Wait()
			equal(b, "made", made.Load(), 1)
		}},
	}
}

func references(all []record.SupplierFactor) (out []string) {
	for _, f := range all {
		out = append(out, f.Reference())
	}
	return out
}
