package sqlitestore

import "github.com/eventcarbon/ecf/libs/sqlitex"

// layout is a table as every version has it: by name, columns and key.
type layout struct{ name, columns, key string }

// byKey is version 4: the tables of long values have rows that an index finds, where the
// key was the row. SQLite searches a table WITHOUT ROWID by comparing whole rows, and reads
// all of one to compare it, however long it is: finding one segment of an event of a
// million records read the details of a dozen others, 37 kB each.
func byKey() sqlitex.Step {
	return foundByKey(
		layout{"result_nodes", `org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL`, "org, event, level, type, idx"},
		layout{"result_node_details", `org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, detail TEXT NOT NULL`,
			"org, event, level, type, idx"},
		layout{"result_facts", `org TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, facts BLOB NOT NULL`, "org, event, type, idx"},
		layout{"results", `org TEXT NOT NULL, event TEXT NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL`, "org, event"},
	)
}

// revisionsByKey is version 5: the same for revisions, to save space. In a table WITHOUT ROWID, at most a quarter of
// a page of a row is in the tree, and the rest on overflow pages: a revision of 1.7 kB took a whole page in addition
// to its part in the tree.
//
// Changes of nodes are unchanged: if each approval is counted separately they have 0.5 kB, and an index would add a
// sixth.
func revisionsByKey() sqlitex.Step {
	return foundByKey(layout{"result_revisions", `org TEXT NOT NULL, event TEXT NOT NULL, revision INTEGER NOT NULL, doc TEXT NOT NULL`, "org, event, revision"})
}

// foundByKey copies tables WITHOUT ROWID into rowid tables with an index. Names, columns and keys are unchanged, so
// version 1 still works with the file.
func foundByKey(tables ...layout) sqlitex.Step {
	var all []string
	for _, t := range tables {
		all = append(all,
			`CREATE TABLE `+t.name+`_by_key (`+t.columns+`, PRIMARY KEY (`+t.key+`))`,
			`INSERT INTO `+t.name+`_by_key SELECT * FROM `+t.name+` ORDER BY `+t.key,
			`DROP TABLE `+t.name,
			`ALTER TABLE `+t.name+`_by_key RENAME TO `+t.name,
		)
	}
	return sqlitex.Statements(1, all...)
}
