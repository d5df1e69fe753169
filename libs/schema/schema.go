// Package schema describes the layout of a database as numbered versions,
// independently of the engine. A database is divided into components, one for each owner
// of data that shares it. Each component has a version, and its owner provides the
// list of migration steps from an empty database to the latest version. The
// engines (libs/sqlitex, libs/mongox) store the versions and run the steps.
//
// Two releases may run side by side during an upgrade, so a program does
// not refuse every newer version: a version states the oldest program that can
// still use it, and only older programs refuse it.
package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Component is one owner's part of a database.
type Component[Database any] struct {
	// Name identifies the component in the database; it never changes.
	Name string
	// Steps lead from an empty database to the newest version: Steps[i] leads from version i to version i+1. A
	// released step is never edited; a change is a new step.
	Steps []Step[Database]
	// Fresh, if not nil, brings an empty database to the newest version at once, without the steps, and reports false
	// if it is not empty.
	Fresh func(ctx context.Context, db Database) (done bool, err error)
}

// Step leads a component from one version to the next.
type Step[Database any] struct {
	// MinReader is the lowest version whose program can still read and write a database after this step: the step's
	// own version if older programs would fail or corrupt data.
	MinReader int
	// Contract marks a step that breaks programs of the previous release, which run
	// alongside this one during a rollout (the contract phase of expand and contract). An engine
	// shared by several programs applies it when the operator confirms that those have stopped,
	// or with the next step that is not a contract; an empty database has it at once.
	// The next release clears the mark, because releases are not skipped.
	Contract bool
	// Apply makes the change. It must be idempotent: an engine without
	// transactions may run it again after a crash, or in two processes at once.
	Apply func(ctx context.Context, db Database) error
}

// Newest returns the version the steps lead to.
func (c Component[Database]) Newest() int { return len(c.Steps) }

// Needed returns the version that the component's programs need: the newest, but
// for contracts at the end.
func (c Component[Database]) Needed() int {
	n := len(c.Steps)
	for n > 0 && c.Steps[n-1].Contract {
		n--
	}
	return n
}

// Stored is the version of one component in a database. The zero value is that of an empty database, or one that
// predates stored versions.
type Stored struct {
	Version   int
	MinReader int
}

// Status compares the version of a database with the one a program knows.
type Status struct {
	Component string
	Stored    Stored
	Needed    int // the version the program needs
	Newest    int // the newest version of the program
}

// Pending reports whether steps are missing that the program needs.
func (s Status) Pending() bool { return s.Stored.Version < s.Needed }

// Contracts returns the number of steps that wait until the programs of the
// release before have ended.
func (s Status) Contracts() int { return max(0, s.Newest-max(s.Stored.Version, s.Needed)) }

// ErrNewer is wrapped by the error for a database that a newer release has
// changed so that this one cannot work with it.
var ErrNewer = errors.New("schema: the database is too new for this program")

// Check returns an error that wraps ErrNewer if the program must not work with
// the database.
func (s Status) Check() error {
	if s.Stored.MinReader <= s.Newest {
		return nil
	}
	return fmt.Errorf("%w: its part %q has schema version %d, which needs a release that knows version %d or later; "+
		"this release knows version %d. Run the newer release, or restore a backup made before the upgrade",
		ErrNewer, s.Component, s.Stored.Version, s.Stored.MinReader, s.Newest)
}

// Check checks several components at once.
func Check(all []Status) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Check())
	}
	return errors.Join(errs...)
}

// Pending reports whether any of the components lacks a step.
func Pending(all []Status) bool {
	for _, s := range all {
		if s.Pending() {
			return true
		}
	}
	return false
}

// Incomplete reports whether any of the components lacks a step, a contract included.
func Incomplete(all []Status) bool {
	return slices.ContainsFunc(all, func(s Status) bool { return s.Stored.Version < s.Newest })
}

// StatusOf returns the status of a component.
func StatusOf[Database any](c Component[Database], stored Stored) Status {
	return Status{Component: c.Name, Stored: stored, Needed: c.Needed(), Newest: c.Newest()}
}
