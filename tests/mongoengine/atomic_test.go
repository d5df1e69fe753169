package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestIncrementsAreNotLost(t *testing.T) {
	t.Parallel()
	counters := database(t).Collection("counters")
	if _, err := counters.InsertOne(t.Context(), bson.M{"_id": "c", "n": int64(0)}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, err := counters.UpdateOne(t.Context(), bson.M{"_id": "c"}, bson.M{"$inc": bson.M{"n": int64(1)}}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	var got struct{ N int64 }
	if err := counters.FindOne(t.Context(), bson.M{"_id": "c"}).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.N != 400 {
		t.Errorf("8 writers × 50 increments gave %d, want 400", got.N)
	}
}

func TestConditionalUpdateHasOneWinner(t *testing.T) {
	t.Parallel()
	records := database(t).Collection("records")
	for round := range 20 {
		id := fmt.Sprint("r", round)
		if _, err := records.InsertOne(t.Context(), bson.M{"_id": id, "rev": int64(1)}); err != nil {
			t.Fatal(err)
		}
		var winners atomic.Int32
		var wg sync.WaitGroup
		for writer := range 16 {
			wg.Go(func() {
				res, err := records.UpdateOne(t.Context(), bson.M{"_id": id, "rev": int64(1)},
					bson.M{"$set": bson.M{"by": writer}, "$inc": bson.M{"rev": int64(1)}})
				if err != nil {
					t.Error(err)
				} else {
					winners.Add(int32(res.ModifiedCount))
				}
			})
		}
		wg.Wait()
		if n := winners.Load(); n != 1 {
			t.Errorf("round %d: %d winners, want 1", round, n)
		}
	}
}

func TestFindOneAndUpdateGivesEachNumberOnce(t *testing.T) {
	t.Parallel()
	counters := database(t).Collection("counters")
	if _, err := counters.InsertOne(t.Context(), bson.M{"_id": "c", "n": int64(0)}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[int64]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				var got struct{ N int64 }
				err := counters.FindOneAndUpdate(t.Context(), bson.M{"_id": "c"}, bson.M{"$inc": bson.M{"n": int64(1)}},
					options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&got)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seen[got.N]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for n := int64(1); n <= 80; n++ {
		if seen[n] != 1 {
			t.Errorf("number %d was given %d times", n, seen[n])
		}
	}
}

func TestConcurrentInsertsOfOneKeyHaveOneWinner(t *testing.T) {
	t.Parallel()
	slots := database(t).Collection("slots")
	if _, err := slots.Indexes().CreateOne(t.Context(), mongo.IndexModel{
		Keys:    bson.D{{Key: "org", Value: 1}, {Key: "slot", Value: 1}},
		Options: options.Index().SetUnique(true).SetName("org_slot"),
	}); err != nil {
		t.Fatal(err)
	}
	for slot := range 5 {
		var inserted, refused atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				_, err := slots.InsertOne(t.Context(), bson.M{"org": "o", "slot": slot})
				switch {
				case err == nil:
					inserted.Add(1)
				case mongo.IsDuplicateKeyError(err):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if inserted.Load() != 1 || refused.Load() != 15 {
			t.Errorf("slot %d: %d inserted, %d refused; want 1 and 15", slot, inserted.Load(), refused.Load())
		}
	}
}

// TestCancelledCallersReleaseTheirTurn verifies that a cancelled caller leaves no lock:
// not while its command waits, not while it runs, not when its connection is closed.
func TestCancelledCallersReleaseTheirTurn(t *testing.T) {
	t.Parallel()
	db := database(t)
	items := db.Collection("items")
	documents := make([]any, 300)
	for i := range documents {
		documents[i] = bson.M{"_id": i, "n": 0}
	}
	if _, err := items.InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var gaveUp atomic.Int32
	for i := range 60 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%12)*500*time.Microsecond)
			defer cancel()
			_, err := items.UpdateMany(ctx, bson.M{}, bson.M{"$inc": bson.M{"n": 1}})
			if errors.Is(err, context.DeadlineExceeded) || mongo.IsTimeout(err) {
				gaveUp.Add(1)
			} else if err != nil {
				t.Errorf("unexpected error: %v", err)
			}
		})
	}
	wg.Wait()
	if gaveUp.Load() == 0 {
		t.Error("no caller gave up: the test shows nothing")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := items.UpdateOne(ctx, bson.M{"_id": 0}, bson.M{"$set": bson.M{"done": true}}); err != nil {
		t.Fatalf("after %d callers gave up: %v", gaveUp.Load(), err)
	}
}
