package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/recompute"
)

// auditSettings are the settings of audit verify.
type auditSettings struct {
	Data
	Heads  string
	Keys   string
	Folder keys.Folder
}

// Describe implements settings.Config.
func (c *auditSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Heads, "heads", "", "file of audit export: what it names must still be there", nil)
	s.TextFlag(&c.Keys, "keys", "", "file or URL of the keys one of which must have signed --heads; those below ECF_SIGNING_KEYS_DIR when empty", nil)
	c.Folder.Describe(s)
	c.Data.Describe(s)
}

// auditVerify walks the audit log of every organization and the histories of all
// its records and events, and calculates again what is stored of them. It names
// what was changed or is missing, or does not belong there, and fails when there
// is anything.
func auditVerify(ctx context.Context, env app.Env, c *auditSettings) error {
	var faults error
	err := withAccounts(ctx, c.Data, env.Logger, func(stores *stores, accounts *auth.Accounts) error {
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
		if broken, err = verifyHistories(ctx, env.Stdout, stores); err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.Join(faults, errors.New("the histories of records and events, or what was calculated from them, are not whole"))
		}
		if c.Heads == "" {
			return nil
		}
		if broken, err = compareHeads(ctx, env.Stdout, c, stores); err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.Join(faults, errors.New("what was there when the heads were exported is not there any more"))
		}
		return nil
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
func verifyHistories(ctx context.Context, out io.Writer, stores *stores) (broken int, err error) {
	store := stores.records
	var at record.OrgID
	for {
		orgs, err := store.OrganizationIDs(ctx, at, organizationsAtOnce)
		if err != nil || len(orgs) == 0 {
			return broken, err
		}
		for _, org := range orgs {
			at = org
			state, err := verifyOrganization(ctx, out, stores, org)
			if err != nil {
				return broken, err
			}
			if state.faults > 0 {
				broken++
			}
			if _, err := fmt.Fprintf(out, "%s\n%s\n", state, state.recomputed()); err != nil {
				return broken, err
			}
		}
	}
}

// organizationState is what was found of one organization.
type organizationState struct {
	org     record.OrgID
	records histories.Tally
	events  histories.EventTally
	figures recompute.Tally
	faults  int
}

// String returns it in one line.
func (s organizationState) String() string {
	state := "whole"
	if s.faults > 0 {
		state = fmt.Sprintf("%d faults", s.faults)
	}
	return fmt.Sprintf("%s: %d records with %d history entries, %d events with %d, %s",
		s.org, s.records.Records, s.records.Entries, s.events.Events, s.events.Entries, state)
}

// recomputed returns what was calculated again, in one line.
func (s organizationState) recomputed() string {
	line := fmt.Sprintf("%s%s%d records and %d results recomputed", s.org, figuresMark, s.figures.Records, s.figures.Results)
	if s.figures.Waiting > 0 {
		line += fmt.Sprintf(", %d wait to be calculated anew", s.figures.Waiting)
	}
	if s.figures.OtherEngine > 0 {
		line += fmt.Sprintf(", %d by engines that this program does not have", s.figures.OtherEngine)
	}
	return line
}

// figuresMark is in the lines of recomputed, which manifests of backups leave out:
// those of earlier programs do not have them.
const figuresMark = ": figures of "

// verifyOrganization prints what is wrong in one organization.
func verifyOrganization(ctx context.Context, out io.Writer, stores *stores, org record.OrgID) (organizationState, error) {
	state := organizationState{org: org}
	report := func(fault string) error {
		state.faults++
		_, err := fmt.Fprintf(out, "%s: %s\n", org, fault)
		return err
	}
	var err error
	if state.records, err = histories.Verify(ctx, stores.records, org, func(f histories.Fault) error { return report(f.String()) }); err != nil {
		return state, err
	}
	if state.events, err = histories.VerifyEvents(ctx, stores.records, org, func(fault error) error { return report(fault.Error()) }); err != nil {
		return state, err
	}
	verifier := recompute.Verifier{Records: stores.records, Inputs: eventreader.Reader{Records: stores.records, Results: stores.results}, Results: stores.results, Report: report}
	state.figures, err = verifier.Verify(ctx, org)
	return state, err
}
