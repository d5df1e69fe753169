package mongox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Index describes an index of a collection over ascending fields.
type Index struct {
	Collection string
	Name       string // the server's default where empty
	Unique     bool
	Keys       bson.D
	// Only is the condition of a partial index. A server without partial indexes gets an index of all documents.
	Only bson.D
	// Expires makes a TTL index of the only key, a date. On a server without TTL indexes documents remain, so nothing
	// may depend on it.
	Expires bool
}

// expiryGrace is how long documents remain after their date, so that a smaller clock error removes nothing in use.
const expiryGrace = time.Hour

// Ascending returns the keys of an index over the fields, all ascending.
func Ascending(fields ...string) bson.D {
	keys := make(bson.D, len(fields))
	for i, f := range fields {
		keys[i] = bson.E{Key: f, Value: 1}
	}
	return keys
}

// Where returns i restricted to the documents that meet a condition.
func (i Index) Where(only bson.D) Index {
	i.Only = only
	return i
}

// name returns the server's name of the index.
func (i Index) name() string {
	if i.Name != "" {
		return i.Name
	}
	var parts []string
	for _, k := range i.Keys {
		parts = append(parts, fmt.Sprintf("%s_%v", k.Key, k.Value))
	}
	return strings.Join(parts, "_")
}

// model returns the definition of the index; plain omits features that some servers lack.
func (i Index) model(plain bool) mongo.IndexModel {
	o := options.Index()
	if i.Name != "" {
		o.SetName(i.Name)
	}
	if i.Unique {
		o.SetUnique(true)
	}
	if !plain && i.Only != nil {
		o.SetPartialFilterExpression(i.Only)
	}
	if !plain && i.Expires {
		o.SetExpireAfterSeconds(int32(expiryGrace / time.Second))
	}
	return mongo.IndexModel{Keys: i.Keys, Options: o}
}

// CreateIndexes returns a step that creates indexes. It costs one command per collection and changes nothing if they
// exist.
func CreateIndexes(minReader int, indexes ...Index) Step {
	return Step{MinReader: minReader, Apply: func(ctx context.Context, db *mongo.Database) error {
		var order []string
		byCollection := map[string][]Index{}
		for _, i := range indexes {
			if byCollection[i.Collection] == nil {
				order = append(order, i.Collection)
			}
			byCollection[i.Collection] = append(byCollection[i.Collection], i)
		}
		for _, name := range order {
			if err := createIn(ctx, db.Collection(name), byCollection[name]); err != nil {
				return fmt.Errorf("create indexes of %s: %w", name, err)
			}
		}
		return nil
	}}
}

func createIn(ctx context.Context, in *mongo.Collection, indexes []Index) error {
	create := func(plain bool) error {
		models := make([]mongo.IndexModel, len(indexes))
		for n, i := range indexes {
			models[n] = i.model(plain)
		}
		_, err := in.Indexes().CreateMany(ctx, models)
		return err
	}
	err := create(false)
	special := slices.ContainsFunc(indexes, func(i Index) bool { return i.Only != nil || i.Expires })
	if special && hasCode(err, notSupported) {
		err = create(true)
	}
	return err
}

// CreateMissing creates those of the indexes that a database lacks although its schema is up to date, such as one that
// was dropped. One of the same name with other keys is an error.
func CreateMissing(ctx context.Context, db *mongo.Database, indexes ...Index) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return Wrap("create missing indexes", CreateIndexes(0, indexes...).Apply(ctx, db))
}

// ReplaceIndexes returns a step that creates indexes and then drops those named "collection.name": programs that need
// the old ones find either them or the new ones, which must also serve their queries. It changes nothing if it has
// already run.
func ReplaceIndexes(minReader int, created []Index, dropped ...string) Step {
	create := CreateIndexes(minReader, created...)
	return Step{MinReader: minReader, Apply: func(ctx context.Context, db *mongo.Database) error {
		err := create.Apply(ctx, db)
		if hasCode(err, conflicting) {
			// A server that identifies indexes by their keys only: the old ones are dropped first.
			if err = dropIndexes(ctx, db, dropped); err == nil {
				err = create.Apply(ctx, db)
			}
		}
		if err != nil {
			return err
		}
		return dropIndexes(ctx, db, dropped)
	}}
}

func dropIndexes(ctx context.Context, db *mongo.Database, names []string) error {
	for _, name := range names {
		collection, index, _ := strings.Cut(name, ".")
		err := db.Collection(collection).Indexes().DropOne(ctx, index)
		if err != nil && !hasCode(err, absent) {
			return fmt.Errorf("drop index %s: %w", name, err)
		}
	}
	return nil
}

// The codes by which servers refuse to create or drop indexes.
var (
	notSupported = []int{
		2,   // BadValue
		59,  // CommandNotFound
		67,  // CannotCreateIndex
		72,  // InvalidOptions
		115, // CommandNotSupported
		197, // InvalidIndexSpecificationOption
		238, // NotImplemented
	}
	conflicting = []int{
		85, // IndexOptionsConflict
		86, // IndexKeySpecsConflict
	}
	absent = []int{
		26, // NamespaceNotFound
		27, // IndexNotFound
	}
)

func hasCode(err error, codes []int) bool {
	failed, ok := errors.AsType[mongo.ServerError](err)
	return ok && slices.ContainsFunc(codes, failed.HasErrorCode)
}

// CheckIndexes compares the indexes of a database with the expected ones. It returns an error that wraps ErrIndex if
// a unique one is missing or different, and the names of the others that are: without those a program is slow but
// correct. It writes nothing.
func CheckIndexes(ctx context.Context, db *mongo.Database, indexes []Index) (slow []string, err error) {
	known := map[string]map[string]mongo.IndexSpecification{}
	for _, i := range indexes {
		in := known[i.Collection]
		if in == nil {
			in = map[string]mongo.IndexSpecification{}
			list, err := db.Collection(i.Collection).Indexes().ListSpecifications(ctx)
			if err != nil && !hasCode(err, absent) {
				return nil, Wrap("list indexes of "+i.Collection, err)
			}
			for _, spec := range list {
				in[spec.Name] = spec
			}
			known[i.Collection] = in
		}
		found, ok := in[i.name()]
		unique := found.Unique != nil && *found.Unique
		if ok && unique == i.Unique && sameKeys(i.Keys, found.KeysDocument) {
			continue
		}
		name := i.Collection + "." + i.name()
		if i.Unique {
			return nil, fmt.Errorf("%w: %s, unique over %s, is missing or is another one; run: ecf schema up", ErrIndex, name, fieldsOf(i.Keys))
		}
		slow = append(slow, name)
	}
	return slow, nil
}

// ErrIndex is wrapped by the error for a database that lacks a unique index.
var ErrIndex = errors.New("the database lacks an index that a program rests on")

func sameKeys(want bson.D, got bson.Raw) bool {
	elements, err := got.Elements()
	if err != nil || len(elements) != len(want) {
		return false
	}
	for i, e := range elements {
		order, ok := e.Value().AsInt64OK()
		if wanted, isInt := want[i].Value.(int); e.Key() != want[i].Key || !ok || !isInt || order != int64(wanted) {
			return false
		}
	}
	return true
}

func fieldsOf(keys bson.D) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Key
	}
	return strings.Join(names, ", ")
}
