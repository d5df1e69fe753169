package recordtest

import (
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func someOrganization(id record.OrgID) record.Organization {
	return record.Organization{
		ID: id, Name: "Acme", Plan: "team", CreatedAt: start, Rev: 1, Policy: record.Policy{FourEyes: true, AutoApprove: record.AutoApproval{
			BelowKg: decimal.New(1250, 2), SpotCheckOneIn: 20, By: record.Actor{ID: "u1", Name: "Ada", Role: identity.Admin},
		}},
	}
}

func organizationTests() []test {
	return []test{
		{"an organization is read as it was stored", func(b *bench) {
			want := someOrganization(acme)
			b.must(b.InsertOrganization(b.Context(), want))
			got, err := b.Organization(b.Context(), acme)
			b.must(err)
			equal(b, "organization", got, want)
		}},
		{"an organization's id is taken once", func(b *bench) {
			first := someOrganization(acme)
			b.must(b.InsertOrganization(b.Context(), first))
			second := first
			second.Name = "Impostor"
			b.want(record.ErrDuplicate, b.InsertOrganization(b.Context(), second))
			got, err := b.Organization(b.Context(), acme)
			b.must(err)
			equal(b, "organization", got, first)
		}},
		{"whatever is stored of an organization, it is found, be it there or not", func(b *bench) {
			b.must(b.InsertOrganization(b.Context(), someOrganization("d")))
			_, err := b.InsertEvent(b.Context(), "a", someEvent(gala), record.Unlimited)
			b.must(err)
			b.must(b.InsertEventEntry(b.Context(), "b", gala, record.EventEntry{Rev: 1}))
			stray := draft(flights, "r1")
			stray.Org = "c"
			_, err = b.InsertRecord(b.Context(), "c", stray)
			b.must(err)
			b.must(b.InsertEntry(b.Context(), "e", gala, "r1", someEntry(1, "more")))
			b.must(b.InsertSupplierFactor(b.Context(), "f", someSupplierFactor("f1", "Green Power", 1)))
			b.must(b.InsertPolicies(b.Context(), "g", []record.PolicyEntry{{Rev: 1}}))
			found := ""
			for at := record.OrgID(""); len(found) < 20; {
				at, err = b.TenantAfter(b.Context(), at)
				b.must(err)
				if at == "" {
					break
				}
				found += string(at)
			}
			equal(b, "organizations", found, "abcdefg")
		}},
		{"organizations are listed by id, some at a time", func(b *bench) {
			for _, id := range []record.OrgID{"org-c", "org-a", "org-b"} {
				b.must(b.InsertOrganization(b.Context(), someOrganization(id)))
			}
			first, err := b.OrganizationIDs(b.Context(), "", 2)
			b.must(err)
			equal(b, "first", first, []record.OrgID{"org-a", "org-b"})
			rest, err := b.OrganizationIDs(b.Context(), first[1], 2)
			b.must(err)
			equal(b, "rest", rest, []record.OrgID{"org-c"})
		}},
		{"an organization that does not exist is not found", func(b *bench) {
			b.must(b.InsertOrganization(b.Context(), someOrganization(acme)))
			_, err := b.Organization(b.Context(), other)
			b.want(record.ErrNotFound, err)
		}},
		{"an organization is replaced at the revision given only", func(b *bench) {
			o := someOrganization(acme)
			b.must(b.InsertOrganization(b.Context(), o))
			changed := record.Organization{ID: acme, Name: "Acme & Söhne", Plan: "free", CreatedAt: start.Add(time.Hour), Rev: 2}
			b.want(record.ErrConflict, b.ReplaceOrganization(b.Context(), record.Organization{ID: acme, Rev: 3}, 2))
			b.must(b.ReplaceOrganization(b.Context(), changed, 1))
			b.want(record.ErrConflict, b.ReplaceOrganization(b.Context(), record.Organization{ID: acme, Rev: 2}, 1))
			got, err := b.Organization(b.Context(), acme)
			b.must(err)
			equal(b, "organization", got, changed)
		}},
		{"an organization that does not exist is not made by replacing it", func(b *bench) {
			b.want(record.ErrConflict, b.ReplaceOrganization(b.Context(), record.Organization{ID: acme, Rev: 1}, 0))
			_, err := b.Organization(b.Context(), acme)
			b.want(record.ErrNotFound, err)
		}},
		{"an organization's new revision must follow the old one", func(b *bench) {
			o := someOrganization(acme)
			b.must(b.InsertOrganization(b.Context(), o))
			for _, rev := range []int64{1, 3} {
				changed := o
				changed.Name, changed.Rev = "Other", rev
				b.wantFailure(b.ReplaceOrganization(b.Context(), changed, 1))
			}
			got, err := b.Organization(b.Context(), acme)
			b.must(err)
			equal(b, "organization", got, o)
		}},
	}
}
