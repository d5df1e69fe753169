package mongostore

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// Schema returns the versions of what this package stores, for mongox.Up.
func Schema() []mongox.Component {
	return []mongox.Component{
		{Name: "records", Fresh: mongox.FromNothing(Indexes()...), Steps: []mongox.Step{
			mongox.CreateIndexes(1, baseline()...),
			mongox.CreateIndexes(2, governance()...),
			summaries(),
			eventReferences(),
			narrowed(),
		}},
		// The list of a sub-collection's approved records, for viewers. Older versions work with it.
		{Name: "approved", Fresh: mongox.FromNothing(approvedOnly()), Steps: []mongox.Step{
			mongox.CreateIndexes(1, index("records", "approved", "org", "event", "type", "deleted", "status", "seq")),
			mongox.ReplaceIndexes(1, []mongox.Index{approvedOnly()}, "records.approved"),
		}},
		{Name: "teams", Steps: []mongox.Step{mongox.CreateIndexes(1, teams()...)}},
		{Name: "imports", Steps: []mongox.Step{mongox.CreateIndexes(1, importIndexes()...)}},
		{Name: "suppliers", Steps: []mongox.Step{mongox.CreateIndexes(1, supplierIndex())}},
		// The older states of each organization's policy.
		{Name: "policies", Steps: []mongox.Step{mongox.CreateIndexes(1, policyIndex())}},
		{Name: "packs", Steps: []mongox.Step{mongox.CreateIndexes(1, packIndexes()...)}},
	}
}

// Indexes returns the indexes of the newest version.
//
// Fields that few documents have, a mark or a position in the queue, are in partial
// indexes: a write of any other document does not touch them. Queries name the
// condition of the index, so that the server can use it.
func Indexes() []mongox.Index {
	all := []mongox.Index{
		unique("events", "slot", "org", "slot"),
		unique("events", "reference", "org", "refKey"),
		index("events", "deleted", "org", "deleted", "slot"),
		unique("records", "seq", "org", "event", "type", "seq"),
		unique("records", "reference", "org", "event", "type", "refKey"),
		approvedOnly(),
		unique("history", "rev", "org", "record", "rev"),
		unique("event_history", "rev", "org", "event", "rev"),
		index("idempotency_keys", "expiry", "org", "expiresAt"),
		unique("import_parts", "n", "org", "import", "n"),
		supplierIndex(),
	}
	return slices.Concat(all, narrowedIndexes(), teams(), importIndexes(), []mongox.Index{policyIndex()}, packIndexes())
}

// narrowed is version 5: partial indexes hold only the documents they are for, the page index covers the counts by
// state, and idempotency keys expire by a TTL index. Version 4 works with it.
func narrowed() mongox.Step {
	return mongox.ReplaceIndexes(4, narrowedIndexes(),
		"events.unfolded", "events.marked", "events.gate",
		"records.page", "records.unfolded", "records.status", "records.queue", "records.marked", "records.sweep", "records.untallied",
		"imports.open")
}

func narrowedIndexes() []mongox.Index {
	isDeleted, isOpen := bson.D{eq("deleted", true)}, bson.D{eq("open", true)}
	return []mongox.Index{
		index("events", "unfolded_only", "org", "deleted", "folded", "_id").Where(isDeleted),
		index("events", "marked_only", "mark", "org", "_id").Where(bson.D{isMarked()}),
		index("events", "closing_only", "gateState", "_id", "org").Where(bson.D{eq("gateState", record.GateClosing)}),

		// Pages, their entity tags, and the counts of a block by state.
		index("records", "pages", "org", "event", "type", "deleted", "seq", "rev", "contextRev", "status"),
		index("records", "unfolded_only", "org", "event", "type", "deleted", "folded").Where(isDeleted),
		// Undecided records of an event: drafts, and the review queue in order.
		index("records", "undecided", "org", "event", "deleted", "status", "createdAt", "_id").Where(bson.D{eq("deleted", false), eq("status", isUndecided())}),
		// The review queue of the organization. It has the event, so that records of
		// deleted events are passed over in the index.
		index("records", "waiting", "org", "deleted", "status", "createdAt", "_id", "event").Where(isWaiting()),
		index("records", "marked_only", "org", "event", "mark").Where(bson.D{isMarked()}),
		index("records", "sweep_only", "mark", "event", "org").Where(bson.D{isMarked()}),
		index("records", "untallied_only", "org", "event", "untallied", "type", "seq").Where(bson.D{isUntallied()}),

		{Collection: "idempotency_keys", Name: "expired", Keys: mongox.Ascending("expiresAt"), Expires: true},
		index("imports", "open_only", "open", "_id", "org", "event").Where(isOpen),
	}
}

func approvedOnly() mongox.Index {
	return index("records", "approved_only", "org", "event", "type", "deleted", "status", "seq").Where(bson.D{eq("deleted", false), eq("status", record.Approved)})
}

func supplierIndex() mongox.Index {
	return unique("supplier_factors", "version", "org", "key", "version")
}

func policyIndex() mongox.Index { return unique("policies", "rev", "org", "rev") }

func importIndexes() []mongox.Index {
	return []mongox.Index{
		index("imports", "event", "org", "event", "createdAt", "_id"),
		index("imports", "file", "org", "event", "hash", "createdAt"),
	}
}

// isUndecided is the condition on states in which a record is not decided.
func isUndecided() bson.D {
	return bson.D{eq("$in", bson.A{record.Unsubmitted, record.ChangesRequested, record.Submitted, record.InReview})}
}

// undecidedBut is the condition on those of these states that are not excluded. It repeats the list of the partial
// index: a server uses such an index only if the condition has the same list, or is one value of it.
func undecidedBut(excluded ...record.Status) bson.E {
	return eq("status", append(isUndecided(), eq("$nin", excluded)))
}

// isWaiting is the condition on records that wait for a decision.
func isWaiting() bson.D {
	return bson.D{eq("deleted", false), eq("status", bson.D{eq("$in", bson.A{record.Submitted, record.InReview})})}
}

// summaries is version 3: the counts of an event's records by state, and the headline of the newest result. Version 2
// would change a state without updating the counts. Events with approved records are marked, so that the
// recalculation stores their headline.
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

// eventReferences is version 4: external references of events. Version 3 would store a second event without a key,
// which the index rejects.
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

// governance is version 2: histories of events, and the gate of a sign-off. Version 1 would approve records of a
// signed event.
func governance() []mongox.Index {
	return []mongox.Index{
		unique("event_history", "rev", "org", "event", "rev"),
		index("events", "gate", "gateState", "_id", "org"),
	}
}

// baseline is version 1: the indexes that predate stored versions.
func baseline() []mongox.Index {
	return []mongox.Index{
		unique("events", "slot", "org", "slot"),
		index("events", "deleted", "org", "deleted", "slot"),
		index("events", "unfolded", "org", "deleted", "folded"),
		index("events", "marked", "mark", "org", "_id"),

		unique("records", "seq", "org", "event", "type", "seq"),
		unique("records", "reference", "org", "event", "type", "refKey"),
		// Pages and their entity tags.
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
