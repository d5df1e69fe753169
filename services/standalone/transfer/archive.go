package transfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// InFile returns the stores in a database of the embedded engine, the format of backups of any
// engine.
func InFile(db *sqlitex.DB) Stores {
	return Stores{Records: recordsqlite.New(db), Results: resultsqlite.New(db), Accounts: accountsqlite.New(db)}
}

// RowsOf selects all rows of an organization in a database of the embedded engine.
func RowsOf(org string) sqlitex.Owned {
	return sqlitex.Owned{Column: "org", ByID: []string{"organizations"}, Owner: org}
}

// Archive copies the contents of a set of stores, while others write to them, into a new
// database of the embedded engine. The result is a state that the source could have had:
//
//   - An event is read again if it changed while it was read.
//   - If only its results changed, they may be of later records than those read; then the
//     records are marked, and the server that uses the archive recalculates the results from
//     its contents.
//   - An organization that is deleted meanwhile is omitted, or incomplete: then the audit log of the system has that
//     its deletion has begun, and the deletion can be completed in the copy.
//   - A response of an idempotency key that became final meanwhile is omitted: the request may
//     be repeated, which the key's seed makes safe.
//
// It uses no transaction and no snapshot of the engine, so it may take any time.
func Archive(ctx context.Context, db *sqlitex.DB, from Stores) error {
	answered, err := answeredKeys(ctx, from)
	if err != nil {
		return err
	}
	a := &archiver{copier: copier{to: InFile(db), started: time.Now()}, from: from, db: db, answered: answered}
	return walk(ctx, from, a)
}

// archiver is a copier whose source is in use.
type archiver struct {
	copier
	from     Stores
	db       *sqlitex.DB
	answered map[string]bool
}

// failed omits an organization that is being deleted meanwhile.
func (a *archiver) failed(ctx context.Context, org record.OrgID, failure error) error {
	_, err := a.from.Records.Organization(ctx, org)
	if !errors.Is(err, record.ErrNotFound) {
		return failure
	}
	_, err = RowsOf(string(org)).Remove(ctx, a.db)
	return err
}

// readings bounds how often an event is read again because it changed.
const readings = 20

// capture implements visitor.
func (a *archiver) capture(ctx context.Context, e record.Event, read func(record.Event) error) error {
	for range readings {
		before, err := a.versions(ctx, e.Org, e.ID)
		if err != nil {
			return err
		}
		if e, err = a.from.Records.EventContext(ctx, e.Org, e.ID); err != nil {
			return err
		}
		if err := read(e); err != nil {
			return err
		}
		now, err := a.from.Records.EventContext(ctx, e.Org, e.ID)
		if err != nil {
			return err
		}
		after, err := a.versions(ctx, e.Org, e.ID)
		if err != nil {
			return err
		}
		switch {
		case now.Rev == e.Rev && before == after:
			return nil
		case now.Rev == e.Rev:
			return a.markAll(ctx, e)
		}
		if err := a.forget(ctx, e); err != nil {
			return err
		}
	}
	return fmt.Errorf("event %s was changed each of the %d times it was read", e.ID, readings)
}

// versions sums the versions of what makes up the result of an event. Each increases with every
// write, so equal sums mean the same state.
func (a *archiver) versions(ctx context.Context, org record.OrgID, event record.EventID) (sum int64, err error) {
	for level := 0; level <= resulttree.TopLevel; level++ {
		nodes, err := a.from.Results.Nodes(ctx, org, event, "", level, 0, math.MaxInt64)
		if err != nil {
			return 0, err
		}
		for _, n := range nodes {
			sum += n.Version
		}
	}
	r, err := a.from.Results.Result(ctx, org, event)
	if errors.Is(err, resulttree.ErrNotFound) {
		return sum, nil
	}
	return sum + r.Version, err
}

// markAll marks the first record of each segment, deleted or not, so that every node of the
// event is recalculated.
func (a *archiver) markAll(ctx context.Context, e record.Event) error {
	mark := record.NewMark(a.started)
	return a.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE records SET mark = ? WHERE org = ? AND event = ? AND mark = '' AND (seq - 1) % ? = 0`,
			mark, e.Org, e.ID, resulttree.Fanout)
		return err
	})
}

// forget removes an event and all that belongs to it.
func (a *archiver) forget(ctx context.Context, e record.Event) error {
	return a.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		for _, statement := range []string{
			`DELETE FROM records WHERE org = ? AND event = ?`, `DELETE FROM history WHERE org = ? AND event = ?`,
			`DELETE FROM event_history WHERE org = ? AND event = ?`, `DELETE FROM events WHERE org = ? AND id = ?`,
			`DELETE FROM list_counts WHERE org = ? AND event = ?`, `DELETE FROM list_sets WHERE org = ? AND event = ?`,
			`DELETE FROM result_nodes WHERE org = ? AND event = ?`, `DELETE FROM result_node_details WHERE org = ? AND event = ?`,
			`DELETE FROM result_facts WHERE org = ? AND event = ?`,
			`DELETE FROM result_changes WHERE org = ? AND event = ?`, `DELETE FROM results WHERE org = ? AND event = ?`,
			`DELETE FROM result_revisions WHERE org = ? AND event = ?`, `DELETE FROM result_parts WHERE org = ? AND event = ?`,
		} {
			if _, err := tx.ExecContext(ctx, statement, e.Org, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *archiver) key(ctx context.Context, org record.OrgID, k record.KeyEntry) error {
	if !a.answered[k.ID] {
		k.Answer = nil
	}
	return a.copier.key(ctx, org, k)
}

// answeredKeys returns the ids of the keys with final responses: what these report is stored.
func answeredKeys(ctx context.Context, from Stores) (map[string]bool, error) {
	answered := map[string]bool{}
	return answered, organizations(ctx, from, func(org record.OrgID) error {
		return pages(func(after string) ([]record.KeyEntry, error) { return from.Records.KeysAfter(ctx, org, after, atOnce) },
			func(k record.KeyEntry) string { return k.ID },
			func(k record.KeyEntry) error {
				if k.Answer != nil {
					answered[k.ID] = true
				}
				return nil
			})
	})
}
