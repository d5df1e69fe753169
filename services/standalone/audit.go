package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
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
	s.TextFlag(&c.Heads, "heads", "", "file of audit export to compare with: everything it names must still exist", nil)
	s.TextFlag(&c.Keys, "keys", "", "file or URL of the keys one of which must have signed --heads; those below ECF_SIGNING_KEYS_DIR when empty", nil)
	c.Folder.Describe(s)
	c.Data.Describe(s)
}

// auditVerify verifies the audit log of every organization and the histories of all its records
// and events, and recalculates the stored figures. It reports what was changed, is missing, or
// does not belong there, and fails if there is anything, or something that cannot be verified.
func auditVerify(ctx context.Context, env app.Env, c *auditSettings) error {
	unproven, err := auditFaults(ctx, env, c)
	if unproven > 0 {
		err = errors.Join(err, fmt.Errorf("%d records and results were not verified, because they were calculated by engines that this program does not have", unproven))
	}
	return err
}

// unsoundError is what ecf audit verify finds wrong with data that can be read.
type unsoundError struct{ error }

// auditFaults is auditVerify, and returns how many figures are of engines that this program
// does not have. What is wrong with the data is an unsoundError.
func auditFaults(ctx context.Context, env app.Env, c *auditSettings) (unproven int64, err error) {
	var faults error
	err = withAccounts(ctx, c.Data, env.Logger, func(stores *stores, accounts *auth.Accounts) error {
		deletions, err := accounts.Deletions(ctx)
		if err != nil {
			return err
		}
		if err := printDeletions(env.Stdout, deletions); err != nil {
			return err
		}
		broken, err := verifyFile(ctx, env.Stdout, stores, c.Dir.Path)
		if err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.New("the database file is damaged")
		}
		if broken, err = verifyLogs(ctx, env.Stdout, accounts, deletions); err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.Join(faults, errors.New("the audit log is not whole"))
		}
		orgs, err := tenants(ctx, stores)
		if err != nil {
			return err
		}
		orgs = slices.DeleteFunc(orgs, func(org record.OrgID) bool { return deletions[string(org)].Underway() })
		if len(orgs) == 0 && len(deletions) == 0 {
			return errors.Join(faults, errors.New("there is no organization; this database is empty"))
		}
		if broken, unproven, err = verifyHistories(ctx, env.Stdout, stores, orgs); err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.Join(faults, errors.New("the histories of records and events, or what was calculated from them, are not whole"))
		}
		if c.Heads == "" {
			return nil
		}
		if broken, err = compareHeads(ctx, env.Stdout, c, stores, deletions); err != nil {
			return err
		}
		if broken > 0 {
			faults = errors.Join(faults, errors.New("data that existed when the heads were exported is missing now"))
		}
		return nil
	})
	if err != nil {
		// A damaged file may be the reason.
		return unproven, errors.Join(faults, describe(err))
	}
	if faults != nil {
		return unproven, unsoundError{faults}
	}
	return unproven, nil
}

// printDeletions prints which organizations were deleted, and which are being deleted, so that
// they are not verified.
func printDeletions(out io.Writer, deletions map[string]auth.Deletion) error {
	for _, org := range slices.Sorted(maps.Keys(deletions)) {
		d := deletions[org]
		state := "deleted at " + d.Deleted.Format(time.RFC3339)
		if d.Underway() {
			state = "NOT VERIFIED: it is being deleted since " + d.Closed.Format(time.RFC3339) + "; ecf org delete completes that"
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", org, state); err != nil {
			return err
		}
	}
	return nil
}

// verifyLogs prints the state of the audit log of each organization that is not being deleted,
// and returns the number of broken ones.
func verifyLogs(ctx context.Context, out io.Writer, accounts *auth.Accounts, deletions map[string]auth.Deletion) (broken int, err error) {
	chains, err := accounts.VerifyAudit(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range chains {
		if deletions[c.Org].Underway() {
			continue
		}
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

// tenants returns the ids of all organizations, and of missing ones that have data in the
// store.
func tenants(ctx context.Context, stores *stores) ([]record.OrgID, error) {
	var all []record.OrgID
	for at := record.OrgID(""); ; {
		next, err := stores.records.TenantAfter(ctx, at)
		if err != nil {
			return nil, err
		}
		if at = next; at == "" {
			break
		}
		all = append(all, at)
	}
	for at := ""; ; {
		next, err := stores.accounts.OrgAfter(ctx, at)
		if err != nil {
			return nil, err
		}
		if at = next; at == "" {
			break
		}
		if at != account.SystemOrg { // persons whose first organization was deleted
			all = append(all, record.OrgID(at))
		}
	}
	logs, err := stores.accounts.AuditHeads(ctx)
	for _, head := range logs {
		if head.Org != account.SystemOrg {
			all = append(all, record.OrgID(head.Org))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

// organizationsAtOnce is the page size of lists of organizations.
const organizationsAtOnce = 256

// verifyHistories prints the state of the records and events of each organization and returns
// the number of organizations with errors.
func verifyHistories(ctx context.Context, out io.Writer, stores *stores, orgs []record.OrgID) (broken int, unproven int64, err error) {
	for _, org := range orgs {
		state, err := verifyOrganization(ctx, out, stores, org)
		if err != nil {
			return broken, unproven, err
		}
		if state.faults > 0 {
			broken++
		}
		unproven += state.figures.OtherEngine
		if _, err := fmt.Fprintf(out, "%s\n%s\n", state, state.recomputed()); err != nil {
			return broken, unproven, err
		}
	}
	return broken, unproven, nil
}

// organizationState is the result for one organization.
type organizationState struct {
	org     record.OrgID
	records histories.Tally
	events  histories.EventTally
	figures recompute.Tally
	faults  int
}

// String returns the result in one line.
func (s organizationState) String() string {
	state := "whole"
	if s.faults > 0 {
		state = fmt.Sprintf("%d faults", s.faults)
	}
	return fmt.Sprintf("%s: %d records with %d history entries, %d events with %d, %s",
		s.org, s.records.Records, s.records.Entries, s.events.Events, s.events.Entries, state)
}

// recomputed returns the result of the recalculation in one line.
func (s organizationState) recomputed() string {
	line := fmt.Sprintf("%s%s%d records and %d results recomputed", s.org, figuresMark, s.figures.Records, s.figures.Results)
	if s.figures.Waiting > 0 {
		line += fmt.Sprintf(", %d wait to be calculated anew", s.figures.Waiting)
	}
	if s.figures.Earlier > 0 {
		line += fmt.Sprintf(", %d are of states of their events from before histories were kept", s.figures.Earlier)
	}
	if s.figures.OtherEngine > 0 {
		line += fmt.Sprintf(", %d NOT VERIFIED: calculated by engines that this program does not have", s.figures.OtherEngine)
	}
	return line
}

// figuresMark occurs in the lines of recomputed, which manifests of backups omit, because those
// of earlier programs do not have them.
const figuresMark = ": figures of "

// verifyOrganization prints the errors of one organization.
func verifyOrganization(ctx context.Context, out io.Writer, stores *stores, org record.OrgID) (organizationState, error) {
	state := organizationState{org: org}
	report := func(fault string) error {
		state.faults++
		_, err := fmt.Fprintf(out, "%s: %s\n", org, fault)
		return err
	}
	err := verifyKept(ctx, stores, org, report)
	if err != nil {
		return state, err
	}
	if state.records, err = histories.Verify(ctx, stores.records, org, func(f histories.Fault) error { return report(f.String()) }); err != nil {
		return state, err
	}
	o, err := stores.records.Organization(ctx, org)
	if err != nil && !errors.Is(err, record.ErrNotFound) && !record.IsDamage(err) { // verifyKept has reported these
		return state, err
	}
	if err == nil && state.records.PolicyRev > o.Policy.Rev {
		if err := report(fmt.Sprintf("decisions were made under the policy of revision %d, and its newest one is of revision %d", state.records.PolicyRev, o.Policy.Rev)); err != nil {
			return state, err
		}
	}
	if state.events, err = histories.VerifyEvents(ctx, stores.records, org, func(fault error) error { return report(fault.Error()) }); err != nil {
		return state, err
	}
	verifier := recompute.Verifier{Records: stores.records, Inputs: eventreader.Reader{Records: stores.records, Results: stores.results}, Results: stores.results, Report: report}
	state.figures, err = verifier.Verify(ctx, org)
	return state, err
}
