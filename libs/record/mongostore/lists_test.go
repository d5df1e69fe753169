package mongostore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/record/numbering"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// wantCompacted checks that every deleted record is flagged as compacted.
func wantCompacted(t *testing.T, db *mongo.Database) {
	t.Helper()
	n, err := db.Collection("records").CountDocuments(t.Context(), bson.D{{Key: "deleted", Value: true}, {Key: "folded", Value: bson.D{{Key: "$ne", Value: true}}}})
	if err != nil || n != 0 {
		t.Errorf("%d deleted records are not folded, %v", n, err)
	}
}

// wantLiving checks every page of the sub-collection, given its live numbers, newest first.
func wantLiving(t *testing.T, store *mongostore.Store, living []int64, limit int64) {
	t.Helper()
	total := int64(len(living))
	for skip := int64(0); skip <= total; skip += limit {
		want := record.Span{Total: total}
		if page := living[skip:min(skip+limit, total)]; len(page) > 0 {
			want.Count, want.High, want.Low = int64(len(page)), page[0], page[len(page)-1]
		}
		got, err := store.RecordSpan(t.Context(), org, sub, skip, limit)
		if err != nil || got != want {
			t.Errorf("the %d after %d are %+v, want %+v (%v)", limit, skip, got, want, err)
		}
	}
}

// TestADeletionThatDiesIsNeitherLostNorCountedTwice lets a process crash before each command of a deletion. Another
// process reads a correct list, and compacts the remains with its own deletion.
func TestADeletionThatDiesIsNeitherLostNorCountedTwice(t *testing.T) {
	t.Parallel()
	// Delete, find numbers to compact, add to the set, read the set, count, flag.
	const steps = 6
	for step := 2; step <= steps+1; step++ {
		t.Run(fmt.Sprint("before command ", step), func(t *testing.T) {
			t.Parallel()
			uri, database := testkit.MongoDB(t)
			in := &intruder{}
			ctx, die := context.WithCancel(t.Context())
			defer die()
			in.then = die
			db := connect(t, uri, nil).Database(database)
			theirs := open(t, db)
			var all []record.Record
			for i := range 4 {
				all = append(all, mustInsert(t, theirs, sample(sub, record.ID(fmt.Sprint("r", i+1)))))
			}
			dying := open(t, connect(t, uri, in.monitor()).Database(database))
			in.n, in.seen = step, nil
			gone := all[2]
			gone.Rev, gone.Deleted = 2, true
			if err := dying.ReplaceRecord(ctx, org, gone, 1); err != nil {
				t.Fatalf("it was deleted, and yet: %v", err)
			}
			if died := ctx.Err() != nil; died != (step <= steps) {
				t.Fatalf("died: %v, after %v", died, in.seen)
			}
			wantLiving(t, theirs, []int64{4, 2, 1}, 2)
			remove(t, theirs, all[0])
			wantLiving(t, theirs, []int64{4, 2}, 1)
			wantCompacted(t, db)
		})
	}
}

// TestWhatEarlierVersionsDeletedIsFolded reads a list with more uncompacted deletions than a reader adds itself, as
// an earlier version left it.
func TestWhatEarlierVersionsDeletedIsFolded(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	db := connect(t, uri, nil).Database(database)
	store := open(t, db)
	var records []record.Record
	var living []int64
	for number := int64(1); number <= 130; number++ {
		r := sample(sub, record.ID(fmt.Sprint("r", number)))
		if r.Deleted = number%4 != 0; !r.Deleted {
			living = append(living, number)
		}
		records = append(records, r)
	}
	if _, _, err := store.InsertRecords(t.Context(), org, sub, records); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(living)
	wantLiving(t, store, living, 9)
	wantCompacted(t, db)
}

// TestAPageCostsTheSameAtAnyDepth checks the commands for the pages of a long list: to find a page, to detect that it
// is unchanged, and to read it.
func TestAPageCostsTheSameAtAnyDepth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit int64
		// fill creates a list and returns its number of records.
		fill  func(t *testing.T, db *mongo.Database, store *mongostore.Store) (total int64)
		needs string // a setting
	}{
		"of 100,000 records of which 60 are left":       {10, fillSparsely, ""},
		"of 20,000 records, one in ten of them deleted": {25, fillFully, "ECF_MONGODB_URI"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.needs != "" && os.Getenv(c.needs) == "" {
				t.Skipf("the test engine reads whole collections; %s names a real server", c.needs)
			}
			uri, database := testkit.MongoDB(t)
			tr := &traffic{}
			db := connect(t, uri, tr.monitor()).Database(database)
			store := open(t, db)
			samePrice(t, store, tr, c.fill(t, db, store), c.limit)
		})
	}
}

// samePrice compares the costs of the pages of a list.
func samePrice(t *testing.T, store *mongostore.Store, tr *traffic, total, limit int64) {
	t.Helper()
	ctx := t.Context()
	last := total / limit
	var first, firstRead string
	for _, page := range []int64{1, 2, last / 2, last - 1, last} {
		var span record.Span
		found := tr.during(t, func() (err error) {
			span, err = store.RecordSpan(ctx, org, sub, (page-1)*limit, limit)
			return err
		})
		if span.Total != total || span.Count != limit {
			t.Errorf("page %d is %+v", page, span)
		}
		read := tr.during(t, func() error {
			revisions, err := store.RecordRevisions(ctx, org, sub, span.Low, span.High)
			if err != nil {
				return err
			}
			records, err := store.RecordRange(ctx, org, sub, span.Low, span.High)
			if int64(len(revisions)) != limit || int64(len(records)) != limit {
				return fmt.Errorf("%d revisions and %d records", len(revisions), len(records))
			}
			return err
		})
		// The bound that is sent with a range is how many numbers it has, deleted
		// ones included.
		read = strings.ReplaceAll(read, fmt.Sprint("find ", span.High-span.Low+1), "find range")
		// The ends of a page are in one set or in two.
		found = strings.Replace(found, ": 5 documents", ": 4 documents", 1)
		if first == "" {
			first, firstRead = found, read
		}
		if found != first || read != firstRead {
			t.Errorf("page %d costs %s; %s\npage 1 costs %s; %s", page, found, read, first, firstRead)
		}
	}
	if want := "find 65, find 1, find 1, find 65, find 1, find sets: 4 documents"; first != want {
		t.Errorf("finding a page costs %s, want %s", first, want)
	}
	if want := fmt.Sprintf("find range, find range: %d documents", 2*limit); firstRead != want {
		t.Errorf("reading a page costs %s, want %s", firstRead, want)
	}
}

// fillSparsely creates the state after 100,000 insertions and nearly as many deletions, without the tombstones, which
// are not read.
func fillSparsely(t *testing.T, db *mongo.Database, store *mongostore.Store) (total int64) {
	t.Helper()
	const highest, every = 100_000, 1666
	var counts bson.D
	var sets []bson.D
	for block := int64(0); block <= numbering.BlockOf(highest); block++ {
		var set numbering.Set
		for number := block*numbering.BlockSize + 1; number <= min((block+1)*numbering.BlockSize, highest); number++ {
			if number%every != 0 && number != highest {
				set.Add(number)
				continue
			}
			if err := store.InsertNumbered(t.Context(), org, sample(sub, record.ID(fmt.Sprint("r", number))), number); err != nil {
				t.Fatal(err)
			}
			total++
		}
		document := bson.D{{Key: "_id", Value: fmt.Sprint(org, "/", sub.Event, "/", sub.Type, "/", block)}, {Key: "org", Value: org}}
		for w, word := range set {
			document = append(document, bson.E{Key: fmt.Sprint("w", w), Value: int64(word)})
		}
		sets = append(sets, document)
		counts = append(counts, bson.E{Key: fmt.Sprint("b", block), Value: set.Len()})
	}
	if _, err := db.Collection("list_sets").InsertMany(t.Context(), sets); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Collection("list_counts").InsertOne(t.Context(), bson.D{
		{Key: "_id", Value: fmt.Sprint(org, "/", sub.Event, "/", sub.Type)}, {Key: "org", Value: org}, {Key: "counts", Value: counts},
	}); err != nil {
		t.Fatal(err)
	}
	return total
}

// fillFully inserts 20,000 records and deletes one in ten of them.
func fillFully(t *testing.T, _ *mongo.Database, store *mongostore.Store) (total int64) {
	t.Helper()
	const size, batch = 20_000, 500
	for from := 1; from <= size; from += batch {
		var records []record.Record
		for number := from; number < from+batch; number++ {
			r := sample(sub, record.ID(fmt.Sprint("r", number)))
			r.Deleted = number%10 == 3
			records = append(records, r)
		}
		stored, _, err := store.InsertRecords(t.Context(), org, sub, records)
		if err != nil {
			t.Fatal(err)
		}
		// This compacts those that were stored as deleted, too.
		remove(t, store, stored[0])
	}
	return size - size/10 - size/batch
}
