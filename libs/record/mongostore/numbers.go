package mongostore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/numbering"
)

// highest returns the highest number stored under filter, 0 if there is none.
func highest(ctx context.Context, in *mongo.Collection, filter bson.D, number string) (int64, error) {
	raw, err := in.FindOne(ctx, filter, options.FindOne().
		SetSort(bson.D{{Key: number, Value: -1}}).SetProjection(only(number))).Raw()
	if mongox.IsNoDocument(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return numberIn(raw, number)
}

func numberIn(raw bson.Raw, number string) (int64, error) {
	n, ok := raw.Lookup(number).AsInt64OK()
	if !ok {
		return 0, fmt.Errorf("a document has no %s", number)
	}
	return n, nil
}

// numbered is a list whose items are numbered: the records of a sub-collection,
// or the events of an organization.
type numbered struct {
	items  *mongo.Collection
	filter bson.D // of all its items
	number string // the field
	org    record.OrgID
	key    string // its name among all lists
}

func (s *Store) recordsOf(org record.OrgID, sub record.Sub) numbered {
	return numbered{items: s.records, filter: within(org, sub), number: "seq", org: org,
		key: string(org) + "/" + string(sub.Event) + "/" + sub.Type}
}

func (s *Store) eventsOf(org record.OrgID) numbered {
	return numbered{items: s.events, filter: bson.D{eq("org", org)}, number: "slot", org: org, key: string(org)}
}

// appearance returns the fields that an item's revision is read from. The page index covers all of them for records.
func (l numbered) appearance() []string {
	if l.number == "slot" {
		return []string{"_id", l.number, "rev"}
	}
	return []string{l.number, "rev", "contextRev"}
}

// maxUncompacted is how many deleted numbers a reader adds to the sets itself. If more are missing from the sets, it
// compacts first.
const maxUncompacted = 64

// gone holds the deleted numbers of a list: those not known to be in the sets yet, then the counts. Read in this
// order they include every earlier deletion: a number leaves the first only once it is in the second.
type gone struct {
	unfolded map[int64]string // by number the id of the item
	counts   map[string]int64 // by block, see blockField
}

func (g gone) is(o gone) bool {
	return maps.Equal(g.unfolded, o.unfolded) && maps.Equal(g.counts, o.counts)
}

// readDeletions reads at most limit numbers that are not compacted.
func (s *Store) readDeletions(ctx context.Context, l numbered, limit int64) (gone, error) {
	unfolded, err := l.uncompacted(ctx, limit)
	if err != nil {
		return gone{}, err
	}
	var stored struct {
		Counts map[string]int64 `bson:"counts"`
	}
	err = s.listCounts.FindOne(ctx, bson.D{eq("_id", l.key), eq("org", l.org)}).Decode(&stored)
	if err != nil && !mongox.IsNoDocument(err) {
		return gone{}, err
	}
	return gone{unfolded: unfolded, counts: stored.Counts}, nil
}

// uncompacted returns deleted items whose numbers are not known to be in the sets, by number.
func (l numbered) uncompacted(ctx context.Context, limit int64) (map[int64]string, error) {
	type item struct {
		id     string
		number int64
	}
	items, err := list(ctx, l.items, "list deleted", with(l.filter, eq("deleted", true), eq("folded", bson.D{eq("$ne", true)})),
		func(raw bson.Raw) (i item, err error) {
			i.id, _ = raw.Lookup("_id").StringValueOK()
			i.number, err = numberIn(raw, l.number)
			return i, err
		}, options.Find().SetLimit(limit).SetProjection(only("_id", l.number)))
	byNumber := make(map[int64]string, len(items))
	for _, i := range items {
		byNumber[i.number] = i.id
	}
	return byNumber, err
}

// setsIn reads the sets of some blocks. A block without a set has no deletions.
func setsIn(ctx context.Context, in *mongo.Collection, l numbered, blocks []int64) (map[int64]*numbering.Set, error) {
	sets := make(map[int64]*numbering.Set, len(blocks))
	ids := make(bson.A, len(blocks))
	byID := make(map[string]int64, len(blocks))
	for i, block := range blocks {
		id := l.setID(block)
		sets[block], ids[i], byID[id] = &numbering.Set{}, id, block
	}
	if len(blocks) == 0 {
		return sets, nil
	}
	documents, err := list(ctx, in, "read deleted numbers", bson.D{eq("_id", bson.D{eq("$in", ids)}), eq("org", l.org)},
		func(raw bson.Raw) (bson.Raw, error) { return raw, nil }, options.Find().SetLimit(int64(len(ids))))
	for _, d := range documents {
		id, _ := d.Lookup("_id").StringValueOK()
		for w := range numbering.Words {
			word, _ := d.Lookup(wordField(w)).AsInt64OK() // absent if none of its numbers is deleted
			sets[byID[id]][w] = uint64(word)              //nolint:gosec // it is 64 bits, whatever their sign
		}
	}
	return sets, err
}

// span finds a page of a list.
//
// It needs several commands. Since deletions are never undone, the result is consistent if no deletion occurred in
// between: if the deletions read before and after are equal, the first read was still valid when the highest number
// was read. Otherwise it starts again.
func (s *Store) span(ctx context.Context, l numbered, skip, limit int64) (record.Span, error) {
	for attempt := 0; ; attempt++ {
		span, ok, err := s.trySpan(ctx, l, max(skip, 0), limit)
		if err != nil || ok {
			return span, err
		}
		if err := pause(ctx, attempt); err != nil {
			return record.Span{}, err
		}
	}
}

func (s *Store) trySpan(ctx context.Context, l numbered, skip, limit int64) (span record.Span, ok bool, err error) {
	before, err := s.readDeletions(ctx, l, maxUncompacted+1)
	if err != nil {
		return span, false, err
	}
	if len(before.unfolded) > maxUncompacted {
		return span, false, s.compact(ctx, l)
	}
	top, err := highest(ctx, l.items, l.filter, l.number)
	if err != nil {
		return span, false, err
	}
	counts, sets, err := s.add(ctx, l, before)
	if err != nil {
		return span, false, err
	}
	after, err := s.readDeletions(ctx, l, maxUncompacted+1)
	if err != nil || !before.is(after) {
		return span, false, err
	}
	page := counts.Page(top, skip, limit)
	span = record.Span{Total: page.Total, Count: page.Count}
	if page.Count == 0 {
		return span, true, nil
	}
	if span.High, span.Low, ok, err = s.ends(ctx, l, page, counts, sets); err != nil || !ok {
		return record.Span{}, false, err
	}
	return span, true, nil
}

// add returns the counts including deletions that are not compacted yet, and the sets of their blocks including them.
func (s *Store) add(ctx context.Context, l numbered, g gone) (counts numbering.Counts, sets map[int64]*numbering.Set, err error) {
	for field, n := range g.counts {
		block, err := blockOfField(field)
		if err != nil {
			return nil, nil, err
		}
		counts.Set(block, n)
	}
	if sets, err = setsIn(ctx, s.listSets, l, blocksOf(g.unfolded)); err != nil {
		return nil, nil, err
	}
	for number := range g.unfolded {
		sets[numbering.BlockOf(number)].Add(number)
	}
	for block, set := range sets {
		counts.Set(block, set.Len())
	}
	return counts, sets, nil
}

// ends returns the highest and the lowest number of a page. It is not ok where a
// set has more in it by now than was counted.
func (s *Store) ends(ctx context.Context, l numbered, page numbering.Page, counts numbering.Counts, known map[int64]*numbering.Set) (high, low int64, ok bool, err error) {
	var missing []int64
	for _, block := range []int64{page.Newest.Block, page.Oldest.Block} {
		if known[block] == nil && counts.Of(block) > 0 && !slices.Contains(missing, block) {
			missing = append(missing, block)
		}
	}
	read, err := setsIn(ctx, s.listSets, l, missing)
	if err != nil {
		return 0, 0, false, err
	}
	end := func(p numbering.Place) (int64, bool) {
		set := known[p.Block]
		if set == nil {
			set = read[p.Block]
		}
		if set == nil {
			set = &numbering.Set{}
		}
		if set.Len() != counts.Of(p.Block) {
			return 0, false
		}
		return p.Number(set)
	}
	high, highOK := end(page.Newest)
	low, lowOK := end(page.Oldest)
	return high, low, highOK && lowOK, nil
}

// revisions reads the revisions of the items from ≤ number ≤ to, newest first.
func (l numbered) revisions(ctx context.Context, from, to int64) ([]record.Revision, error) {
	numbers, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return list(ctx, l.items, "read revisions", with(l.filter, eq("deleted", false), eq(l.number, numbers)),
		func(raw bson.Raw) (r record.Revision, err error) {
			if r.Number, err = numberIn(raw, l.number); err != nil {
				return r, err
			}
			if r.Rev, err = numberIn(raw, "rev"); err != nil {
				return r, err
			}
			r.ContextRev, _ = raw.Lookup("contextRev").AsInt64OK()
			if id, ok := raw.Lookup("_id").StringValueOK(); ok {
				r.Event = record.EventID(id)
			}
			return r, nil
		},
		options.Find().SetSort(bson.D{eq(l.number, -1)}).SetLimit(most).SetProjection(only(l.appearance()...)))
}
