package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// writers is the number of concurrent writes where their order does not matter.
const writers = 32

// ErrNotCopy is wrapped by the error for a target that contains something other than a part of
// the source.
var ErrNotCopy = errors.New("transfer: the target holds other data")

// Copy copies everything from one set of stores into another, which is empty or contains a part
// of it from an interrupted attempt; existing data are kept. Nobody may write to either
// meanwhile.
func Copy(ctx context.Context, to, from Stores) error {
	return walk(ctx, from, &copier{to: to, started: time.Now()})
}

// copier stores what a walk finds. Each of its writes may be repeated.
type copier struct {
	to      Stores
	started time.Time

	// top is the highest number in the target for each type of the current event.
	top map[string]int64
}

// unless returns nil if err means that the row exists already.
func unless(err error, there ...error) error {
	for _, t := range there {
		if errors.Is(err, t) {
			return nil
		}
	}
	return err
}

func (c *copier) factorPack(ctx context.Context, p record.FactorPack) error {
	err := c.to.Records.InsertFactorPack(ctx, p)
	if !errors.Is(err, record.ErrDuplicate) {
		return err
	}
	there, err := c.to.Records.FactorPack(ctx, p.ID)
	if err == nil && there.Checksum != p.Checksum {
		err = fmt.Errorf("%w: the factor pack %s has another content there", ErrNotCopy, p.ID)
	}
	return err
}

func (c *copier) organization(ctx context.Context, o record.Organization) error {
	return unless(c.to.Records.InsertOrganization(ctx, o), record.ErrDuplicate)
}

func (c *copier) failed(_ context.Context, _ record.OrgID, err error) error { return err }

func (c *copier) policies(ctx context.Context, org record.OrgID, states []record.PolicyEntry) error {
	return c.to.Records.InsertPolicies(ctx, org, states)
}

func (c *copier) imported(ctx context.Context, i record.Import, parts [][]byte) error {
	for n, data := range parts {
		if err := c.to.Records.PutImportPart(ctx, i.Org, i.ID, int64(n), data); err != nil {
			return err
		}
	}
	return unless(c.to.Records.InsertImport(ctx, i.Org, i), record.ErrDuplicate)
}

func (c *copier) supplierFactor(ctx context.Context, f record.SupplierFactor) error {
	return unless(c.to.Records.InsertSupplierFactor(ctx, f.Org, f), record.ErrDuplicate)
}

func (c *copier) capture(_ context.Context, e record.Event, read func(record.Event) error) error {
	return read(e)
}

func (c *copier) event(ctx context.Context, e record.Event) (err error) {
	stored, err := c.to.Records.InsertEvent(ctx, e.Org, e, record.Unlimited)
	if errors.Is(err, record.ErrDuplicate) {
		stored, err = c.to.Records.EventContext(ctx, e.Org, e.ID)
	}
	if err != nil {
		return err
	}
	if stored.Slot != e.Slot {
		return fmt.Errorf("%w: event %s has the number %d there, and %d here", ErrNotCopy, e.ID, stored.Slot, e.Slot)
	}
	c.top, err = c.to.Records.MaxSeqs(ctx, e.Org, e.ID)
	return err
}

func (c *copier) records(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record, entries []record.StoredEntry) error {
	for len(records) > 0 && records[0].Seq <= c.top[sub.Type] {
		records = records[1:]
	}
	if len(records) == 0 {
		return nil
	}
	// Entries come first, so that every existing record has its history.
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, e := range entries {
		group.Go(func() error { return c.to.Records.InsertEntry(inner, org, e.Event, e.Record, e.Entry) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	stored, refused, err := c.to.Records.InsertRecords(ctx, org, sub, records)
	if err != nil {
		return err
	}
	for i, r := range records {
		if refused[i] != nil || stored[i].Seq != r.Seq {
			return fmt.Errorf("%w: record %s cannot be stored with the number %d: %w", ErrNotCopy, r.ID, r.Seq, refused[i])
		}
	}
	return nil
}

func (c *copier) eventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	return c.to.Records.InsertEventEntry(ctx, org, id, e)
}

func (c *copier) node(ctx context.Context, n resulttree.Node) error {
	return unless(c.to.Results.PutNode(ctx, n, 0), resulttree.ErrConflict)
}

func (c *copier) changes(ctx context.Context, v resulttree.NodeChanges) error {
	return c.to.Results.InsertChanges(ctx, v)
}

func (c *copier) revision(ctx context.Context, r resulttree.Result) error {
	return c.to.Results.InsertRevision(ctx, r)
}

func (c *copier) retention(ctx context.Context, r resulttree.Retention) error {
	return unless(c.to.Results.PutRetention(ctx, r, 0), resulttree.ErrConflict)
}

func (c *copier) part(ctx context.Context, p part) error {
	return c.to.Results.PutPart(ctx, p.org, p.event, p.name, p.data, c.started)
}

func (c *copier) result(ctx context.Context, r resulttree.Result) error {
	if err := unless(c.to.Results.PutResult(ctx, r, 0), resulttree.ErrConflict); err != nil {
		return err
	}
	// A result that cannot be read is copied all the same: its headline is stored again by the
	// next calculation.
	headline, err := resulttree.HeadlineOf(r)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return c.to.Records.PutHeadline(ctx, r.Org, r.Event, headline)
}

func (c *copier) key(ctx context.Context, org record.OrgID, k record.KeyEntry) error {
	_, _, err := c.to.Records.InsertKey(ctx, org, k)
	return err
}

func (c *copier) user(ctx context.Context, u account.User) error {
	err := c.to.Accounts.InsertUser(ctx, u)
	if errors.Is(err, account.ErrEmailTaken) {
		// The user exists already: the email address is its own.
		if _, there := c.to.Accounts.User(ctx, u.Org, u.ID); there == nil {
			return nil
		}
	}
	return unless(err, account.ErrDuplicate)
}

func (c *copier) session(ctx context.Context, s account.Session) error {
	return unless(c.to.Accounts.InsertSession(ctx, s), account.ErrDuplicate)
}

// audit appends an entry, which the target seals again: the hash is the same for the same entry
// after the same predecessor.
func (c *copier) audit(ctx context.Context, e account.AuditEntry) error {
	sealed, err := c.to.Accounts.AppendAudit(ctx, e)
	if err != nil {
		return err
	}
	if sealed.Hash != e.Hash || sealed.Seq != e.Seq {
		return fmt.Errorf("%w: entry %d of the audit log of %s has another hash there", ErrNotCopy, e.Seq, e.Org)
	}
	return nil
}
