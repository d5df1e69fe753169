package sqlitex

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestConnectionsShareNoPageCache: the page caches of connections are not in the group that
// has one lock for all of them.
func TestConnectionsShareNoPageCache(t *testing.T) {
	t.Parallel()
	openForCheckpoints(t, 10)
	if pcache.FseparateCache == 0 {
		t.Error("caches are made in one group")
	}
	if n := pcache.Fgrp.FnMaxPage; n != 0 {
		t.Errorf("there is room for %d pages in the common cache", n)
	}
}

// openForCheckpoints opens a file and makes a number of commits of several pages each.
func openForCheckpoints(t *testing.T, commits int, components ...Component) *DB {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), append(components,
		Component{Name: "pages", Steps: []Step{Statements(1, "CREATE TABLE pages (n INTEGER PRIMARY KEY, content BLOB)")}})...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for range commits {
		err := db.Write(t.Context(), func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO pages (content) VALUES (randomblob(400000))")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestTheLogIsWrittenIntoTheFile: the log of many commits is checkpointed outside of commits, and restarts.
func TestTheLogIsWrittenIntoTheFile(t *testing.T) {
	t.Parallel()
	db := openForCheckpoints(t, 0)
	if db.checkpoints == nil {
		t.Skip("how much is in the log is not known here")
	}
	var pages int
	if err := db.writer.conn.QueryRowContext(t.Context(), "PRAGMA wal_autocheckpoint").Scan(&pages); err != nil || pages != checkpointMost {
		t.Fatalf("a commit writes the log into the file from %d pages on, %v", pages, err)
	}
	rows := 0
	write := func(bytes int) {
		t.Helper()
		err := db.Write(t.Context(), func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO pages (content) VALUES (randomblob(?))", bytes)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	for range 3 {
		for db.checkpoints.left() < checkpointAfter { // far fewer than a commit would do it for
			write(400_000)
		}
		testkit.Eventually(t, time.Minute, func() error {
			if n := db.checkpoints.left(); n > 0 {
				return fmt.Errorf("%d pages are not in the file", n)
			}
			return nil
		})
		// A completely checkpointed log restarts with the next commit.
		write(1)
		if header, _ := db.checkpoints.index.header(); header.pages() > checkpointAfter/2 {
			t.Errorf("%d pages are in the log", header.pages())
		}
	}
	var n int
	if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM pages").Scan(&n); err != nil || n != rows {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestALogThatIsKeptIsKept: where a file is set up never to be written into, it is not.
func TestALogThatIsKeptIsKept(t *testing.T) {
	t.Parallel()
	db := openForCheckpoints(t, 12, Component{Name: "kept", Steps: []Step{Statements(1, "PRAGMA wal_autocheckpoint = 0")}})
	if db.checkpoints != nil {
		t.Error("it is written into")
	}
}
