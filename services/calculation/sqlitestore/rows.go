package sqlitestore

import "github.com/eventcarbon/ecf/libs/sqlitex"

// byKey is version 4: the tables of long values have rows that an index finds, where the
// key was the row. SQLite searches a table WITHOUT ROWID by comparing whole rows, and reads
// all of one to compare it, however long it is: finding one segment of an event of a
// million records read the details of a dozen others, 37 kB each. Names, columns and keys
// stay, so that a program of version 1 works with the file as it did.
func byKey() sqlitex.Step {
	var all []string
	for _, t := range []struct{ name, columns, key string }{
		{"result_nodes", `org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL`, "org, event, level, type, idx"},
		{"result_node_details", `org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, detail TEXT NOT NULL`,
			"org, event, level, type, idx"},
		{"result_facts", `org TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, facts BLOB NOT NULL`, "org, event, type, idx"},
		{"results", `org TEXT NOT NULL, event TEXT NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL`, "org, event"},
	} {
		all = append(all,
			`CREATE TABLE `+t.name+`_by_key (`+t.columns+`, PRIMARY KEY (`+t.key+`))`,
			`INSERT INTO `+t.name+`_by_key SELECT * FROM `+t.name+` ORDER BY `+t.key,
			`DROP TABLE `+t.name,
			`ALTER TABLE `+t.name+`_by_key RENAME TO `+t.name,
		)
	}
	return sqlitex.Statements(1, all...)
}
