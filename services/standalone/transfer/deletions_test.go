package transfer_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// An organization that is deleted while it is copied is not in the copy, and everything else is.
func TestArchiveOmitsAnOrganizationThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	db := newFile(t)
	s := sourceIn(t, db)
	must(t, s.Records.InsertOrganization(t.Context(), record.Organization{ID: "other", Name: "Other", Plan: "team", CreatedAt: now, Rev: 1}))
	live, deleted := s, false
	live.Records = &racing{s.Records, func() {
		deleted = true
		_, err := transfer.RowsOf(string(org)).Remove(t.Context(), db)
		must(t, err)
	}}
	archive := newFile(t)
	must(t, transfer.Archive(t.Context(), archive, live))
	if !deleted {
		t.Fatal("nobody deleted it")
	}
	if left, err := transfer.RowsOf(string(org)).Count(t.Context(), archive); err != nil || len(left) > 0 {
		t.Errorf("in the copy are %v, %v", left, err)
	}
	if _, err := transfer.InFile(archive).Records.Organization(t.Context(), "other"); err != nil {
		t.Errorf("the other organization: %v", err)
	}
}

// A person whose first organization was deleted is of the system, and is copied with the sessions, which end when the
// copy is restored.
func TestPersonsOfTheSystemAreCopied(t *testing.T) {
	t.Parallel()
	s := source(t)
	p := account.User{ID: "ada", Org: account.SystemOrg, Email: "ada@example.test", EmailKey: "ada@example.test", Role: identity.User, Left: true, Disabled: true, Epoch: 1, Rev: 2, CreatedAt: now, UpdatedAt: now}
	must(t, s.Accounts.InsertUser(t.Context(), p))
	m := account.User{ID: "ada-here", Org: string(org), Person: p.ID, Email: p.Email, Role: identity.User, Epoch: 1, Rev: 1, CreatedAt: now, UpdatedAt: now}
	m.EmailKey = m.StoredEmailKey()
	must(t, s.Accounts.InsertUser(t.Context(), m))
	must(t, s.Accounts.InsertSession(t.Context(), account.Session{ID: "s", User: p.ID, Org: p.Org, Epoch: 1, CreatedAt: now, Expires: now.Add(time.Hour), LastUsedAt: now, Rev: 1}))
	archive := newFile(t)
	must(t, transfer.Archive(t.Context(), archive, s))
	to := transfer.InFile(archive)
	if got, err := to.Accounts.Person(t.Context(), p.ID); err != nil || got != p {
		t.Errorf("%+v, %v, want %+v", got, err, p)
	}
	contents, err := transfer.ContentsOf(t.Context(), to)
	must(t, err)
	must(t, transfer.EndSessions(t.Context(), to, now, contents))
	if v, err := to.Accounts.Session(t.Context(), "s"); err != nil || v.EndedAt.IsZero() {
		t.Errorf("%+v, %v, want an ended session", v, err)
	}
	if after, err := transfer.ContentsOf(t.Context(), to); err != nil || after.Compare(contents) != nil {
		t.Errorf("%v, %v, among %q", after.Compare(contents), err, slices.Sorted(maps.Keys(contents)))
	}
}
