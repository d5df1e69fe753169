package recordtest

import "github.com/eventcarbon/ecf/libs/record"

func archiveTests() []test {
	return []test{
		{"all events of a tenant are read by their slots, deleted ones too", func(b *bench) {
			for _, id := range []record.EventID{gala, fair, "event-ball"} {
				b.insertEvent(acme, id)
			}
			b.insertEvent(other, "event-foreign")
			b.deleteEvent(acme, fair)
			first, err := b.EventsAfter(b.Context(), acme, 0, 2)
			b.must(err)
			equal(b, "events", len(first), 2)
			equal(b, "first", first[0].ID, gala)
			equal(b, "deleted", first[1].Deleted, true)
			rest, err := b.EventsAfter(b.Context(), acme, first[1].Slot, 10)
			b.must(err)
			equal(b, "rest", len(rest), 1)
			equal(b, "last", rest[0].ID, record.EventID("event-ball"))
			none, err := b.EventsAfter(b.Context(), acme, 0, 0)
			b.must(err)
			equal(b, "no limit", len(none), 0)
		}},
		{"all idempotency keys and imports of a tenant are read by their ids", func(b *bench) {
			for _, id := range []string{"k3", "k1", "k2"} {
				b.insertKey(acme, someKey(id))
				b.must(b.InsertImport(b.Context(), acme, someImport("i"+id)))
			}
			b.insertKey(other, someKey("k0"))
			b.must(b.InsertImport(b.Context(), other, someImport("ik0")))
			keys, err := b.KeysAfter(b.Context(), acme, "k1", 1)
			b.must(err)
			equal(b, "keys", keys, []record.KeyEntry{someKey("k2")})
			keys, err = b.KeysAfter(b.Context(), acme, "", 10)
			b.must(err)
			equal(b, "all keys", len(keys), 3)
			imports, err := b.ImportsAfter(b.Context(), acme, "ik1", 1)
			b.must(err)
			equal(b, "imports", imports, []record.Import{someImport("ik2")})
			imports, err = b.ImportsAfter(b.Context(), acme, "", 10)
			b.must(err)
			equal(b, "all imports", len(imports), 3)
		}},
		{"a record keeps its fence, its mark and its end when it is stored anew", func(b *bench) {
			r := fullRecord(flights, "r1")
			r.Fence, r.Deleted = 4, true
			stored, refused, err := b.InsertRecords(b.Context(), acme, flights, []record.Record{r})
			b.must(err)
			b.must(refused[0])
			all, err := b.RecordsAfter(b.Context(), acme, record.Place{}, 10)
			b.must(err)
			equal(b, "records", all, stored)
			span, err := b.RecordSpan(b.Context(), acme, flights, 0, 10)
			b.must(err)
			equal(b, "listed", span.Total, 0)
		}},
	}
}
