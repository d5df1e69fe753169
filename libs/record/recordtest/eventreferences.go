package recordtest

import (
	"fmt"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

func eventReferenceTests() []test {
	return []test{
		{"a reference is one event's in its organization, and free again when that is deleted", func(b *bench) {
			insert := func(org record.OrgID, id record.EventID, reference string) error {
				e := someEvent(id)
				e.Reference = reference
				_, err := b.InsertEvent(b.Context(), org, e, record.Unlimited)
				return err
			}
			b.must(insert(acme, gala, "A/7"))
			b.want(record.ErrDuplicateReference, insert(acme, fair, "A/7"))
			used, err := b.UsedSlots(b.Context(), acme)
			b.must(err)
			equal(b, "slots after a refusal", used, 1)
			b.must(insert(acme, fair, ""))
			b.must(insert(acme, "third", ""))
			b.must(insert(other, "theirs", "A/7"))
			// An insert with the same id is a repetition, whatever the reference.
			b.want(record.ErrDuplicate, insert(acme, gala, "A/7"))

			got, err := b.EventByReference(b.Context(), acme, "A/7")
			b.must(err)
			equal(b, "event", got.ID, gala)
			for _, absent := range []string{"", "a/7", "A/8", "id:" + string(fair)} {
				_, err := b.EventByReference(b.Context(), acme, absent)
				b.want(record.ErrNotFound, err)
			}

			e, err := b.Event(b.Context(), acme, fair)
			b.must(err)
			e.Rev, e.Reference = e.Rev+1, "A/7"
			b.want(record.ErrDuplicateReference, b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			b.deleteEvent(acme, gala)
			_, err = b.EventByReference(b.Context(), acme, "A/7")
			b.want(record.ErrNotFound, err)
			b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			got, err = b.EventByReference(b.Context(), acme, "A/7")
			b.must(err)
			equal(b, "event that has it now", got, e)
			e.Rev, e.Reference, e.Metadata = e.Rev+1, "", nil
			b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			b.must(insert(acme, "fourth", "A/7"))
		}},
		{"of events that take a reference at once one gets it", func(b *bench) {
			var group sync.WaitGroup
			outcomes := make([]error, 8)
			for i := range outcomes {
				group.Go(func() {
					e := someEvent(record.EventID(fmt.Sprint("e", i)))
					e.Reference = "once"
					_, outcomes[i] = b.InsertEvent(b.Context(), acme, e, record.Unlimited)
				})
			}
			group.Wait()
			made := 0
			for _, err := range outcomes {
				if err == nil {
					made++
					continue
				}
				b.want(record.ErrDuplicateReference, err)
			}
			equal(b, "events made", made, 1)
			used, err := b.UsedSlots(b.Context(), acme)
			b.must(err)
			equal(b, "slots used", used, 1)
		}},
	}
}
