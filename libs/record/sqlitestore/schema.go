package sqlitestore

import "github.com/eventcarbon/ecf/libs/sqlitex"

// Schema returns the tables and their versions. Pass it to sqlitex.Open.
//
// What is queried is a column; the rest of a document is JSON in body. The
// canonical JSON values are columns of their own, stored as the bytes they
// are: they are hashed. Times are Unix milliseconds.
//
// The partial indexes hold only the rows their readers ask for, so that a
// layout costs what is deleted, and a sweep what is marked, however many
// records there are.
func Schema() []sqlitex.Component {
	return []sqlitex.Component{
		{Name: "records", Steps: []sqlitex.Step{baseline(), governance(), summaries(), eventReferences()}},
		{Name: "approved", Steps: []sqlitex.Step{approved()}},
		{Name: "teams", Steps: []sqlitex.Step{teams()}},
		{Name: "imports", Steps: []sqlitex.Step{importIndexes()}},
		{Name: "suppliers", Steps: []sqlitex.Step{suppliers(), supplierRows()}},
		{Name: "policies", Steps: []sqlitex.Step{policies()}},
		{Name: "governed", Steps: []sqlitex.Step{everApproved()}},
		{Name: "keys", Steps: []sqlitex.Step{keyNotes()}},
		{Name: "packs", Steps: []sqlitex.Step{factorPacks()}},
	}
}

// keyNotes stores the audit note with the response of a key. Older versions store none.
func keyNotes() sqlitex.Step {
	return sqlitex.Statements(1, `ALTER TABLE idempotency_keys ADD COLUMN note TEXT NOT NULL DEFAULT ''`)
}

// importIndexes find the imports of an event, and those of a file. The table is of
// component records.
func importIndexes() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE INDEX IF NOT EXISTS imports_event ON imports (org, event, julianday(json_extract(body, '$.createdAt')), id)`,
		`CREATE INDEX IF NOT EXISTS imports_file ON imports (org, event, json_extract(body, '$.hash'), julianday(json_extract(body, '$.createdAt')))`,
	)
}

// supplierRows is version 2 of suppliers: factors are rows found by an index. A row has about 1.3 kB with an
// approval. In a table WITHOUT ROWID, at most a quarter of a page of a row is in the tree and the rest on overflow
// pages: 4.7 kB per row instead of 1.5. Names, columns and keys are unchanged, so version 1 still works with the
// file.
func supplierRows() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE supplier_factors_rows (
			id      TEXT    NOT NULL PRIMARY KEY,
			org     TEXT    NOT NULL,
			key     TEXT    NOT NULL,
			version INTEGER NOT NULL,
			rev     INTEGER NOT NULL,
			deleted INTEGER NOT NULL,
			body    TEXT    NOT NULL
		) STRICT`,
		`INSERT INTO supplier_factors_rows SELECT * FROM supplier_factors ORDER BY id`,
		`DROP TABLE supplier_factors`,
		`ALTER TABLE supplier_factors_rows RENAME TO supplier_factors`,
		`CREATE UNIQUE INDEX supplier_factors_version ON supplier_factors (org, key, version DESC)`,
	)
}

// governance is version 2: histories of events, and the gate of a sign-off. Version 1 would approve records of a
// signed event.
func governance() sqlitex.Step {
	return sqlitex.Statements(2,
		`ALTER TABLE events ADD COLUMN governance TEXT`,
		`ALTER TABLE events ADD COLUMN gate TEXT NOT NULL DEFAULT ''`,
		`CREATE INDEX events_closing ON events (id, org) WHERE gate = 'closing'`,
		`ALTER TABLE records ADD COLUMN fence INTEGER NOT NULL DEFAULT 0`,
		`CREATE TABLE event_history (
			org   TEXT    NOT NULL,
			event TEXT    NOT NULL,
			rev   INTEGER NOT NULL,
			entry TEXT    NOT NULL,
			PRIMARY KEY (org, event, rev)
		) STRICT, WITHOUT ROWID`,
		`ALTER TABLE organizations ADD COLUMN policy TEXT`,
	)
}

// everApproved records whether a record of an event has ever been approved. Older versions keep it and approve
// without setting it; approved records are counted as well.
func everApproved() sqlitex.Step {
	return sqlitex.Statements(1, `ALTER TABLE events ADD COLUMN ever_approved INTEGER NOT NULL DEFAULT 0`)
}

// approved is the list of a sub-collection's approved records, for viewers. Older versions work with it.
func approved() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE INDEX records_approved ON records (org, event, type, seq) WHERE deleted = 0 AND status = 'approved'`)
}

// summaries is version 3: the counts of an event's records by state, maintained by triggers, so that they are correct
// with any version; and the headline of the newest result. Events with approved records are marked, so that the
// recalculation stores their headline.
func summaries() sqlitex.Step {
	return sqlitex.Statements(2,
		`CREATE TABLE record_counts (
			org    TEXT    NOT NULL,
			event  TEXT    NOT NULL,
			status TEXT    NOT NULL,
			n      INTEGER NOT NULL,
			PRIMARY KEY (org, event, status)
		) STRICT, WITHOUT ROWID`,
		`INSERT INTO record_counts SELECT org, event, status, COUNT(*) FROM records WHERE deleted = 0 GROUP BY org, event, status`,
		`CREATE TRIGGER records_counted_in AFTER INSERT ON records WHEN NEW.deleted = 0 BEGIN
			INSERT INTO record_counts (org, event, status, n) VALUES (NEW.org, NEW.event, NEW.status, 1)
			ON CONFLICT (org, event, status) DO UPDATE SET n = n + 1;
		END`,
		`CREATE TRIGGER records_counted_on AFTER UPDATE OF status, deleted ON records
			WHEN OLD.status <> NEW.status OR OLD.deleted <> NEW.deleted BEGIN
			UPDATE record_counts SET n = n - 1
			WHERE OLD.deleted = 0 AND org = OLD.org AND event = OLD.event AND status = OLD.status;
			INSERT INTO record_counts (org, event, status, n) SELECT NEW.org, NEW.event, NEW.status, 1 WHERE NEW.deleted = 0
			ON CONFLICT (org, event, status) DO UPDATE SET n = n + 1;
		END`,
		`ALTER TABLE events ADD COLUMN headline TEXT`,
		`UPDATE events SET mark = printf('%012x-%s', CAST(strftime('%s', 'now') AS INTEGER) * 1000, lower(hex(randomblob(8))))
			WHERE mark = '' AND deleted = 0 AND EXISTS (SELECT 1 FROM records r
				WHERE r.org = events.org AND r.event = events.id AND r.deleted = 0 AND r.status = 'approved')`,
	)
}

// eventReferences is version 4: external references of events. Version 3 would lose the metadata of an event with its
// next change.
func eventReferences() sqlitex.Step {
	return sqlitex.Statements(4,
		`ALTER TABLE events ADD COLUMN reference TEXT NOT NULL DEFAULT ''`,
		`CREATE UNIQUE INDEX events_reference ON events (org, reference) WHERE deleted = 0 AND reference <> ''`,
	)
}

// baseline is version 1: the layout that predates stored versions. Every statement does nothing if its object exists.
func baseline() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE IF NOT EXISTS organizations (
			id         TEXT    NOT NULL PRIMARY KEY,
			name       TEXT    NOT NULL,
			plan       TEXT    NOT NULL,
			four_eyes  INTEGER NOT NULL,
			created_at INTEGER NOT NULL,
			rev        INTEGER NOT NULL
		) STRICT, WITHOUT ROWID`,
		// The automatic approval of organizations that have it on.
		`CREATE TABLE IF NOT EXISTS auto_approvals (
			org            TEXT    NOT NULL PRIMARY KEY,
			below_kg       TEXT    NOT NULL,
			spot_check     INTEGER NOT NULL,
			by_id          TEXT    NOT NULL,
			by_name        TEXT    NOT NULL,
			by_role        TEXT    NOT NULL
		) STRICT, WITHOUT ROWID`,

		`CREATE TABLE IF NOT EXISTS events (
			id          TEXT    NOT NULL PRIMARY KEY,
			org         TEXT    NOT NULL,
			slot        INTEGER NOT NULL,
			rev         INTEGER NOT NULL,
			context_rev INTEGER NOT NULL,
			mark        TEXT    NOT NULL,
			deleted     INTEGER NOT NULL,
			created_at  INTEGER NOT NULL,
			updated_at  INTEGER NOT NULL,
			boundary    TEXT,
			body        TEXT    NOT NULL
		) STRICT`,
		`CREATE UNIQUE INDEX IF NOT EXISTS events_slot ON events (org, slot)`,
		`CREATE INDEX IF NOT EXISTS events_live ON events (org, slot) WHERE deleted = 0`,
		`CREATE INDEX IF NOT EXISTS events_deleted ON events (org, slot) WHERE deleted = 1`,
		`CREATE INDEX IF NOT EXISTS events_marked ON events (mark, org, id) WHERE mark <> ''`,

		`CREATE TABLE IF NOT EXISTS records (
			id           TEXT    NOT NULL PRIMARY KEY,
			org          TEXT    NOT NULL,
			event        TEXT    NOT NULL,
			type         TEXT    NOT NULL,
			seq          INTEGER NOT NULL,
			rev          INTEGER NOT NULL,
			status       TEXT    NOT NULL,
			deleted      INTEGER NOT NULL,
			ref_key      TEXT    NOT NULL,
			reference    TEXT    NOT NULL,
			mark         TEXT    NOT NULL,
			context_rev  INTEGER NOT NULL,
			created_at   INTEGER NOT NULL,
			created_by   TEXT    NOT NULL,
			updated_at   INTEGER NOT NULL,
			fields       TEXT,
			preview      TEXT,
			contribution TEXT,
			body         TEXT    NOT NULL
		) STRICT`,
		`CREATE UNIQUE INDEX IF NOT EXISTS records_seq ON records (org, event, type, seq)`,
		`CREATE UNIQUE INDEX IF NOT EXISTS records_ref ON records (org, event, type, ref_key)`,
		`CREATE INDEX IF NOT EXISTS records_deleted ON records (org, event, type, seq) WHERE deleted = 1`,
		// Pages and their entity tags.
		`CREATE INDEX IF NOT EXISTS records_page ON records (org, event, type, seq, rev, context_rev) WHERE deleted = 0`,
		`CREATE INDEX IF NOT EXISTS records_status ON records (org, event, status) WHERE deleted = 0`,
		`CREATE INDEX IF NOT EXISTS records_queue ON records (org, event, created_at, id)
			WHERE deleted = 0 AND status IN ('submitted', 'in_review')`,
		`CREATE INDEX IF NOT EXISTS records_queue_all ON records (org, created_at, id)
			WHERE deleted = 0 AND status IN ('submitted', 'in_review')`,
		`CREATE INDEX IF NOT EXISTS records_marked ON records (org, event, mark) WHERE mark <> ''`,

		// Deleted numbers of each list, by block, and their count in each block. Event and type are empty in the list
		// of the organization's events. Files older than these tables have deleted records but no row here; the first
		// read creates it.
		`CREATE TABLE IF NOT EXISTS list_counts (
			org    TEXT NOT NULL,
			event  TEXT NOT NULL,
			type   TEXT NOT NULL,
			counts BLOB NOT NULL,
			PRIMARY KEY (org, event, type)
		) STRICT, WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS list_sets (
			org     TEXT    NOT NULL,
			event   TEXT    NOT NULL,
			type    TEXT    NOT NULL,
			block   INTEGER NOT NULL,
			numbers BLOB    NOT NULL,
			PRIMARY KEY (org, event, type, block)
		) STRICT, WITHOUT ROWID`,

		`CREATE TABLE IF NOT EXISTS history (
			org    TEXT    NOT NULL,
			record TEXT    NOT NULL,
			rev    INTEGER NOT NULL,
			event  TEXT    NOT NULL,
			entry  TEXT    NOT NULL,
			PRIMARY KEY (org, record, rev)
		) STRICT, WITHOUT ROWID`,

		`CREATE TABLE IF NOT EXISTS idempotency_keys (
			id          TEXT    NOT NULL PRIMARY KEY,
			org         TEXT    NOT NULL,
			digest      TEXT    NOT NULL,
			seed        TEXT    NOT NULL,
			lease       TEXT    NOT NULL,
			lease_until INTEGER NOT NULL,
			expires_at  INTEGER NOT NULL,
			status      INTEGER NOT NULL,
			etag        TEXT    NOT NULL,
			location    TEXT    NOT NULL,
			body        BLOB
		) STRICT`,
		`CREATE INDEX IF NOT EXISTS idempotency_keys_expiry ON idempotency_keys (org, expires_at)`,

		`CREATE TABLE IF NOT EXISTS imports (
			id    TEXT    NOT NULL PRIMARY KEY,
			org   TEXT    NOT NULL,
			event TEXT    NOT NULL,
			rev   INTEGER NOT NULL,
			open  INTEGER NOT NULL,
			body  TEXT    NOT NULL
		) STRICT`,
		`CREATE INDEX IF NOT EXISTS imports_open ON imports (id, org, event) WHERE open = 1`,
		`CREATE TABLE IF NOT EXISTS import_parts (
			org  TEXT    NOT NULL,
			id   TEXT    NOT NULL,
			n    INTEGER NOT NULL,
			part BLOB    NOT NULL,
			PRIMARY KEY (org, id, n)
		) STRICT`,
	)
}
