package eventreader_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// A page has the records of its place in the order of types, newest first, and only the segments on the way to it are
// read.
func TestPage(t *testing.T) {
	t.Parallel()
	s := newStored(t, map[string][]record.Counted{"waste": waste(2*resulttree.Fanout + 10), "ground-transport": trains(3)})
	for i, seq := range []int64{resulttree.Fanout * resulttree.Fanout, resulttree.Fanout*resulttree.Fanout + 1} { // under one top node each
		s.records["ground-transport"][i+1].Seq = seq
	}
	s.failed = []record.ID{"waste0005", "waste1030"}
	s.settle()
	var want []record.ID
	for _, typ := range []string{"waste", "ground-transport"} { // which is not the order of their names
		for _, c := range slices.Backward(s.records[typ]) {
			if !slices.Contains(s.failed, c.ID) {
				want = append(want, c.ID)
			}
		}
	}
	all := int64(len(want))
	for _, c := range []struct {
		skip, limit int64
		read        string
	}{
		{0, 1, "waste2"}, {0, 9, "waste2"}, {8, 1, "waste2"}, {9, 1, "waste1"}, {8, 2, "waste2 waste1"}, {9, 512, "waste1"}, {9, 513, "waste1 waste0"},
		{all - 4, 1, "waste0"}, {all - 4, 2, "waste0 ground-transport512"}, {all - 3, 2, "ground-transport512 ground-transport511"},
		{all - 2, 1, "ground-transport511"}, {all - 1, 10, "ground-transport0"}, {0, all - 3, "waste2 waste1 waste0"},
		{0, 5000, "waste2 waste1 waste0 ground-transport512 ground-transport511 ground-transport0"}, {all, 10, ""}, {all + 5000, 10, ""},
	} {
		s.read = nil
		part, total, err := s.reader().Page(t.Context(), org, event, c.skip, c.limit)
		if err != nil || total != all {
			t.Fatalf("from %d, at most %d: %v, %d in total", c.skip, c.limit, err, total)
		}
		var got []record.ID
		for _, r := range part {
			got = append(got, r.ID)
		}
		if expected := want[min(c.skip, all):min(c.skip+c.limit, all)]; !slices.Equal(got, expected) {
			t.Errorf("from %d, at most %d: %v, want %v", c.skip, c.limit, got, expected)
		}
		if read := strings.Join(s.read, " "); read != c.read {
			t.Errorf("from %d, at most %d: %s were read, want %s", c.skip, c.limit, read, c.read)
		}
	}
	s.fails = errors.New("an outage")
	if part, _, err := s.reader().Page(t.Context(), org, event, 0, 1); !errors.Is(err, s.fails) {
		t.Errorf("while records cannot be read: %v, %v", part, err)
	}
	s.fails = nil
	s.nodes[len(s.nodes)-1].Contribution = json.RawMessage(`{`)
	if _, _, err := s.reader().Page(t.Context(), org, event, 0, 1); err == nil {
		t.Error("a node that cannot be read was passed over")
	}
}

// way is one of the ways to read all counted records of an event. It returns what they come to, in the context of
// their result.
type way struct {
	name string
	read func(context.Context, *stored, eventreader.Limits) (sum total.Contribution, err error)
}

func ways() []way {
	return []way{
		{"together", func(ctx context.Context, s *stored, limits eventreader.Limits) (total.Contribution, error) {
			result, all, err := s.reader().Inputs(ctx, org, event, limits)
			return s.sum(all, result.Context), err
		}},
		{"by segment", func(ctx context.Context, s *stored, limits eventreader.Limits) (total.Contribution, error) {
			_, parts, err := eventreader.Groups(ctx, s.reader(), org, event, limits,
				func(result resulttree.Result, all []record.Counted) (total.Contribution, error) {
					return s.sum(all, result.Context), nil
				})
			return total.Sum(parts...), err
		}},
		{"in another context", func(ctx context.Context, s *stored, _ eventreader.Limits) (total.Contribution, error) {
			sums, err := s.reader().SumUnder(ctx, s.event, s.event.Context())
			if err == nil && string(s.text(sums.Now)) != string(s.text(sums.Next)) {
				err = errors.New("the event's own context comes to another sum than its result")
			}
			return sums.Next, err
		}},
	}
}

func unlimited() eventreader.Limits {
	return eventreader.Limits{Records: math.MaxInt64, Bytes: math.MaxInt}
}

// Records that change while they are read: what is returned are the records that one result was calculated from, and
// only segments that have changed are read again.
func TestRecordsChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	const all = "waste0 waste1 waste2"
	for _, c := range []struct {
		name    string
		between func(s *stored, readings int)
		read    []string // in the order of ways
		result  int      // whose records these are
	}{
		{"not at all", func(*stored, int) {}, []string{all, all, all}, 1},
		{"a segment that was read", func(s *stored, readings int) {
			if readings == 2 {
				s.edit(1, 7)
				s.settle()
			}
		}, []string{all, all, all}, 1},
		{"the segment that is read next", func(s *stored, readings int) {
			switch readings {
			case 1:
				s.edit(1000, 7)
			case 2:
				s.settle()
			}
		}, []string{all, "waste0 waste1 waste1 waste2", all}, 2},
		{"a segment that was read, before the result changes twice", func(s *stored, readings int) {
			switch readings {
			case 1:
				s.edit(1000, 7)
			case 2:
				s.edit(1, 9)
				s.edit(1000, 8)
				s.settle()
			}
		}, []string{all + " waste0 waste1", "waste0 waste1 waste0 waste1 waste2", all + " waste0 waste1"}, 2},
		{"the context as well", func(s *stored, readings int) {
			switch readings {
			case 1:
				s.edit(1000, 7)
			case 2:
				s.event.ContextRev++
				s.event.FactorSet = "desnz-2025"
				s.settle()
			}
		}, []string{all, "waste0 waste1 waste0 waste1 waste2", all + " " + all}, 2},
	} {
		for i, w := range ways() {
			synctest.Test(t, func(t *testing.T) {
				s := newStored(t, map[string][]record.Counted{"waste": waste(2*resulttree.Fanout + 1)})
				s.between = func(readings int) { c.between(s, readings) }
				own, begun := s.event.Context(), time.Now()
				sum, err := w.read(t.Context(), s, unlimited())
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, w.name, err)
				}
				want := s.results[c.result-1].Contribution
				if i == 2 { // in the context that the event had
					want = s.text(s.sum(s.counted[c.result-1], own))
				}
				if got := s.text(sum); string(got) != string(want) {
					t.Errorf("%s, %s: the sum is %s, want that of result %d", c.name, w.name, got, c.result)
				}
				if waited := time.Since(begun) > 0; waited != (c.result > 1) {
					t.Errorf("%s, %s: after %v", c.name, w.name, time.Since(begun))
				}
				if read := strings.Join(s.read, " "); read != c.read[i] {
					t.Errorf("%s, %s: %s were read, want %s", c.name, w.name, read, c.read[i])
				}
			})
		}
	}
}

// Records that change all the time are an outage of a moment, not a result that they do not belong to; and nobody
// waits for them longer than the caller does.
func TestRecordsThatNeverFit(t *testing.T) {
	t.Parallel()
	for _, w := range ways() {
		for _, leaves := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := newStored(t, map[string][]record.Counted{"waste": waste(3)})
				s.between = func(readings int) {
					s.edit(1, 2*readings+10)
					s.settle()
					s.edit(1, 2*readings+11)
					if leaves && readings == 3 {
						cancel()
					}
				}
				s.edit(1, 9)
				sum, err := w.read(ctx, s, unlimited())
				if leaves != errors.Is(err, context.Canceled) || !leaves && apperr.CodeOf(err) != apperr.Unavailable || sum.Records() != 0 {
					t.Errorf("%s, canceled %t: %d records, %v", w.name, leaves, sum.Records(), err)
				}
			})
		}
	}
}

// An event is read up to its limits, and not beyond.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := newStored(t, map[string][]record.Counted{"waste": waste(resulttree.Fanout + 2)})
	s.records["waste"][resulttree.Fanout+1].Seq = resulttree.Fanout*resulttree.Fanout + 1 // under a top node of its own
	s.settle()
	records, bytes := int64(len(s.records["waste"])), 0
	for _, c := range s.records["waste"] {
		bytes += len(c.Fields)
	}
	for _, w := range ways()[:2] {
		for _, c := range []struct {
			limits eventreader.Limits
			code   apperr.Code
		}{
			{eventreader.Limits{Records: records, Bytes: bytes}, ""},
			{eventreader.Limits{Records: records - 1, Bytes: bytes}, apperr.PayloadTooLarge},
			{eventreader.Limits{Records: records, Bytes: bytes - 1}, apperr.PayloadTooLarge},
		} {
			sum, err := w.read(t.Context(), s, c.limits)
			if (err == nil) != (c.code == "") || err != nil && apperr.CodeOf(err) != c.code || (err == nil) != (sum.Records() == records) {
				t.Errorf("%s, at most %+v: %d records, %v", w.name, c.limits, sum.Records(), err)
			}
		}
	}
}

// The result of an event whose context has moved on since is not what its records come to now. Records without a
// factor in the next context are named, up to a number, and in no sum.
func TestSumUnder(t *testing.T) {
	t.Parallel()
	s := newStored(t, map[string][]record.Counted{"waste": waste(resulttree.Fanout + 60)})
	ev := s.event
	ev.ContextRev++
	ev.FactorSet = "desnz-2025"
	next := ev.Context()
	next.FactorSet = "desnz-2024"
	sums, err := s.reader().SumUnder(t.Context(), ev, next)
	if err != nil || len(sums.Faults) > 0 {
		t.Fatal(err, sums.Faults)
	}
	for _, c := range []struct {
		of   footprint.EventContext
		have total.Contribution
	}{{ev.Context(), sums.Now}, {next, sums.Next}} {
		if want := s.text(s.sum(s.records["waste"], c.of)); string(s.text(c.have)) != string(want) {
			t.Errorf("with %s: %s, want %s", c.of.FactorSet, s.text(c.have), want)
		}
	}
	next.FactorSet = "none"
	for n, want := range map[int]int{3: 3, 100: 100, 101: 100, resulttree.Fanout + 2: 100} {
		s.records["waste"] = waste(n)
		s.settle()
		sums, err := s.reader().SumUnder(t.Context(), s.event, next)
		if err != nil || len(sums.Faults) != want || sums.Next.Records() != 0 || sums.Now.Records() != int64(n) {
			t.Errorf("of %d records without a factor %d are named: %d and %d are counted, %v", n, len(sums.Faults), sums.Now.Records(), sums.Next.Records(), err)
		}
	}
	s.fails = errors.New("an outage")
	if sums, err := s.reader().SumUnder(t.Context(), s.event, next); !errors.Is(err, s.fails) {
		t.Errorf("while records cannot be read: %+v, %v", sums, err)
	}
	s.fails = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sums, err := s.reader().SumUnder(ctx, s.event, next); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for it: %+v, %v", sums, err)
	}
}
