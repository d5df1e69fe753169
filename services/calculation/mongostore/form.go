package mongostore

import (
	"context"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// apart is the detail of a node whose children are fields of its document. It is not a string: a version that knows
// only whole nodes fails at such a node, whereas it would interpret a missing string as a node without records.
const apart = true

// separated is the version of the schema from which on children are written as fields.
const separated = 3

// separateChildren is version 3: only the changes of a node are written, some kilobytes instead of some tens of them
// (ADR 0051). Nothing is migrated; each node takes the new form with its next write. Version 2 cannot read it.
func separateChildren() mongox.Step {
	return mongox.Step{MinReader: separated, Contract: true, Apply: func(context.Context, *mongo.Database) error { return nil }}
}

// form is the form in which nodes are written: whole, until the schema of the database states that no program remains
// that only reads those. Both forms are always read.
type form struct {
	db        *mongo.Database
	separates atomic.Bool
	asked     atomic.Int64 // when, in seconds
}

// askAgain is how many seconds pass until a process that writes nodes whole notices
// that it need not any more.
const askAgain = 60

// separate reports whether the children of nodes are to be fields.
func (f *form) separate(ctx context.Context) bool {
	if f.separates.Load() {
		return true
	}
	last, now := f.asked.Load(), time.Now().Unix()
	if now-last >= askAgain && f.asked.CompareAndSwap(last, now) {
		_ = f.ask(ctx) // the whole form is always correct
	}
	return f.separates.Load()
}

// ask reads the version of the schema.
func (f *form) ask(ctx context.Context) error {
	f.asked.Store(time.Now().Unix())
	all, err := mongox.SchemaStatus(ctx, f.db, Schema()...)
	if err == nil && all[0].Stored.Version >= separated {
		f.separates.Store(true)
	}
	return err
}
