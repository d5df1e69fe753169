package mongostore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record/numbering"
)

// compactAtOnce bounds the numbers compacted in one round.
const compactAtOnce = 1000

// setID names the set of a block.
func (l numbered) setID(block int64) string { return l.key + "/" + strconv.FormatInt(block, 10) }

// blockField returns the field of a block's count. It begins with a letter, since a number in a path may be an index
// of an array.
func blockField(block int64) string { return "b" + strconv.FormatInt(block, 10) }

func blockOfField(field string) (int64, error) {
	digits, _ := strings.CutPrefix(field, "b")
	block, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("counts of deleted numbers: %q is no block", field)
	}
	return block, nil
}

// wordField returns the field of a word of a set.
func wordField(word int) string { return "w" + strconv.Itoa(word) }

// blocksOf returns the blocks of numbers, each once, ascending.
func blocksOf(numbers map[int64]string) []int64 {
	var blocks []int64
	for number := range numbers {
		blocks = append(blocks, numbering.BlockOf(number))
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// compact adds the numbers of deleted items to the sets of their blocks.
//
// A deleted item counts as not compacted until it is flagged, which is the last step. Earlier steps only add: a bit
// to a set, the size of a set to the counts where it is larger than the stored one. So each may be repeated, by any
// number of processes at once and in any order, and after a crash the next process completes it.
func (s *Store) compact(ctx context.Context, l numbered) error {
	for {
		unfolded, err := l.uncompacted(ctx, compactAtOnce)
		if err != nil || len(unfolded) == 0 {
			return err
		}
		if err := s.compactBatch(ctx, l, unfolded); err != nil {
			return fmt.Errorf("compact deleted numbers: %w", err)
		}
		if len(unfolded) < compactAtOnce {
			return nil
		}
	}
}

func (s *Store) compactBatch(ctx context.Context, l numbered, unfolded map[int64]string) error {
	if err := s.addToSets(ctx, l, unfolded); err != nil {
		return err
	}
	sets, err := setsIn(ctx, s.listSets, l, blocksOf(unfolded))
	if err != nil {
		return err
	}
	counts := bson.D{}
	for block, set := range sets {
		counts = append(counts, eq("counts."+blockField(block), set.Len()))
	}
	if err := retryUpsert(ctx, func() error {
		_, err := s.listCounts.UpdateOne(ctx, bson.D{eq("_id", l.key), eq("org", l.org)}, bson.D{eq("$max", counts)},
			options.UpdateOne().SetUpsert(true))
		return err
	}); err != nil {
		return err
	}
	// Each document is updated separately: one that is missed is compacted again.
	return bulkWrite(ctx, l.items, []mongo.WriteModel{mongo.NewUpdateManyModel().
		SetFilter(with(l.filter, eq("_id", bson.D{eq("$in", slices.Collect(maps.Values(unfolded)))}), eq("deleted", true))).
		SetUpdate(bson.D{eq("$set", bson.D{eq("folded", true)})})})
}

// addToSets adds each number to the set of its block.
func (s *Store) addToSets(ctx context.Context, l numbered, numbers map[int64]string) error {
	added := map[int64]*numbering.Set{}
	for number := range numbers {
		block := numbering.BlockOf(number)
		if added[block] == nil {
			added[block] = &numbering.Set{}
		}
		added[block].Add(number)
	}
	additions := make([]mongo.WriteModel, 0, len(added))
	for block, set := range added {
		words := bson.D{}
		for w, word := range set {
			if word != 0 {
				words = append(words, eq(wordField(w), bson.D{eq("or", int64(word))})) //nolint:gosec // it is 64 bits, whatever their sign
			}
		}
		additions = append(additions, mongo.NewUpdateOneModel().
			SetFilter(bson.D{eq("_id", l.setID(block)), eq("org", l.org)}).SetUpdate(bson.D{eq("$bit", words)}).SetUpsert(true))
	}
	return retryUpsert(ctx, func() error {
		return bulkWrite(ctx, s.listSets, additions)
	})
}

// upsertAttempts bounds the attempts to insert or update a document under concurrent writes.
const upsertAttempts = 20

// retryUpsert repeats an upsert that others were faster to insert.
func retryUpsert(ctx context.Context, upsert func() error) error {
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := mongox.Repeat(ctx, upsert)
		if !mongox.IsDuplicate(err) || attempt == upsertAttempts {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}
