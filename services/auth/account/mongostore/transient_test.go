package mongostore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

// TestEveryWriteSurvivesATransientError makes each command by which a method writes
// fail once, before the server executed it and after: the method must succeed, and its
// write must exist once.
func TestEveryWriteSurvivesATransientError(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{AppName: "auth-test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	s := mongostore.New(client.Database(database))
	must(t, s.Prepare(t.Context()))
	ctx, now := t.Context(), time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	n := 0
	user := func(role identity.Role) account.User {
		n++
		id := fmt.Sprint("u", n)
		return account.User{ID: id, Org: "org", Email: id + "@x", EmailKey: id + "@x", Role: role, Rev: 1, Mark: "m", CreatedAt: now, UpdatedAt: now}
	}
	stored := func(role identity.Role) account.User {
		u := user(role)
		must(t, s.InsertUser(ctx, u))
		return u
	}
	session := func() account.Session {
		v := account.Session{ID: fmt.Sprint("s", n), User: stored(identity.User).ID, Org: "org", CreatedAt: now, LastUsedAt: now, Expires: now.Add(time.Hour), Rev: 1, Mark: "m"}
		return v
	}
	kept := func() account.Session {
		v := session()
		must(t, s.InsertSession(ctx, v))
		return v
	}
	hasRev := func(id string, rev int64) func() error {
		return func() error {
			got, err := s.User(ctx, "org", id)
			if err == nil && got.Rev != rev {
				err = fmt.Errorf("revision %d, want %d", got.Rev, rev)
			}
			return err
		}
	}
	stored(identity.Admin)
	for name, prepare := range map[string]func() (write, check func() error){
		"InsertUser": func() (write, check func() error) {
			u := user(identity.Admin)
			return func() error { return s.InsertUser(ctx, u) }, hasRev(u.ID, 1)
		},
		"ReplaceUser": func() (write, check func() error) {
			u := stored(identity.User)
			u.Rev, u.Role = 2, identity.Admin
			return func() error { return s.ReplaceUser(ctx, "org", u, 1) }, hasRev(u.ID, 2)
		},
		"ReplaceUser that ends an administrator": func() (write, check func() error) {
			u := stored(identity.Admin)
			u.Rev, u.Role = 2, identity.User
			return func() error { return s.ReplaceUser(ctx, "org", u, 1) }, hasRev(u.ID, 2)
		},
		"ClearUserMark": func() (write, check func() error) {
			u := stored(identity.User)
			return func() error { return s.ClearUserMark(ctx, "org", u.ID, "m") }, func() error {
				got, err := s.User(ctx, "org", u.ID)
				return without(got.Mark, err)
			}
		},
		"InsertSession": func() (write, check func() error) {
			v := session()
			return func() error { return s.InsertSession(ctx, v) }, func() error { _, err := s.Session(ctx, v.ID); return err }
		},
		"TouchSession": func() (write, check func() error) {
			v := kept()
			return func() error {
					return s.TouchSession(ctx, "org", v.ID, now.Add(time.Minute), account.Origin{Address: "a"})
				}, func() error {
					got, err := s.Session(ctx, v.ID)
					if err == nil && !got.LastUsedAt.Equal(now.Add(time.Minute)) {
						err = fmt.Errorf("last used at %v", got.LastUsedAt)
					}
					return err
				}
		},
		"EndSession": func() (write, check func() error) {
			v := kept()
			return func() error { return s.EndSession(ctx, "org", v.User, v.ID, now, "logout", "e") }, func() error {
				got, err := s.Session(ctx, v.ID)
				if err == nil && (got.Rev != 2 || got.EndedAt.IsZero() || got.Mark != "e") {
					err = fmt.Errorf("got %+v", got)
				}
				return err
			}
		},
		"ClearSessionMark": func() (write, check func() error) {
			v := kept()
			return func() error { return s.ClearSessionMark(ctx, "org", v.ID, "m") }, func() error {
				got, err := s.Session(ctx, v.ID)
				return without(got.Mark, err)
			}
		},
		"PurgeSessions": func() (write, check func() error) {
			v := session()
			v.Expires = now.Add(-time.Hour)
			must(t, s.InsertSession(ctx, v))
			return func() error { _, err := s.PurgeSessions(ctx, now); return err }, func() error {
				if _, err := s.Session(ctx, v.ID); err == nil {
					return fmt.Errorf("it is still there")
				}
				return nil
			}
		},
		"TakeInvitation": func() (write, check func() error) {
			n++
			org := fmt.Sprint("inviting", n)
			return func() error {
					taken, err := s.TakeInvitation(ctx, org, now, now.Add(-time.Hour), 1)
					if err == nil && !taken {
						err = fmt.Errorf("it was refused")
					}
					return err
				}, func() error {
					taken, err := s.TakeInvitation(ctx, org, now, now.Add(-time.Hour), 1)
					if err == nil && taken {
						err = fmt.Errorf("it was not counted")
					}
					return err
				}
		},
		"AppendAudit": func() (write, check func() error) {
			n++
			e := account.AuditEntry{Org: fmt.Sprint("audited", n), ID: fmt.Sprint("a", n), At: now, Action: "login"}
			return func() error { _, err := s.AppendAudit(ctx, e); return err }, func() error {
				_, total, err := s.AuditPage(ctx, e.Org, 0, 9)
				if err == nil && total != 1 {
					err = fmt.Errorf("%d entries, want 1", total)
				}
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) { testkit.EachWriteFails(t, between, prepare) })
	}
}

func without(mark string, err error) error {
	if err == nil && mark != "" {
		err = fmt.Errorf("mark %q", mark)
	}
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
