package sqlitestore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// pageSize is the largest page of the API.
const pageSize = 100

// BenchmarkPaging compares two ways to find a page of a list with an exact total, on lists of which a tenth is
// deleted: by numbers and sets of deleted ones, as the store does (ADR 0011), and by counting and skipping in a
// covering index. Each reads the revisions of the page's records, for its entity tag; reading the records is the same
// in both.
func BenchmarkPaging(b *testing.B) {
	for _, size := range []int64{5_000, 50_000, 500_000} {
		db, store := longList(b, size)
		live := size - size/10
		for _, page := range []struct {
			name string
			skip int64
		}{{"first", 0}, {"middle", live / 2}, {"last", live - pageSize}} {
			name := fmt.Sprintf("size=%d/page=%s", size, page.name)
			b.Run(name+"/way=numbers", func(b *testing.B) {
				for b.Loop() {
					span, err := store.RecordSpan(b.Context(), org, sub, page.skip, pageSize)
					if err != nil {
						b.Fatal(err)
					}
					got, err := store.RecordRevisions(b.Context(), org, sub, span.Low, span.High)
					if err != nil || len(got) != pageSize || span.Total != live {
						b.Fatal(len(got), span, err)
					}
				}
			})
			b.Run(name+"/way=skip", func(b *testing.B) {
				for b.Loop() {
					got, total, err := skipped(b.Context(), db, page.skip)
					if err != nil || got != pageSize || total != live {
						b.Fatal(got, total, err)
					}
				}
			})
		}
	}
}

// longList returns a store with one sub-collection of many records, every tenth
// of them deleted.
func longList(b *testing.B, size int64) (*sqlitex.DB, *sqlitestore.Store) {
	b.Helper()
	db, store := open(b, filepath.Join(b.TempDir(), "bench.db"))
	first := sample(sub, "r1")
	if _, err := store.InsertRecord(b.Context(), org, first); err != nil {
		b.Fatal(err)
	}
	err := db.Write(b.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		rows, err := db.Read().QueryContext(ctx, `SELECT name FROM pragma_table_info('records')`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		var into, from []string
		for rows.Next() {
			var column string
			if err := rows.Scan(&column); err != nil {
				return err
			}
			into = append(into, column)
			switch column {
			case "id", "ref_key":
				from = append(from, "'r' || n")
			case "seq":
				from = append(from, "n")
			case "deleted":
				from = append(from, "n % 10 = 0")
			default:
				from = append(from, column)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
			INSERT INTO records (`+strings.Join(into, ", ")+`) SELECT `+strings.Join(from, ", ")+` FROM numbers, records WHERE id = 'r1'`, size)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := store.RecordSpan(b.Context(), org, sub, 0, pageSize); err != nil { // creates the sets, once
		b.Fatal(err)
	}
	return db, store
}

// skipped reads a page and the total of its list by counting and skipping.
func skipped(ctx context.Context, db *sqlitex.DB, skip int64) (page int, total int64, err error) {
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM records INDEXED BY records_page
		WHERE org = ? AND event = ? AND type = ? AND deleted = 0`, org, sub.Event, sub.Type).Scan(&total); err != nil {
		return 0, 0, err
	}
	rows, err := db.QueryContext(ctx, `SELECT seq, rev, context_rev FROM records INDEXED BY records_page
		WHERE org = ? AND event = ? AND type = ? AND deleted = 0 ORDER BY seq DESC LIMIT ? OFFSET ?`, org, sub.Event, sub.Type, pageSize, skip)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r record.Revision
		if err := rows.Scan(&r.Number, &r.Rev, &r.ContextRev); err != nil {
			return 0, 0, err
		}
		page++
	}
	return page, total, rows.Err()
}
