package standalone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// pruneSettings are the settings of results prune.
type pruneSettings struct {
	Data
	Retention time.Duration
	DryRun    bool
}

// shortestRetention exceeds the duration of any sign-off or report that was begun with a
// revision.
const shortestRetention = 24 * time.Hour

// Describe implements settings.Config.
func (c *pruneSettings) Describe(s *settings.Set) {
	s.Duration(&c.Retention, "ECF_RESULT_RETENTION", "0s", "how long revisions of results are kept after a newer one has replaced them, 24h at least; signed ones are kept forever; 0 keeps all", 0)
	s.BoolFlag(&c.DryRun, "dry-run", "count what would be deleted, and write nothing")
	c.Data.Describe(s)
	s.After(func() error {
		if c.Retention > 0 && c.Retention < shortestRetention {
			return fmt.Errorf("ECF_RESULT_RETENTION: must be 0 or at least %s", shortestRetention)
		}
		return nil
	})
}

// eventsAtOnce is the page size of lists of events.
const eventsAtOnce = 256

// pruneResults removes the revisions of all events that are older than the retention.
func pruneResults(ctx context.Context, env app.Env, c *pruneSettings) (err error) {
	if c.Retention == 0 {
		return errors.New("ECF_RESULT_RETENTION is 0, so all revisions are retained")
	}
	stores, err := openExisting(ctx, env, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	pruner := resulttree.Pruner{Results: stores.results, DryRun: c.DryRun}
	before := time.Now().Add(-c.Retention)
	verb := "deleted"
	if c.DryRun {
		verb = "would be deleted"
	}
	for at := record.OrgID(""); ; {
		orgs, err := stores.records.OrganizationIDs(ctx, at, organizationsAtOnce)
		if err != nil || len(orgs) == 0 {
			return err
		}
		for _, org := range orgs {
			at = org
			deleted, events, err := pruneOrganization(ctx, stores.records, pruner, org, before)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(env.Stdout, "%s: %d revisions of %d events %s\n", org, deleted, events, verb); err != nil {
				return err
			}
		}
	}
}

// pruneOrganization returns how many revisions of how many events were removed.
func pruneOrganization(ctx context.Context, records record.Store, pruner resulttree.Pruner, org record.OrgID, before time.Time) (deleted, events int64, err error) {
	for after := int64(0); ; {
		list, err := records.EventsAfter(ctx, org, after, eventsAtOnce)
		if err != nil || len(list) == 0 {
			return deleted, events, err
		}
		for _, e := range list {
			after = e.Slot
			// Read again: it may have been signed since it was listed.
			ev, err := records.EventContext(ctx, org, e.ID)
			if err != nil {
				return deleted, events, err
			}
			n, err := pruner.Prune(ctx, ev, before)
			if err != nil {
				return deleted, events, err
			}
			if n > 0 {
				deleted, events = deleted+n, events+1
			}
		}
	}
}
