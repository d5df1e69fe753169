package e2e

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// auditVerify runs `ecf audit verify` as a process beside the server and gives
// what it prints and its exit code.
func (s *system) auditVerify(t *testing.T) (printed string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testkit.Binary(t, "services/standalone/cmd/ecf"), "audit", "verify")
	cmd.Env = []string{"ECF_DATA_DIR=" + s.settings.DataDir}
	if s.settings.MongoURI != "" {
		cmd.Env = append(cmd.Env, "ECF_MONGODB_URI="+s.settings.MongoURI, "ECF_MONGODB_AUTH_URI="+s.settings.MongoAuthURI, "ECF_REDIS_URL="+s.settings.RedisURL)
	}
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return string(out), failed.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// damage changes the database of a running system behind its back: by one
// statement on the embedded engine, by one change of the histories on MongoDB.
func (s *system) damage(t *testing.T, statement string, change func(histories histories) error) {
	t.Helper()
	if s.settings.MongoURI == "" {
		db, err := sqlitex.Open(t.Context(), filepath.Join(s.settings.DataDir, standalone.DatabaseFile))
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		return
	}
	client, err := mongox.Connect(s.settings.MongoURI, mongox.Options{AppName: "damage"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) }()
	all := client.Database(mongox.DatabaseName(s.settings.MongoURI, "")).Collection("history")
	if err := change(histories{
		set: func(filter, set bson.D) error {
			_, err := all.UpdateOne(t.Context(), filter, bson.D{{Key: "$set", Value: set}})
			return err
		},
		drop: func(filter bson.D) error {
			_, err := all.DeleteOne(t.Context(), filter)
			return err
		},
	}); err != nil {
		t.Fatal(err)
	}
}

type histories struct {
	set  func(filter, set bson.D) error
	drop func(filter bson.D) error
}

// `ecf audit verify` beside a running server: whole histories are said to be,
// and of what was changed or taken away it names organization, event, record and
// revision, and fails.
func TestAuditVerifyFindsChangedAndMissingEntries(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Audited", "country": "GB"}).want(http.StatusCreated).str("_id")
		id := approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 10})
		gone := user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 20}).want(http.StatusCreated).str("_id")
		user.do(http.MethodDelete, "/events/"+event+"/waste/"+gone, nil, nil).want(http.StatusOK)
		whole := s.org + ": 2 records with 5 history entries, whole\n"
		if out, code := s.auditVerify(t); code != 0 || !strings.Contains(out, whole) {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		of := s.org + ": event " + event + ", waste, record "
		s.damage(t, "UPDATE history SET entry = replace(entry, '\"move\":\"submit\"', '\"move\":\"review\"') WHERE rev = 2",
			func(all histories) error {
				return all.set(bson.D{{Key: "rev", Value: 2}}, bson.D{{Key: "move", Value: "review"}})
			})
		if out, code := s.auditVerify(t); code == 0 || !strings.Contains(out, of+id+": revision 2 was changed\n") || !strings.Contains(out, ", 1 faults\n") {
			t.Errorf("changed: exit code %d\n%s", code, out)
		}
		s.damage(t, "DELETE FROM history WHERE record = '"+gone+"'",
			func(all histories) error { return all.drop(bson.D{{Key: "record", Value: gone}}) })
		if out, code := s.auditVerify(t); code == 0 || !strings.Contains(out, of+gone+": revision 1 is missing\n") || !strings.Contains(out, of+id) {
			t.Errorf("missing: exit code %d\n%s", code, out)
		}
	})
}
