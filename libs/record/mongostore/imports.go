package mongostore

import (
	"context"
	"encoding/json"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// importDoc is a record.Import. No query uses its body.
type importDoc struct {
	ID    string `bson:"_id"`
	Org   string `bson:"org"`
	Event string `bson:"event"`
	// CreatedAt and Hash are those of the body; older documents lack them.
	CreatedAt bson.DateTime `bson:"createdAt,omitempty"`
	Hash      string        `bson:"hash,omitempty"`

	State importState `bson:",inline"`
}

// importState holds the fields of an import that a replacement stores.
type importState struct {
	Rev  int64  `bson:"rev"`
	Open bool   `bson:"open"`
	Body string `bson:"body"`
}

func importStateOf(org record.OrgID, i record.Import) (importState, error) {
	i.Org = org
	body, err := json.Marshal(i)
	return importState{Rev: i.Rev, Open: i.Open(), Body: string(body)}, err
}

func importFromDoc(d importDoc) (i record.Import, err error) {
	err = json.Unmarshal([]byte(d.State.Body), &i)
	return i, err
}

// partDoc is a part of an import's file.
type partDoc struct {
	Org    string `bson:"org"`
	Import string `bson:"import"`
	N      int64  `bson:"n"`
	Part   []byte `bson:"part"`
}

// InsertImport implements record.Imports.
func (s *Store) InsertImport(ctx context.Context, org record.OrgID, i record.Import) error {
	state, err := importStateOf(org, i)
	if err != nil {
		return mongox.Wrap("insert import", err)
	}
	taken, err := insert(ctx, s.imports, importDoc{ID: i.ID, Org: string(org), Event: string(i.Event), CreatedAt: date(i.CreatedAt), Hash: i.Hash, State: state})
	if taken {
		return record.ErrDuplicate
	}
	return mongox.Wrap("insert import", err)
}

// Import implements record.Imports.
func (s *Store) Import(ctx context.Context, org record.OrgID, event record.EventID, id string) (record.Import, error) {
	return one(ctx, s.imports, "read import", bson.D{eq("_id", id), eq("org", org), eq("event", event)}, importFromDoc)
}

// ReplaceImport implements record.Imports.
func (s *Store) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prevRev int64) error {
	state, err := importStateOf(org, i)
	if err != nil {
		return mongox.Wrap("replace import", err)
	}
	matched, err := update(ctx, s.imports, bson.D{eq("_id", i.ID), eq("org", org), eq("event", i.Event), eq("rev", prevRev)}, state)
	return mustMatch("replace import", matched, err)
}

// PutImportPart implements record.Imports.
func (s *Store) PutImportPart(ctx context.Context, org record.OrgID, id string, n int64, part []byte) error {
	_, err := insert(ctx, s.parts, partDoc{Org: string(org), Import: id, N: n, Part: part})
	return mongox.Wrap("store import", err)
}

// ImportPart implements record.Imports.
func (s *Store) ImportPart(ctx context.Context, org record.OrgID, id string, n int64) ([]byte, error) {
	return one(ctx, s.parts, "read import", bson.D{eq("org", org), eq("import", id), eq("n", n)},
		func(d partDoc) ([]byte, error) { return d.Part, nil })
}

// DropImportParts implements record.Imports.
func (s *Store) DropImportParts(ctx context.Context, org record.OrgID, id string) error {
	if err := ctx.Err(); err != nil {
		return mongox.Wrap("drop import", err)
	}
	_, err := mongox.Purge(ctx, s.parts, bson.D{eq("org", org), eq("import", id)})
	return mongox.Wrap("drop import", err)
}

// OpenImports implements record.Imports.
func (s *Store) OpenImports(ctx context.Context, after string, limit int) ([]record.OpenImport, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.imports, "read open imports", bson.D{eq("open", true), above("_id", after)}, func(d importDoc) (record.OpenImport, error) {
		return record.OpenImport{Org: record.OrgID(d.Org), Event: record.EventID(d.Event), ID: d.ID}, nil
	}, options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)).SetProjection(only("_id", "org", "event")))
}

// EventImports implements record.Imports.
func (s *Store) EventImports(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) (page []record.Import, total int64, err error) {
	filter := bson.D{eq("org", org), eq("event", event)}
	if total, err = s.imports.CountDocuments(ctx, filter); err != nil || limit <= 0 {
		return nil, total, mongox.Wrap("count imports", err)
	}
	page, err = list(ctx, s.imports, "list imports", filter, importFromDoc,
		options.Find().SetSort(bson.D{eq("createdAt", -1), eq("_id", -1)}).SetSkip(max(skip, 0)).SetLimit(limit))
	return page, total, err
}

// ImportsOfFile implements record.Imports.
func (s *Store) ImportsOfFile(ctx context.Context, org record.OrgID, event record.EventID, hash string) ([]record.Import, error) {
	return list(ctx, s.imports, "find imports of file", bson.D{eq("org", org), eq("event", event), eq("hash", hash)}, importFromDoc,
		options.Find().SetSort(bson.D{eq("createdAt", -1), eq("_id", -1)}).SetLimit(record.MaxImportsOfFile))
}
