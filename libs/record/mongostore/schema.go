package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// Schema returns the versions of what this package stores, for mongox.Up.
func Schema() []mongox.Component {
	return []mongox.Component{
		{Name: "records", Steps: []mongox.Step{
			mongox.CreateIndexes(1, baseline()...),
			mongox.CreateIndexes(2, governance()...),
			summaries(),
			eventReferences(),
		}},
		// The list of a sub-collection's approved records, for viewers. Programs that do
		// not know it work beside it.
		{Name: "approved", Steps: []mongox.Step{
			mongox.CreateIndexes(1, index("records", "approved", "org", "event", "type", "deleted", "status", "seq")),
		}},
		{Name: "teams", Steps: []mongox.Step{mongox.CreateIndexes(1, teams()...)}},
		{Name: "imports", Steps: []mongox.Step{mongox.CreateIndexes(1,
			index("imports", "event", "org", "event", "createdAt", "_id"),
			index("imports", "file", "org", "event", "hash", "createdAt"),
		)}},
	}
}

// summaries is version 3: how many records of an event are in each state, and
// the newest result in short. A program of version 2 would change a state without
// saying so. Events with approved records are marked: their headline is stored by
// the recalculation, which finds nothing else to do.
func summaries() mongox.Step {
	create := mongox.CreateIndexes(3, index("records", "untallied", "org", "event", "untallied", "type", "seq"))
	return mongox.Step{MinReader: create.MinReader, Apply: func(ctx context.Context, db *mongo.Database) error {
		if err := create.Apply(ctx, db); err != nil {
			return err
		}
		s := Attach(db)
		return s.eachOrganization(ctx, s.summarizeEvents)
	}}
}

// eventReferences is version 4: the clients' own keys of events. A program of
// version 3 would store a second event without a key, which the index refuses.
func eventReferences() mongox.Step {
	create := mongox.CreateIndexes(4, unique("events", "reference", "org", "refKey"))
	return mongox.Step{MinReader: create.MinReader, Apply: func(ctx context.Context, db *mongo.Database) error {
		s := Attach(db)
		if err := s.eachOrganization(ctx, s.keyEvents); err != nil {
			return err
		}
		return create.Apply(ctx, db)
	}}
}

// governance is version 2: histories of events, and the gate of a sign-off. A
// program of version 1 would approve records of a signed event.
func governance() []mongox.Index {
	return []mongox.Index{
		unique("event_history", "rev", "org", "event", "rev"),
		index("events", "gate", "gateState", "_id", "org"),
	}
}

// baseline is version 1: the indexes as they were before versions were stored.
func baseline() []mongox.Index {
	return []mongox.Index{
		unique("events", "slot", "org", "slot"),
		index("events", "deleted", "org", "deleted", "slot"),
		index("events", "unfolded", "org", "deleted", "folded"),
		index("events", "marked", "mark", "org", "_id"),

		unique("records", "seq", "org", "event", "type", "seq"),
		unique("records", "reference", "org", "event", "type", "refKey"),
		// A page, and what it takes to know that it has not changed.
		index("records", "page", "org", "event", "type", "deleted", "seq", "rev", "contextRev"),
		index("records", "unfolded", "org", "event", "type", "deleted", "folded"),
		// The states of an event, and its review queue in order.
		index("records", "status", "org", "event", "deleted", "status", "createdAt", "_id"),
		index("records", "queue", "org", "deleted", "status", "createdAt", "_id"),
		index("records", "marked", "org", "event", "mark"),
		index("records", "sweep", "mark", "event", "org"),

		unique("history", "rev", "org", "record", "rev"),
		index("idempotency_keys", "expiry", "org", "expiresAt"),
		index("imports", "open", "open"),
		unique("import_parts", "n", "org", "import", "n"),
	}
}

func index(collection, name string, fields ...string) mongox.Index {
	return mongox.Index{Collection: collection, Name: name, Keys: mongox.Ascending(fields...)}
}

func unique(collection, name string, fields ...string) mongox.Index {
	i := index(collection, name, fields...)
	i.Unique = true
	return i
}
