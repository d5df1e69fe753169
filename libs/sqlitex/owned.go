package sqlitex

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/fairshare"
)

// Owned selects the rows of one owner, whom tables name in a column that has the same name in all of them. Which
// tables have it is read from the file, so that no table can be forgotten.
type Owned struct {
	// Column has the owner in the tables that have such a column.
	Column string
	// ByID are the tables whose id is the owner.
	ByID []string
	// Owner is the value.
	Owner string
}

// ownedTable is a table with rows of owners.
type ownedTable struct {
	name, column string
	// key identifies a row.
	key string
}

// Count returns the number of rows of the owner in each table that has any.
func (o Owned) Count(ctx context.Context, db *DB) (map[string]int64, error) {
	tables, err := o.tables(ctx, db)
	if err != nil {
		return nil, Wrap("count rows of one owner", err)
	}
	counts := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := db.readers.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+quoted(t.name)+` WHERE `+quoted(t.column)+` = ?`, o.Owner).Scan(&n); err != nil {
			return nil, Wrap("count rows of "+t.name, err)
		}
		if n > 0 {
			counts[t.name] = n
		}
	}
	return counts, nil
}

// ownedAtOnce is how many rows one transaction removes: so few that other writes, which wait for it, do not notice.
const ownedAtOnce = 200

// Remove removes the rows of the owner, those of the tables named first before all others, and returns their number in
// each table that had any. It uses many short transactions of low priority, so that it can be interrupted and
// repeated. Fragments of what it removes remain in unused space of the file until that is used again; a Copy has none.
func (o Owned) Remove(ctx context.Context, db *DB, first ...string) (map[string]int64, error) {
	tables, err := o.tables(ctx, db)
	if err != nil {
		return nil, Wrap("remove rows of one owner", err)
	}
	rank := func(t ownedTable) int {
		if at := slices.Index(first, t.name); at >= 0 {
			return at
		}
		return len(first)
	}
	slices.SortStableFunc(tables, func(a, b ownedTable) int { return rank(a) - rank(b) })
	removed := map[string]int64{}
	for _, t := range tables {
		for {
			n, err := o.removeSome(ctx, db, t)
			if err != nil {
				return removed, Wrap("remove rows of "+t.name, err)
			}
			if n == 0 {
				break
			}
			removed[t.name] += n
		}
	}
	return removed, nil
}

func (o Owned) removeSome(ctx context.Context, db *DB, t ownedTable) (n int64, err error) {
	err = db.Write(fairshare.LowPriority(ctx), func(ctx context.Context, tx Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM `+quoted(t.name)+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM `+quoted(t.name)+
			` WHERE `+quoted(t.column)+` = ? LIMIT ?)`, o.Owner, ownedAtOnce)
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// tables returns the tables that may have rows of the owner.
func (o Owned) tables(ctx context.Context, db *DB) ([]ownedTable, error) {
	type layout struct {
		name     string
		hasOwner bool
		keyed    bool // WITHOUT ROWID
	}
	all, err := List(ctx, db.readers, func(row Scanner) (l layout, err error) {
		return l, row.Scan(&l.name, &l.hasOwner, &l.keyed)
	}, `SELECT name, EXISTS (SELECT 1 FROM pragma_table_info(l.name) c WHERE c.name = ?), wr FROM pragma_table_list l
		WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`, o.Column)
	if err != nil {
		return nil, err
	}
	var tables []ownedTable
	for _, l := range all {
		t := ownedTable{name: l.name, column: o.Column, key: "rowid"}
		if slices.Contains(o.ByID, l.name) {
			t.column = "id"
		} else if !l.hasOwner {
			continue
		}
		if l.keyed {
			columns, err := List(ctx, db.readers, func(row Scanner) (name string, err error) { return name, row.Scan(&name) },
				`SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`, l.name)
			if err != nil {
				return nil, err
			}
			if len(columns) == 0 {
				return nil, fmt.Errorf("%s has no key", l.name)
			}
			for i, c := range columns {
				columns[i] = quoted(c)
			}
			t.key = strings.Join(columns, ", ")
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// quoted returns a name as SQL has it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
