package standalone

import (
	"context"
	"maps"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// owned is what a database has of one organization, by table or collection.
type owned interface {
	// check returns an error unless remove is permitted.
	check(ctx context.Context) error
	count(ctx context.Context) (map[string]int64, error)
	remove(ctx context.Context) (map[string]int64, error)
}

// stoppers are the tables and collections that are removed first, because background work ends, or is not begun, when
// it finds them empty.
func stoppers() []string { return []string{"events", "imports"} }

// ownedRows are those of an embedded database.
type ownedRows struct {
	sqlitex.Owned
	db *sqlitex.DB
}

func rowsOf(db *sqlitex.DB) func(org string) []owned {
	return func(org string) []owned { return []owned{ownedRows{transfer.RowsOf(org), db}} }
}

func (o ownedRows) check(context.Context) error { return nil }

func (o ownedRows) count(ctx context.Context) (map[string]int64, error) { return o.Count(ctx, o.db) }

func (o ownedRows) remove(ctx context.Context) (map[string]int64, error) {
	return o.Remove(ctx, o.db, stoppers()...)
}

// ownedDocuments are those of a MongoDB database.
type ownedDocuments struct {
	mongox.Owned
	db *mongo.Database
}

func documentsOf(dbs ...*mongo.Database) func(org string) []owned {
	return func(org string) []owned {
		all := make([]owned, len(dbs))
		for i, db := range dbs {
			all[i] = ownedDocuments{mongox.Owned{Field: "org", ByID: []string{"organizations", "admins", "audit_heads"}, Owner: org}, db}
		}
		return all
	}
}

func (o ownedDocuments) check(ctx context.Context) error { return o.Check(ctx, o.db) }

func (o ownedDocuments) count(ctx context.Context) (map[string]int64, error) {
	return o.Count(ctx, o.db)
}

func (o ownedDocuments) remove(ctx context.Context) (map[string]int64, error) {
	return o.Remove(ctx, o.db, stoppers()...)
}

// ofAll adds what do returns for each database.
func ofAll(all []owned, do func(owned) (map[string]int64, error)) (map[string]int64, error) {
	sum := map[string]int64{}
	for _, one := range all {
		counts, err := do(one)
		add(sum, counts)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func add(sum, counts map[string]int64) {
	for name, n := range maps.All(counts) {
		sum[name] += n
	}
}
