package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
)

// dumped are the stores, each with a function that returns all data at rest.
var dumped = map[string]func(t *testing.T) (account.Store, func() string){
	"SQLite": func(t *testing.T) (account.Store, func() string) {
		t.Helper()
		dir := t.TempDir()
		db, err := sqlitex.Open(t.Context(), filepath.Join(dir, "auth.db"), sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return sqlitestore.New(db), func() string {
			var disk strings.Builder
			for _, name := range []string{"auth.db", "auth.db-wal"} {
				content, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				disk.Write(content)
			}
			return disk.String()
		}
	},
	"MongoDB": func(t *testing.T) (account.Store, func() string) {
		t.Helper()
		uri, name := testkit.MongoDB(t)
		client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
		s := mongostore.New(client.Database(name))
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, func() string {
			collections, err := client.Database(name).ListCollectionNames(t.Context(), bson.D{})
			if err != nil {
				t.Fatal(err)
			}
			var disk strings.Builder
			for _, collection := range collections {
				cursor, err := client.Database(name).Collection(collection).Find(t.Context(), bson.D{})
				if err != nil {
					t.Fatal(err)
				}
				for cursor.Next(t.Context()) {
					disk.Write(cursor.Current) // strings are stored verbatim
				}
				if err := cursor.Err(); err != nil {
					t.Fatal(err)
				}
			}
			return disk.String()
		}
	},
}

// TestADumpOpensNothing verifies that a dump of the database and of Redis contains no
// usable token and no password, and that of Redis not even an email (statement 14).
func TestADumpOpensNothing(t *testing.T) {
	t.Parallel()
	for engine, open := range dumped {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			store, dump := open(t)
			opensNothing(t, store, dump)
		})
	}
}

func opensNothing(t *testing.T, store account.Store, dump func() string) {
	t.Helper()
	b := setup(t, store)
	b.follow()
	in := b.signIn("ada@example.com")
	b.want(b.refresh(in.refresh), http.StatusOK, "")
	b.want(b.login("ada@example.com", "not "+goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
	setupToken, err := b.service.ResetPassword(t.Context(), "o1", b.bob.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.secrets = append(b.secrets, setupToken)
	if !b.admits(in.access) { // it fills the copy in Redis
		t.Fatal("not admitted")
	}

	var redis strings.Builder
	keys, err := b.redis.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) < 3 {
		t.Fatalf("%d keys in Redis, %v", len(keys), err)
	}
	for _, key := range keys {
		kind, err := b.redis.Type(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		switch kind {
		case "string":
			value, err = b.redis.Get(t.Context(), key).Result()
		case "hash":
			value, err = b.redis.HGetAll(t.Context(), key).Result()
		case "list":
			value, err = b.redis.LRange(t.Context(), key, 0, -1).Result()
		default:
			t.Fatalf("%s is a %s, which this test does not read", key, kind)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&redis, key, value)
	}
	disk := dump()
	// The search finds what is there.
	sid, secret, _ := account.SplitToken(in.refresh)
	if !strings.Contains(disk, account.HashSecret(secret)) || !strings.Contains(redis.String(), sid) {
		t.Fatal("the session is in neither")
	}
	_, setupSecret, _ := account.SplitToken(setupToken)
	for what, text := range map[string]string{
		"refresh token": secret, "access token": in.access, "ID token": in.id, "setup token": setupSecret, "password": goodPass,
		"signature": in.access[strings.LastIndexByte(in.access, '.')+1:],
	} {
		if strings.Contains(disk, text) || strings.Contains(redis.String(), text) {
			t.Errorf("the %s is at rest", what)
		}
	}
	for what, text := range map[string]string{
		"an email": "@", "a hash of a secret": account.HashSecret(secret), "a hash of a password": "argon2",
	} {
		if strings.Contains(strings.ToLower(redis.String()), text) {
			t.Errorf("%s is in Redis:\n%s", what, redis.String())
		}
	}
	b.want(b.refresh(account.JoinToken(sid, account.HashSecret(secret))), http.StatusUnauthorized, "UNAUTHENTICATED")
}
