package recordtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/record"
)

// racers is the number of concurrent goroutines: enough to conflict on every engine.
const racers = 24

// race calls fn n times concurrently and returns the errors.
func race(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	ready := make(chan struct{})
	var started, done sync.WaitGroup
	for i := range n {
		started.Add(1)
		done.Go(func() {
			started.Done()
			<-ready
			errs[i] = fn(i)
		})
	}
	started.Wait()
	close(ready)
	done.Wait()
	return errs
}

// tally counts the successes and checks that every other error is refusal.
func (b *bench) tally(errs []error, refusal error) (succeeded int) {
	b.Helper()
	for _, err := range errs {
		switch {
		case err == nil:
			succeeded++
		case !errors.Is(err, refusal):
			b.Errorf("got error %v, want %v", err, refusal)
		}
	}
	return succeeded
}

func raceTests() []test {
	return []test{
		{"of many that replace one revision of a record exactly one wins", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			r := b.insert(acme, draft(flights, "r1"))
			for range 3 {
				var winner atomic.Int64
				errs := race(racers, func(i int) error {
					mine := next(r)
					mine.ReviewComment = fmt.Sprint(i)
					err := stores[i%2].ReplaceRecord(b.Context(), acme, mine, r.Rev)
					if err == nil {
						winner.Store(int64(i))
					}
					return err
				})
				equal(b, "winners", b.tally(errs, record.ErrConflict), 1)
				got := b.read(acme, r.Key())
				equal(b, "revision", got.Rev, r.Rev+1)
				equal(b, "what is stored", got.ReviewComment, fmt.Sprint(winner.Load()))
				r = got
			}
		}},
		{"of many that replace one revision of an event or organization exactly one wins", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			e := b.insertEvent(acme, gala)
			b.must(b.InsertOrganization(b.Context(), someOrganization(acme)))
			errs := race(racers, func(i int) error {
				mine := e
				mine.Rev, mine.Title = 2, fmt.Sprint(i)
				return stores[i%2].ReplaceEvent(b.Context(), acme, mine, 1)
			})
			equal(b, "winners", b.tally(errs, record.ErrConflict), 1)
			errs = race(racers, func(i int) error {
				o := someOrganization(acme)
				o.Rev, o.Name = 2, fmt.Sprint(i)
				return stores[i%2].ReplaceOrganization(b.Context(), o, 1)
			})
			equal(b, "winners", b.tally(errs, record.ErrConflict), 1)
		}},
		{"records inserted at once get the numbers 1 to n, each once", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			got := make([]int64, racers)
			errs := race(racers, func(i int) error {
				stored, err := stores[i%2].InsertRecord(b.Context(), acme, draft(flights, record.ID(fmt.Sprint("r", i))))
				got[i] = stored.Seq
				return err
			})
			equal(b, "successes", b.tally(errs, nil), racers)
			records, err := b.RecordRange(b.Context(), acme, flights, 1, racers)
			b.must(err)
			equal(b, "number of records", len(records), racers)
			for _, r := range records {
				equal(b, "stored under the number returned", r.ID, record.ID(fmt.Sprint("r", slices.Index(got, r.Seq))))
			}
			slices.Sort(got)
			for i, seq := range got {
				equal(b, "seq", seq, int64(i+1))
			}
			b.wantRecords(acme, flights, layout{Max: racers})
		}},
		{"of many that insert one reference at once exactly one wins, and no number is lost", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			errs := race(racers, func(i int) error {
				_, err := stores[i%2].InsertRecord(b.Context(), acme, referring(flights, record.ID(fmt.Sprint("r", i)), "A-1"))
				return err
			})
			equal(b, "winners", b.tally(errs, record.ErrDuplicateReference), 1)
			b.wantRecords(acme, flights, layout{Max: 1})
		}},
		{"of many that insert one id at once exactly one wins", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			errs := race(racers, func(i int) error {
				r := referring(flights, "r1", "A-1")
				r.Notices = nil
				_, err := stores[i%2].InsertRecord(b.Context(), acme, r)
				return err
			})
			equal(b, "winners", b.tally(errs, record.ErrDuplicate), 1)
			errs = race(racers, func(i int) error {
				_, err := stores[i%2].InsertEvent(b.Context(), acme, someEvent(gala), record.Unlimited)
				return err
			})
			equal(b, "winners", b.tally(errs, record.ErrDuplicate), 1)
			used, err := b.UsedSlots(b.Context(), acme)
			b.must(err)
			equal(b, "used slots", used, 1)
		}},
		{"of many that take one reference by replacing exactly one wins", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			all := b.fill(acme, flights, "r", 12)
			errs := race(len(all), func(i int) error {
				mine := next(all[i])
				mine.Reference = "A-1"
				return stores[i%2].ReplaceRecord(b.Context(), acme, mine, 1)
			})
			equal(b, "winners", b.tally(errs, record.ErrDuplicateReference), 1)
		}},
		{"with k events left in the quota exactly k of many inserts succeed", func(b *bench) {
			const quota, before = 7, 2
			stores := []record.Store{b.Store, b.another(), b.another()}
			for i := range before {
				b.insertEvent(acme, record.EventID(fmt.Sprint("before", i)))
			}
			got := make([]int64, racers)
			errs := race(racers, func(i int) error {
				e, err := stores[i%3].InsertEvent(b.Context(), acme, someEvent(record.EventID(fmt.Sprint("e", i))), quota)
				got[i] = e.Slot
				return err
			})
			equal(b, "successes", b.tally(errs, record.ErrQuota), quota-before)
			b.wantEvents(acme, layout{Max: quota})
			slices.Sort(got)
			equal(b, "slots returned", got[racers-5:], []int64{3, 4, 5, 6, 7})
		}},
		{"a mark set while another is cleared is not lost", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			r := b.insert(acme, marked(flights, "r1", "m1"))
			for round := range 6 {
				old, mark := r.Mark, fmt.Sprint("m", round+2)
				r = next(r)
				r.Mark = mark
				errs := race(2, func(i int) error {
					if i == 0 {
						return stores[0].ReplaceRecord(b.Context(), acme, r, r.Rev-1)
					}
					return stores[1].ClearRecordMarks(b.Context(), acme, gala, []record.MarkedRecord{{Type: "flights", ID: "r1", Seq: 1, Mark: old}})
				})
				b.must(errors.Join(errs...))
				equal(b, "record", b.read(acme, r.Key()), r)
			}
		}},
		{"a span read while records come and go is one that existed", layoutWhileWriting},
		{"a span read while events come and go is one that existed", slotsWhileWriting},
	}
}

// layoutWhileWriting inserts and deletes in a fixed order during reads, so that every
// layout that ever existed is known.
func layoutWhileWriting(b *bench) {
	stores := []record.Store{b.Store, b.another()}
	const n = 20
	existed := []layout{{}}
	now := layout{}
	for i := int64(1); i <= n; i++ {
		now.Max = i
		existed = append(existed, now)
		if i%2 == 0 {
			// First the records at the end, then those at the beginning, so that
			// readers in either direction encounter both.
			gone := i
			if i%4 == 0 {
				gone = i/4*2 - 1
			}
			now.Deleted = append(slices.Clone(now.Deleted), gone)
			slices.Sort(now.Deleted)
			existed = append(existed, now)
		}
	}
	stop := make(chan struct{})
	errs := race(4, func(who int) error {
		if who == 0 {
			defer close(stop)
			return writeLayouts(b, stores[0], existed)
		}
		for last, round := 0, int64(0); ; round++ {
			skip, limit := round*int64(who)%7, 1+round%4
			span, err := stores[who%2].RecordSpan(b.Context(), acme, flights, skip, limit)
			if err != nil {
				return err
			}
			later := slices.IndexFunc(existed[last:], func(l layout) bool { return l.span(skip, limit) == span })
			if later < 0 {
				return fmt.Errorf("the %d after %d were never %+v, or not after %+v", limit, skip, span, existed[last])
			}
			last += later
			select {
			case <-stop:
				return nil
			default:
			}
		}
	})
	b.must(errors.Join(errs...))
	b.wantRecords(acme, flights, existed[len(existed)-1])
}

// writeLayouts changes each layout into the next.
func writeLayouts(b *bench, store record.Store, layouts []layout) error {
	bySeq := map[int64]record.Record{}
	for i, l := range layouts[1:] {
		before := layouts[i]
		if l.Max > before.Max {
			r, err := store.InsertRecord(b.Context(), acme, draft(flights, record.ID(fmt.Sprint("r", l.Max))))
			if err != nil {
				return err
			}
			bySeq[r.Seq] = r
			continue
		}
		for _, seq := range l.Deleted {
			if slices.Contains(before.Deleted, seq) {
				continue
			}
			if err := store.ReplaceRecord(b.Context(), acme, deleted(bySeq[seq]), 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// slotsWhileWriting does the same with events: one is inserted, then the one before the
// last is deleted, alternately, so that every set of slots is determined by its highest
// and its size.
func slotsWhileWriting(b *bench) {
	stores := []record.Store{b.Store, b.another()}
	stop := make(chan struct{})
	errs := race(3, func(who int) error {
		if who == 0 {
			defer close(stop)
			return replaceSlots(b, stores[0])
		}
		for {
			span, err := stores[who%2].EventSpan(b.Context(), acme, 0, 10)
			if err != nil {
				return err
			}
			// Either only k, or k+1 and k.
			if span.Total > 2 || span.Count != span.Total || span.Count > 0 && span.High != span.Low+span.Count-1 {
				return fmt.Errorf("the slots of %+v were never taken together", span)
			}
			select {
			case <-stop:
				return nil
			default:
			}
		}
	})
	b.must(errors.Join(errs...))
}

func replaceSlots(b *bench, store record.Store) error {
	var previous record.Event
	for i := range 15 {
		e, err := store.InsertEvent(b.Context(), acme, someEvent(record.EventID(fmt.Sprint("e", i))), record.Unlimited)
		if err != nil {
			return err
		}
		if i > 0 {
			previous.Rev, previous.Deleted = 2, true
			if err := store.ReplaceEvent(b.Context(), acme, previous, 1); err != nil {
				return err
			}
		}
		previous = e
	}
	return nil
}
