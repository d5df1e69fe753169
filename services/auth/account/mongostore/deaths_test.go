package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

// TestADeathBetweenTwoCommandsIsRepaired lets a process die after each command of the
// operations that need several documents: the audit log stays one chain with a head, and an
// organization keeps an admin, and no more than its last one.
func TestADeathBetweenTwoCommandsIsRepaired(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	connect := func(uri string) *mongo.Database {
		client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test"})
		must(t, err)
		t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
		return client.Database(name)
	}
	dying, next := mongostore.New(connect(through)), mongostore.New(connect(uri))
	ctx, now, n := t.Context(), time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC), 0
	must(t, next.Prepare(ctx))
	admin := func(org, id string) account.User {
		u := account.User{ID: id, Org: org, EmailKey: id + "@x", Role: identity.Admin, Rev: 1}
		must(t, next.InsertUser(ctx, u))
		return u
	}
	demote := func(s *mongostore.Store, u account.User) error {
		now, err := next.User(ctx, u.Org, u.ID)
		if err != nil {
			return err
		}
		rev := now.Rev
		now.Role, now.Rev = identity.User, rev+1
		return s.ReplaceUser(ctx, u.Org, now, rev)
	}
	admins := func(of ...account.User) (left int) {
		for _, u := range of {
			now, err := next.User(ctx, u.Org, u.ID)
			must(t, err)
			if now.CountsAsAdmin() {
				left++
			}
		}
		return left
	}
	for name, prepare := range map[string]func() (operation, check func() error){
		"an entry of the audit log": func() (operation, check func() error) {
			n++
			org, id := fmt.Sprint("audited", n), fmt.Sprint("a", n)
			_, err := next.AppendAudit(ctx, account.AuditEntry{Org: org, ID: id + "-1", At: now, Action: "login"})
			must(t, err)
			second := account.AuditEntry{Org: org, ID: id + "-2", At: now, Action: "login"}
			return func() error { _, err := dying.AppendAudit(ctx, second); return err }, func() error {
				for _, e := range []account.AuditEntry{second, {Org: org, ID: id + "-3", At: now, Action: "login"}} {
					if _, err := next.AppendAudit(ctx, e); err != nil {
						return err
					}
				}
				heads, err := next.AuditHeads(ctx)
				must(t, err)
				for _, head := range heads {
					if head.Org != org {
						continue
					}
					entries, err := next.AuditAfter(ctx, org, 0, 9)
					must(t, err)
					v := account.NewAuditVerifier(head)
					if err := errors.Join(v.Walk(entries), v.End()); err != nil || len(entries) != 3 || head.Seq != 3 {
						return fmt.Errorf("%d entries, head %d: %w", len(entries), head.Seq, err)
					}
					return nil
				}
				return errors.New("the chain has no head")
			}
		},
		"a demotion": func() (operation, check func() error) {
			n++
			org := fmt.Sprint("governed", n)
			a, b := admin(org, fmt.Sprint("x", n)), admin(org, fmt.Sprint("y", n))
			return func() error { return demote(dying, a) }, func() error {
				// Whatever became of it, both are demoted now, and one of the two remains.
				for _, u := range []account.User{b, a} {
					if err := demote(next, u); err != nil && !errors.Is(err, account.ErrLastAdmin) {
						return err
					}
				}
				if left := admins(a, b); left != 1 {
					return fmt.Errorf("%d admins are left, want 1", left)
				}
				return nil
			}
		},
		"a promotion": func() (operation, check func() error) {
			n++
			org := fmt.Sprint("promoting", n)
			a := admin(org, fmt.Sprint("p", n))
			b := account.User{ID: fmt.Sprint("q", n), Org: org, EmailKey: fmt.Sprint("q", n), Role: identity.User, Rev: 1}
			must(t, next.InsertUser(ctx, b))
			return func() error {
					promoted := b
					promoted.Role, promoted.Rev = identity.Admin, 2
					return dying.ReplaceUser(ctx, org, promoted, 1)
				}, func() error {
					before := admins(b)
					err := demote(next, a)
					if left := admins(a, b); left != 1 || before == 1 && err != nil {
						return fmt.Errorf("%d admins are left, want 1: %w", left, err)
					}
					return nil
				}
		},
	} {
		t.Run(name, func(t *testing.T) { testkit.EachCommandIsTheLast(t, between, prepare) })
	}
}
