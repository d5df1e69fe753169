package recordtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// pagingTests read lists while they change.
func pagingTests() []test {
	return []test{{"pages read while records come and go are those of a moment, and a walk misses and repeats no more than came and went", pagesWhileWriting}}
}

// pagesWhileWriting runs rounds of random insertions and deletions concurrently with
// readers that walk from page to page, and compares what they saw with what a simple
// model allows. ECF_LIST_ROUNDS sets the number of rounds.
func pagesWhileWriting(b *bench) {
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("ECF_LIST_ROUNDS")); err == nil {
		rounds = n
	}
	rng := testkit.Rand(b)
	stores := []record.Store{b.Store, b.another()}
	for round := range rounds {
		l := &livingList{sub: record.Sub{Event: record.EventID(fmt.Sprint("event-", round)), Type: "flights"}, lives: map[int64]*life{}}
		var wrote, done sync.WaitGroup
		var stopped atomic.Bool
		errs := make([]error, 4)
		for i := range 2 {
			own := rand.New(rand.NewPCG(rng.Uint64(), 0)) //nolint:gosec // it is to be repeatable, not secret
			wrote.Go(func() { errs[i] = l.write(b.Context(), stores[i], own, fmt.Sprint(round, "-", i), 18) })
		}
		walks := make([][][]sight, 2)
		for i := range 2 {
			limit := 1 + rng.Int64N(6)
			done.Go(func() {
				for last := false; !last && errs[2+i] == nil; {
					last = stopped.Load() // one more without writes
					var walk []sight
					walk, errs[2+i] = l.walk(b.Context(), stores[1-i], limit)
					walks[i] = append(walks[i], walk)
				}
			})
		}
		wrote.Wait()
		stopped.Store(true)
		done.Wait()
		b.must(errors.Join(errs...))
		for _, walk := range slices.Concat(walks...) {
			l.checkSights(b, walk)
			l.checkWalk(b, walk)
		}
		l.checkQuiet(b, 1+rng.Int64N(7))
	}
}

// life is the known lifetime of a record. Times are ticks of a clock that advances with every request and response; 0
// means never.
type life struct {
	insertBegan, inserted int64
	deleteBegan, deleted  int64
}

// surely reports whether the record certainly existed between two ticks; possibly whether it may have existed at some
// time.
func (l *life) surely(from, to int64) bool {
	return l.inserted < from && (l.deleteBegan == 0 || l.deleteBegan > to)
}

func (l *life) possibly(from, to int64) bool {
	return l.insertBegan < to && (l.deleted == 0 || l.deleted > from)
}

// livingList is a sub-collection with the lifetimes of its records by number.
type livingList struct {
	sub   record.Sub
	clock atomic.Int64

	mu     sync.Mutex
	lives  map[int64]*life
	living []record.Record // those that are not being deleted
}

// write inserts and deletes at random.
func (l *livingList) write(ctx context.Context, store record.Store, rng *rand.Rand, name string, steps int) error {
	for step := range steps {
		l.mu.Lock()
		choice, n := rng.IntN(20), len(l.living)
		var victim record.Record
		if choice < 9 && n > 0 {
			at := rng.IntN(n)
			victim = l.living[at]
			l.living = slices.Delete(l.living, at, at+1)
			l.lives[victim.Seq].deleteBegan = l.clock.Add(1)
		}
		l.mu.Unlock()
		if victim.ID != "" {
			if err := store.ReplaceRecord(ctx, acme, deleted(victim), victim.Rev); err != nil {
				return err
			}
			l.mu.Lock()
			l.lives[victim.Seq].deleted = l.clock.Add(1)
			l.mu.Unlock()
			continue
		}
		// A single one or three together.
		drafts := []record.Record{draft(l.sub, record.ID(fmt.Sprint("p", name, "-", step)))}
		if choice > 17 {
			for i := range 2 {
				drafts = append(drafts, draft(l.sub, record.ID(fmt.Sprint("p", name, "-", step, "-", i))))
			}
		}
		began := l.clock.Add(1)
		stored, refused, err := store.InsertRecords(ctx, acme, l.sub, drafts)
		if err := errors.Join(append(refused, err)...); err != nil {
			return err
		}
		l.mu.Lock()
		for _, r := range stored {
			l.lives[r.Seq] = &life{insertBegan: began, inserted: l.clock.Add(1)}
			l.living = append(l.living, r)
		}
		l.mu.Unlock()
	}
	return nil
}

// sight is a page as read between two ticks.
type sight struct {
	from, to    int64
	skip, limit int64
	span        record.Span
	numbers     []int64
}

// walk reads from the first page to the end.
func (l *livingList) walk(ctx context.Context, store record.Store, limit int64) (walk []sight, err error) {
	for skip := int64(0); ; skip += limit {
		seen, err := l.look(ctx, store, skip, limit)
		if err != nil {
			return nil, err
		}
		walk = append(walk, seen)
		if len(seen.numbers) == 0 {
			return walk, nil
		}
	}
}

// look reads a page as the service does: again if something on it was deleted in between.
func (l *livingList) look(ctx context.Context, store record.Store, skip, limit int64) (sight, error) {
	for {
		seen := sight{from: l.clock.Add(1), skip: skip, limit: limit}
		var err error
		if seen.span, err = store.RecordSpan(ctx, acme, l.sub, skip, limit); err != nil {
			return seen, err
		}
		if seen.span.Count > 0 {
			records, err := store.RecordRange(ctx, acme, l.sub, seen.span.Low, seen.span.High)
			if err != nil {
				return seen, err
			}
			if int64(len(records)) != seen.span.Count {
				continue
			}
			seen.numbers = seqs(records)
		}
		seen.to = l.clock.Add(1)
		return seen, nil
	}
}

// checkSights compares each page with the lifetimes.
func (l *livingList) checkSights(b *bench, sights []sight) {
	b.Helper()
	for _, s := range sights {
		var least, most, leastNewer, mostNewer int64
		for number, one := range l.lives {
			surely, possibly := one.surely(s.from, s.to), one.possibly(s.from, s.to)
			newer := len(s.numbers) > 0 && number > s.numbers[0]
			if surely {
				least++
			}
			if possibly {
				most++
			}
			if surely && newer {
				leastNewer++
			}
			if possibly && newer {
				mostNewer++
			}
			if surely && !newer && len(s.numbers) > 0 && number > s.numbers[len(s.numbers)-1] && !slices.Contains(s.numbers, number) {
				b.Errorf("%+v lacks %d, which was there all the time", s, number)
			}
		}
		if s.span.Total < least || s.span.Total > most {
			b.Errorf("%+v: at that time there were %d to %d", s, least, most)
		}
		if want := min(s.limit, max(0, s.span.Total-s.skip)); int64(len(s.numbers)) != want {
			b.Errorf("%+v has %d records, not %d", s, len(s.numbers), want)
		}
		if len(s.numbers) > 0 && (s.skip < leastNewer || s.skip > mostNewer) {
			b.Errorf("%+v begins after %d to %d others", s, leastNewer, mostNewer)
		}
		for i, number := range s.numbers {
			if i > 0 && s.numbers[i-1] <= number {
				b.Errorf("%+v is not newest first", s)
			}
			if one := l.lives[number]; one == nil || !one.possibly(s.from, s.to) {
				b.Errorf("%+v has %d, which was not there at that time", s, number)
			}
		}
	}
}

// checkWalk compares a walk from the first page to the end with the lifetimes: a record that remained may be missed
// only once per concurrent deletion, and repeated only once per concurrent insertion.
func (l *livingList) checkWalk(b *bench, walk []sight) {
	b.Helper()
	from, to := walk[0].from, walk[len(walk)-1].to
	var listed []int64
	for _, s := range walk {
		listed = append(listed, s.numbers...)
	}
	all := len(listed)
	slices.Sort(listed)
	listed = slices.Compact(listed)
	came, went, missed := 0, 0, 0
	for number, one := range l.lives {
		if one.insertBegan < to && one.inserted > from {
			came++
		}
		if one.deleteBegan != 0 && one.deleteBegan < to && one.deleted > from {
			went++
		}
		if _, seen := slices.BinarySearch(listed, number); !seen && one.surely(from, to) {
			missed++
		}
	}
	if missed > went {
		b.Errorf("a walk of %d pages misses %d records that stayed, with %d deleted meanwhile", len(walk), missed, went)
	}
	if repeated := all - len(listed); repeated > came {
		b.Errorf("a walk of %d pages repeats %d records, with %d inserted meanwhile", len(walk), repeated, came)
	}
}

// checkQuiet checks the list without concurrent writes: its pages have the live
// records, each once, newest first, and the total is their number.
func (l *livingList) checkQuiet(b *bench, limit int64) {
	b.Helper()
	var want, got []int64
	for number, one := range l.lives {
		if one.deleteBegan == 0 {
			want = append(want, number)
		}
	}
	slices.Sort(want)
	slices.Reverse(want)
	walk, err := l.walk(b.Context(), b.Store, limit)
	b.must(err)
	for _, s := range walk {
		got = append(got, s.numbers...)
		equal(b, "total", s.span.Total, int64(len(want)))
	}
	equal(b, "pages together", got, want)
}
