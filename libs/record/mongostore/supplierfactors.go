package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// supplierDoc is a record.SupplierFactor. No query uses its body.
type supplierDoc struct {
	ID      string `bson:"_id"`
	Org     string `bson:"org"`
	Key     string `bson:"key"`
	Version int64  `bson:"version"`

	State supplierState `bson:",inline"`
}

// supplierState holds the fields of a supplier factor that a replacement stores.
type supplierState struct {
	Rev     int64  `bson:"rev"`
	Deleted bool   `bson:"deleted"`
	Body    string `bson:"body"`
}

func supplierStateOf(org record.OrgID, f record.SupplierFactor) (supplierState, error) {
	body, err := record.EncodeSupplierFactor(org, f)
	return supplierState{Rev: f.Rev, Deleted: f.Deleted, Body: string(body)}, err
}

func supplierFromDoc(d supplierDoc) (record.SupplierFactor, error) {
	return record.DecodeSupplierFactor([]byte(d.State.Body))
}

// InsertSupplierFactor implements record.SupplierFactors.
func (s *Store) InsertSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor) error {
	state, err := supplierStateOf(org, f)
	if err != nil {
		return mongox.Wrap("insert supplier factor", err)
	}
	taken, err := insert(ctx, s.suppliers, supplierDoc{ID: f.ID, Org: string(org), Key: f.Key(), Version: f.Version, State: state})
	if taken {
		return record.ErrDuplicate
	}
	return mongox.Wrap("insert supplier factor", err)
}

// SupplierFactor implements record.SupplierFactors.
func (s *Store) SupplierFactor(ctx context.Context, org record.OrgID, id string) (record.SupplierFactor, error) {
	return one(ctx, s.suppliers, "read supplier factor", bson.D{eq("_id", id), eq("org", org), eq("deleted", false)}, supplierFromDoc)
}

// ReplaceSupplierFactor implements record.SupplierFactors.
func (s *Store) ReplaceSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor, prevRev int64) error {
	state, err := supplierStateOf(org, f)
	if err != nil {
		return mongox.Wrap("replace supplier factor", err)
	}
	matched, err := update(ctx, s.suppliers, bson.D{eq("_id", f.ID), eq("org", org), eq("rev", prevRev), eq("deleted", false)}, state)
	return mustMatch("replace supplier factor", matched, err)
}

// SupplierFactorList implements record.SupplierFactors.
func (s *Store) SupplierFactorList(ctx context.Context, org record.OrgID, skip, limit int64) (page []record.SupplierFactor, total int64, err error) {
	filter := bson.D{eq("org", org), eq("deleted", false)}
	if total, err = s.suppliers.CountDocuments(ctx, filter); err != nil || limit <= 0 {
		return nil, total, mongox.Wrap("count supplier factors", err)
	}
	page, err = list(ctx, s.suppliers, "list supplier factors", filter, supplierFromDoc,
		options.Find().SetSort(bson.D{eq("key", 1), eq("version", -1)}).SetSkip(max(skip, 0)).SetLimit(limit))
	return page, total, err
}

// SupplierFactorVersions implements record.SupplierFactors.
func (s *Store) SupplierFactorVersions(ctx context.Context, org record.OrgID, key string) ([]record.SupplierFactor, error) {
	return list(ctx, s.suppliers, "read versions of a supplier factor", bson.D{eq("org", org), eq("key", key)}, supplierFromDoc,
		options.Find().SetSort(bson.D{eq("version", -1)}))
}

// StoredSupplierFactors implements record.SupplierFactors.
func (s *Store) StoredSupplierFactors(ctx context.Context, org record.OrgID, after string, limit int) ([]record.StoredSupplierFactor, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.suppliers, "read all supplier factors", bson.D{eq("org", org), above("_id", after)}, storedSupplierFactor,
		options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)))
}

func storedSupplierFactor(text bson.Raw) (record.StoredSupplierFactor, error) {
	id, _ := text.Lookup("_id").StringValueOK()
	body, ok := text.Lookup("body").StringValueOK()
	if !ok {
		return record.StoredSupplierFactor{ID: id, Damage: record.Damaged(errors.New("it has no body"))}, nil
	}
	return record.ReadStoredSupplierFactor(id, []byte(body)), nil
}
