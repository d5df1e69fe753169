package mongox

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// IsTransient reports whether the same command will probably succeed if repeated: after a conflict inside of the
// server, a change of the primary, a lost or unavailable connection. A write may have happened nevertheless.
func IsTransient(err error) bool {
	if err == nil || mongo.IsTimeout(err) || errors.Is(err, context.Canceled) || errors.Is(err, mongo.ErrClientDisconnected) {
		return false
	}
	if mongo.IsNetworkError(err) || isUnsent(err) {
		return true
	}
	failed, ok := errors.AsType[mongo.ServerError](err)
	if !ok || IsDuplicate(err) {
		return false
	}
	return failed.HasErrorLabel("TransientTransactionError") || failed.HasErrorLabel("RetryableWriteError") ||
		slices.ContainsFunc(transientCodes, failed.HasErrorCode)
}

// transientCodes are the codes of failures that pass, also where the server
// sends no label with them, as compatible servers do.
var transientCodes = []int{
	1,     // InternalError, by which compatible servers report deadlocks
	8,     // UnknownError, likewise
	24,    // LockTimeout
	46,    // LockBusy
	91,    // ShutdownInProgress
	112,   // WriteConflict
	189,   // PrimarySteppedDown
	10107, // NotWritablePrimary
	11600, // InterruptedAtShutdown
	11602, // InterruptedDueToReplStateChange
	13435, // NotPrimaryNoSecondaryOk
	13436, // NotPrimaryOrSecondary
	16500, // TooManyRequests of managed offerings
}

// repeatAfter is the shortest wait before a retry; a random addition of at most the same length separates conflicting
// ones.
const repeatAfter = 5 * time.Millisecond

// Repeat runs a write, and runs it again after a transient failure. repeated reports that there was a second run,
// which may find the write of the first one. The write must be safe to run twice. See Unconfirmed about its error.
func Repeat(ctx context.Context, write func() error) (repeated bool, err error) {
	first := Unconfirmed(write())
	if !IsTransient(first) {
		return false, first
	}
	timer := time.NewTimer(repeatAfter + rand.N(repeatAfter)) //nolint:gosec // nothing rests on it
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	err = Unconfirmed(write())
	if isUnconfirmed(first) {
		err = afterUnconfirmed(err)
	}
	return true, err
}

// Insert stores a document. taken reports that a unique index rejected it, and that the stored document is not this
// one. The volatile fields are those that others may change as soon as it is stored.
func Insert(ctx context.Context, in *mongo.Collection, document any, volatile ...string) (taken bool, err error) {
	err = InsertUnique(ctx, in, document, volatile...)
	if IsDuplicate(err) {
		return true, nil
	}
	return false, err
}

// InsertUnique is Insert that returns the server's error (IsDuplicate), which
// names the index.
func InsertUnique(ctx context.Context, in *mongo.Collection, document any, volatile ...string) error {
	// The driver may have sent the command before checking the context.
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, err := withID(document)
	if err != nil {
		return err
	}
	repeated, refusal := Repeat(ctx, func() error {
		_, err := in.InsertOne(ctx, raw)
		return err
	})
	if !repeated || !IsDuplicate(refusal) {
		return refusal
	}
	if mine, err := holds(ctx, in, keyIn(raw), raw, volatile); err != nil || mine {
		return afterUnconfirmed(err)
	}
	return refusal
}

// Update sets fields of the one document that filter matches, and reports whether there was one. If a retry matches
// nothing, it determines from the fields, except volatile ones, whether the first attempt succeeded.
func Update(ctx context.Context, in *mongo.Collection, filter bson.D, fields any, volatile ...string) (matched bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	raw, err := bson.Marshal(fields)
	if err != nil {
		return false, err
	}
	return conditional(ctx, in, filter, raw, volatile, func() (*mongo.UpdateResult, error) {
		return in.UpdateOne(ctx, filter, bson.D{{Key: "$set", Value: bson.Raw(raw)}})
	})
}

// Replace replaces the one document that filter matches, and reports whether
// there was one; see Update.
func Replace(ctx context.Context, in *mongo.Collection, filter bson.D, document any) (matched bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	raw, err := bson.Marshal(document)
	if err != nil {
		return false, err
	}
	return conditional(ctx, in, filter, raw, nil, func() (*mongo.UpdateResult, error) {
		return in.ReplaceOne(ctx, filter, bson.Raw(raw))
	})
}

// Change applies operators to the one document that filter matches, and reports whether there was one; proof are
// fields that only this write gives to the document.
func Change(ctx context.Context, in *mongo.Collection, filter bson.D, operators, proof any) (matched bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	raw, err := bson.Marshal(proof)
	if err != nil {
		return false, err
	}
	return conditional(ctx, in, filter, raw, nil, func() (*mongo.UpdateResult, error) { return in.UpdateOne(ctx, filter, operators) })
}

func conditional(ctx context.Context, in *mongo.Collection, filter bson.D, want bson.Raw, volatile []string, write func() (*mongo.UpdateResult, error)) (matched bool, err error) {
	repeated, err := Repeat(ctx, func() error {
		result, err := write()
		matched = err == nil && result.MatchedCount == 1
		return err
	})
	if err != nil || matched || !repeated {
		return matched, err
	}
	raw, err := bson.Marshal(filter)
	if err != nil {
		return false, err
	}
	matched, err = holds(ctx, in, keyIn(raw), want, volatile)
	return matched, afterUnconfirmed(err)
}

// withID returns a document with an _id.
func withID(document any) (bson.Raw, error) {
	raw, err := bson.Marshal(document)
	if err != nil {
		return nil, err
	}
	if _, err := bson.Raw(raw).LookupErr("_id"); err == nil {
		return raw, nil
	}
	var fields bson.D
	if err := bson.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	return bson.Marshal(append(bson.D{{Key: "_id", Value: bson.NewObjectID()}}, fields...))
}

// keyIn returns the condition on the document that another one names by its id
// and its organization; nil where it has no id.
func keyIn(raw bson.Raw) bson.D {
	id, err := raw.LookupErr("_id")
	if err != nil {
		return nil
	}
	key := bson.D{{Key: "_id", Value: id}}
	for _, part := range []string{"org", "event"} {
		if value, err := raw.LookupErr(part); err == nil && value.Type == bson.TypeString {
			key = append(key, bson.E{Key: part, Value: value})
		}
	}
	return key
}

// holds reports whether a stored document has all the fields of another one, except volatile ones.
func holds(ctx context.Context, in *mongo.Collection, key bson.D, want bson.Raw, volatile []string) (bool, error) {
	if key == nil {
		return false, nil
	}
	stored, err := in.FindOne(ctx, key).Raw()
	if IsNoDocument(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	elements, err := want.Elements()
	if err != nil {
		return false, err
	}
	for _, e := range elements {
		if slices.Contains(volatile, e.Key()) {
			continue
		}
		value, err := stored.LookupErr(e.Key())
		if err != nil || !value.Equal(e.Value()) {
			return false, nil //nolint:nilerr // it lacks the field
		}
	}
	return true, nil
}

// batchTimeout bounds a command that writes or removes many documents, which no user waits for.
const batchTimeout = 30 * time.Second

// Batch returns the context of a command over many documents, with its own timeout instead of the client's, which is
// for a single write.
func Batch(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, batchTimeout)
}

// purgeSlice is how many documents one command of a purge removes.
const purgeSlice = 1000

// Purge removes the documents that match, in batches of bounded size, and returns their number, except of those whose
// removal was acknowledged only when it was retried. A matching document must continue to match until it is removed.
func Purge(ctx context.Context, in *mongo.Collection, filter bson.D) (removed int64, err error) {
	for {
		found, n, err := purgeSome(ctx, in, filter)
		removed += n
		if err != nil || found == 0 {
			return removed, err
		}
	}
}

// purgeSome removes some of the documents that match. It may find some and remove none: a retry finds those that the
// first attempt removed to be gone, and so may another process.
func purgeSome(ctx context.Context, in *mongo.Collection, filter bson.D) (found int, removed int64, err error) {
	ctx, cancel := Batch(ctx)
	defer cancel()
	ids, err := idsOf(ctx, in, filter, purgeSlice)
	if err != nil || len(ids) == 0 {
		return 0, 0, err
	}
	due := append(append(bson.D{}, filter...), bson.E{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}})
	_, err = Repeat(ctx, func() error {
		result, err := in.DeleteMany(ctx, due)
		if err == nil {
			removed = result.DeletedCount
		}
		return err
	})
	return len(ids), removed, err
}

func idsOf(ctx context.Context, in *mongo.Collection, filter bson.D, limit int64) (bson.A, error) {
	cursor, err := in.Find(ctx, filter, options.Find().SetLimit(limit).SetBatchSize(int32(min(limit, math.MaxInt32))).SetProjection(bson.D{{Key: "_id", Value: 1}})) //nolint:gosec // it is bounded
	if err != nil {
		return nil, err
	}
	var documents []bson.Raw
	if err := cursor.All(ctx, &documents); err != nil {
		return nil, err
	}
	ids := make(bson.A, len(documents))
	for i, d := range documents {
		ids[i] = d.Lookup("_id")
	}
	return ids, nil
}
