package standalone

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// fill copies data into MongoDB, which must be empty or contain a part of the same data from an
// interrupted attempt, and compares the result with the source: every row, every chain, every
// result. Until it is finished other programs refuse the databases. If the same data have been copied there before,
// completely, it changes nothing and reports so: servers may use the databases already.
func fill(ctx context.Context, env app.Env, target Data, source transfer.Stores, want manifest) (before bool, err error) {
	target.filled = true
	to, err := openStores(ctx, env, target)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	identity, err := json.Marshal(want.Contents)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(identity)
	marks, err := openMarks(target, hex.EncodeToString(sum[:]))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, marks.disconnect()) }()
	found, err := marks.begin(ctx, to)
	if err != nil || found == copiedBefore {
		return found == copiedBefore, err
	}
	if found != comparedBefore {
		if err := copyAll(ctx, env, target, to.all(), source, want); err != nil {
			return false, err
		}
	}
	return false, marks.write(ctx, true)
}

// copyAll copies data and compares the copy with them.
func copyAll(ctx context.Context, env app.Env, target Data, to, source transfer.Stores, want manifest) error {
	if err := transfer.Copy(ctx, to, source); err != nil {
		return err
	}
	contents, err := transfer.ContentsOf(ctx, to)
	if err != nil {
		return err
	}
	if err := contents.Compare(want.Contents); err != nil {
		return fmt.Errorf("the copy is not the original: %w", err)
	}
	lines, _, err := auditLines(ctx, env, target)
	if err != nil {
		return err
	}
	if !slices.Equal(lines, want.Audit) {
		return errors.New("the copy is not the original: its audit chains are others")
	}
	return nil
}

// marks are the marks of a copy in the databases that it is made in.
type marks struct {
	source     string
	databases  []*mongo.Database
	disconnect func() error
}

func openMarks(target Data, source string) (*marks, error) {
	m := &marks{source: source, disconnect: func() error { return nil }}
	for _, at := range mongoDatabases(target) {
		db, disconnect, err := mongodb.Connect("ecf-transfer", at.uri, at.name)
		if err != nil {
			return nil, errors.Join(err, m.disconnect())
		}
		before := m.disconnect
		m.databases, m.disconnect = append(m.databases, db), func() error { return errors.Join(before(), disconnect()) }
	}
	return m, nil
}

// progress is how far copies of the same data into databases have come.
type progress int

const (
	// notCopied: the databases are empty, or have a part of the data.
	notCopied progress = iota
	// comparedBefore: a copy was compared, and killed before all databases were marked so.
	comparedBefore
	// copiedBefore: a copy was finished.
	copiedBefore
)

// begin marks the databases, which are empty or have a part of the same copy, unless that is finished.
func (m *marks) begin(ctx context.Context, to *stores) (found progress, err error) {
	same, others, done, unfinished := 0, 0, 0, false
	for _, db := range m.databases {
		begun, err := mongox.ReadIncoming(ctx, db)
		if err != nil {
			return notCopied, err
		}
		switch {
		case begun.Source == m.source:
			same++
		case begun.Source != "":
			others++
			unfinished = unfinished || !begun.Done
		}
		if begun.Source == m.source && begun.Done {
			done++
		}
	}
	switch {
	case others == 0 && done > 0 && done < len(m.databases):
		return comparedBefore, nil
	case others > 0 || same == 0 || done > 0:
		if unfinished {
			return notCopied, errors.New("a copy of other data was begun in these databases and not finished: repeat it from the same source, or drop the databases")
		}
		err := mustBeEmpty(ctx, to)
		if errors.Is(err, errNotEmpty) && others == 0 && done == len(m.databases) {
			return copiedBefore, nil
		}
		if err != nil {
			return notCopied, err
		}
	}
	return notCopied, m.write(ctx, false)
}

// write marks the databases.
func (m *marks) write(ctx context.Context, done bool) error {
	for _, db := range m.databases {
		if err := mongox.WriteIncoming(ctx, db, mongox.Incoming{Source: m.source, Done: done}); err != nil {
			return err
		}
	}
	return nil
}

// errNotEmpty is the error of a target with data.
var errNotEmpty = errors.New("these databases contain data, but must be empty. If they have a part of a copy that an earlier release began, which did not mark it, " +
	"drop the databases and repeat the command")

// mustBeEmpty returns errNotEmpty if there are data in the target.
func mustBeEmpty(ctx context.Context, to *stores) error {
	orgs, err := to.records.OrganizationIDs(ctx, "", 1)
	if err != nil {
		return err
	}
	heads, err := to.accounts.AuditHeads(ctx)
	if err != nil {
		return err
	}
	if len(orgs) > 0 || len(heads) > 0 {
		return errNotEmpty
	}
	return nil
}

// mustBeWhole returns an error if databases have only a part of the data that are copied into them.
func mustBeWhole(ctx context.Context, env app.Env, databases ...*mongo.Database) error {
	for _, db := range databases {
		// An outage is waited for, but not the operator.
		unfinished, err := mongodb.Await(ctx, env, "database "+db.Name(), func(ctx context.Context) (error, error) {
			err := mongox.CheckIncoming(ctx, db)
			if errors.Is(err, mongox.ErrIncoming) {
				return fmt.Errorf("database %s: %w", db.Name(), err), nil
			}
			return nil, err
		})
		if err := errors.Join(err, unfinished); err != nil {
			return err
		}
	}
	return nil
}
