package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/services/auth"
)

// auditVerify walks the audit log of every organization and the histories of
// all its records. It names what was changed or is missing, or does not belong
// there, and fails when there is anything.
func auditVerify(ctx context.Context, env app.Env, d *Data) error {
	var faults error
	err := withAccounts(ctx, *d, env.Logger, func(stores *stores, accounts *auth.Accounts) error {
		broken, err := verifyLogs(ctx, env.Stdout, accounts)
		if err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.New("the audit log is not whole")
		}
		first, err := stores.records.OrganizationIDs(ctx, "", 1)
		if err != nil {
			return err
		}
		if len(first) == 0 {
			faults = errors.Join(faults, errors.New("there is no organization: this database is empty"))
		}
		broken, err = verifyHistories(ctx, env.Stdout, stores.records)
		if broken > 0 {
			faults = errors.Join(faults, errors.New("the histories of records and events are not whole"))
		}
		return err
	})
	if err != nil {
		return describe(err)
	}
	return faults
}

// verifyLogs prints the state of the audit log of each organization and returns
// how many are broken.
func verifyLogs(ctx context.Context, out io.Writer, accounts *auth.Accounts) (broken int, err error) {
	chains, err := accounts.VerifyAudit(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range chains {
		if c.Fault != nil {
			broken++
			_, err = fmt.Fprintf(out, "%s: %v\n", c.Org, c.Fault)
		} else {
			_, err = fmt.Fprintf(out, "%s: %d entries, whole, last hash %s\n", c.Org, c.Entries, c.Last)
		}
		if err != nil {
			return broken, err
		}
	}
	return broken, nil
}

// organizationsAtOnce is how many organizations are listed at a time.
const organizationsAtOnce = 256

// verifyHistories prints the state of the records and events of each organization and
// returns in how many organizations something is wrong.
func verifyHistories(ctx context.Context, out io.Writer, store record.Store) (broken int, err error) {
	var at record.OrgID
	for {
		orgs, err := store.OrganizationIDs(ctx, at, organizationsAtOnce)
		if err != nil || len(orgs) == 0 {
			return broken, err
		}
		for _, org := range orgs {
			at = org
			faults := 0
			tally, err := histories.Verify(ctx, store, org, func(f histories.Fault) error {
				faults++
				_, err := fmt.Fprintf(out, "%s: %s\n", f.Org, f)
				return err
			})
			if err != nil {
				return broken, err
			}
			events, err := histories.VerifyEvents(ctx, store, org, func(fault error) error {
				faults++
				_, err := fmt.Fprintf(out, "%s: %s\n", org, fault)
				return err
			})
			if err != nil {
				return broken, err
			}
			state := "whole"
			if faults > 0 {
				broken++
				state = fmt.Sprintf("%d faults", faults)
			}
			if _, err := fmt.Fprintf(out, "%s: %d records with %d history entries, %d events with %d, %s\n",
				org, tally.Records, tally.Entries, events.Events, events.Entries, state); err != nil {
				return broken, err
			}
		}
	}
}
