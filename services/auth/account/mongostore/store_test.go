package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/accounttest"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

func open(t *testing.T) (*mongostore.Store, *mongo.Database) {
	t.Helper()
	uri, name := testkit.MongoDB(t)
	// Every filter names the organization (statement 18), except these: the look-up of
	// the organization at login; sessions and users of all organizations that must be
	// published or have expired; documents whose id is the organization; the heads of
	// all chains; and an entry that is already stored.
	monitor := testkit.TenantMonitor(t, "find users deleted,emailKey", "find users _id", "find users person", "find users org", "find sessions _id",
		"find users mark", "find sessions mark", "find sessions expires", "delete sessions _id,expires",
		"find admins _id", "update admins _id", "update admins _id,rev", "update audit_heads _id,seq",
		"find audit_heads ", "distinct audit ", "find audit _id")
	planned := testkit.IndexMonitor(t, mongostore.Indexes(),
		// The sessions of one user that have not been ended, which SurplusSessions limits.
		"aggregate sessions endedAt,expires,org,user", "find sessions endedAt,expires,org,user by createdAt,_id",
		"find sessions endedAt,lastUsedAt,org,user by lastUsedAt,_id",
		// The members of an organization, when its last known admin is about to go.
		"find users deleted,disabled,!left,org,role",
		// Those of one person, when a membership is dropped with its organization.
		"find sessions member,org,user",
		// A copy of an organization, for a backup.
		"find users _id,org by _id", "find sessions _id,org by _id")
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test", Monitor: testkit.Monitors(monitor, planned)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	s := mongostore.New(client.Database(name))
	for range 2 { // a second process prepares it as well
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s, client.Database(name)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	accounttest.Run(t, func(t *testing.T) account.Store {
		s, _ := open(t)
		return s
	})
}

// TestInterruptedDemotionIsFoundAgain simulates a process that died between removing an
// admin from the guard and writing the user, which leaves an admin that is not counted.
// It must be found if it is the last one, and its write, should it still arrive, must
// fail.
func TestInterruptedDemotionIsFoundAgain(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	admin := func(id string) account.User {
		u := account.User{ID: id, Org: "o1", EmailKey: id + "@x", Role: identity.Admin, Rev: 1}
		if err := s.InsertUser(ctx, u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	a, b := admin("a"), admin("b")
	if _, err := db.Collection("admins").UpdateOne(ctx, bson.D{{Key: "_id", Value: "o1"}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "admins", Value: bson.A{"b"}}, {Key: "gone", Value: bson.D{{Key: "a", Value: int64(2)}}}}}}); err != nil {
		t.Fatal(err)
	}
	b.Role, b.Rev = identity.User, 2
	if err := s.ReplaceUser(ctx, "o1", b, 1); err != nil {
		t.Fatalf("demote b though a is an admin: %v", err)
	}
	a.Role, a.Rev = identity.User, 2
	if err := s.ReplaceUser(ctx, "o1", a, 1); err == nil {
		t.Error("the interrupted write went through and left no admin")
	}
	left, err := s.User(ctx, "o1", "a")
	if err != nil || !left.CountsAsAdmin() {
		t.Errorf("a is %+v, %v", left, err)
	}
}

// TestCommandsPerOperation verifies that each operation sends a fixed number of
// commands, however many accounts there are.
func TestCommandsPerOperation(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	var commands atomic.Int64
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test", Monitor: &event.CommandMonitor{
		Started: func(context.Context, *event.CommandStartedEvent) { commands.Add(1) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	s := mongostore.New(client.Database(name))
	ctx := t.Context()
	if err := s.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range 10 {
		id := fmt.Sprint("u", i)
		if err := s.InsertUser(ctx, account.User{ID: id, Org: "o1", EmailKey: id, Role: identity.User, Rev: 1}); err != nil {
			t.Fatal(err)
		}
		if err := s.InsertSession(ctx, account.Session{ID: id, User: id, Org: "o1", Expires: at.Add(time.Hour), Rev: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what string
		n    int64
		do   func() error
	}{
		{"user by email", 1, func() error { _, err := s.UserByEmail(ctx, "u1"); return err }},
		{"user", 1, func() error { _, err := s.User(ctx, "o1", "u1"); return err }},
		{"session", 1, func() error { _, err := s.Session(ctx, "u1"); return err }},
		{"touch", 1, func() error { return s.TouchSession(ctx, "o1", "u1", at, account.Origin{}) }},
		{"end", 1, func() error { return s.EndSession(ctx, "o1", "u1", "u1", at, "x", "m") }},
		{"users page", 2, func() error { _, _, err := s.UsersPage(ctx, "o1", 0, 5); return err }},
		{"marks", 2, func() error {
			_, err := s.MarkedUsers(ctx, 100)
			_, err2 := s.MarkedSessions(ctx, 100)
			return errors.Join(err, err2)
		}},
		{"replace", 2, func() error {
			return s.ReplaceUser(ctx, "o1", account.User{ID: "u1", Org: "o1", Role: identity.User, Rev: 2}, 1)
		}},
	} {
		before := commands.Load()
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if n := commands.Load() - before; n != c.n {
			t.Errorf("%s took %d commands, want %d", c.what, n, c.n)
		}
	}
}

// TestTwoProcessesAppendToOneAuditChain verifies that the index alone keeps the chain
// linear when two processes append concurrently.
func TestTwoProcessesAppendToOneAuditChain(t *testing.T) {
	t.Parallel()
	one, db := open(t)
	two := mongostore.New(db)
	const each = 12
	var wg sync.WaitGroup
	for i, s := range []*mongostore.Store{one, two} {
		for k := range each {
			wg.Go(func() {
				if _, err := s.AppendAudit(t.Context(), account.AuditEntry{ID: fmt.Sprint(i, k), Org: "o1", Action: "login"}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	heads, err := one.AuditHeads(t.Context())
	if err != nil || len(heads) != 1 || heads[0].Seq != 2*each {
		t.Fatalf("heads %v, %v", heads, err)
	}
	entries, err := two.AuditAfter(t.Context(), "o1", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	v := account.NewAuditVerifier(heads[0])
	if err := errors.Join(v.Walk(entries), v.End()); err != nil || v.Last().Seq != 2*each {
		t.Errorf("%d entries, %v", v.Last().Seq, err)
	}
}

// TestTheHeadIsMovedPastASlowerProcess lets another process store the head of an earlier
// entry between the two commands of an append.
func TestTheHeadIsMovedPastASlowerProcess(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	connect := func(monitor *event.CommandMonitor) *mongo.Database {
		client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test", Monitor: monitor})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
		return client.Database(name)
	}
	heads := connect(nil).Collection("audit_heads")
	var faster sync.Once
	s := mongostore.New(connect(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		if in, _ := e.Command.Lookup("insert").StringValueOK(); in == "audit_heads" {
			faster.Do(func() {
				if _, err := heads.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "o1"}, {Key: "seq", Value: int64(0)}, {Key: "hash", Value: ""}}); err != nil {
					t.Error(err)
				}
			})
		}
	}}))
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendAudit(t.Context(), account.AuditEntry{ID: "e1", Org: "o1", Action: "login"}); err != nil {
		t.Fatal(err)
	}
	all, err := s.AuditHeads(t.Context())
	if err != nil || len(all) != 1 || all[0].Seq != 1 {
		t.Errorf("heads %v, %v; want one at entry 1", all, err)
	}
}
