package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
)

// orgDeleteSettings are the settings of org delete.
type orgDeleteSettings struct {
	Data
	Org, Name string
	DryRun    bool
	Quiet     time.Duration
}

const (
	// longestRequest exceeds the duration of every request and of every run of a worker between two reads: a process
	// that has found out that there is no organization writes nothing for it after that.
	longestRequest = 5 * time.Minute
	// announced is how long running servers may take to learn of ended memberships.
	announced = 30 * time.Second
	// betweenPasses is the pause between two looks for what is left, at most.
	betweenPasses = 5 * time.Second
)

// Describe implements settings.Config.
func (c *orgDeleteSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Org, "org", "", "id of the organization", nil).Require()
	s.TextFlag(&c.Name, "name", "", "exact name of the organization, to confirm that it is meant; not needed to complete an interrupted deletion", nil)
	s.BoolFlag(&c.DryRun, "dry-run", "count what would be deleted, and write nothing")
	c.Quiet = longestRequest
	s.Flag("quiet", longestRequest.String(), "how long nothing of the organization may have appeared before it counts as deleted; longer than any request of a running server lasts; ignored if no server uses the data directory", func(v string) (err error) {
		if c.Quiet, err = time.ParseDuration(v); err != nil || c.Quiet < time.Second {
			return errors.New("must be a duration of at least 1s, such as 90s or 5m")
		}
		return nil
	}, func() string { return c.Quiet.String() })
	c.Data.Describe(s)
}

// orgDelete deletes an organization with everything that is stored of it.
//
// It is closed first: an entry in the audit log of the system says so, and the memberships of everybody in it end, in
// running servers too. Then its rows or documents are removed until nothing of it has appeared for a while, since
// requests and recalculations that began before may still write. Every step may be interrupted and repeated; from the
// first one on nothing but the completion is possible.
func orgDelete(ctx context.Context, env app.Env, c *orgDeleteSettings) error {
	return withAccounts(ctx, c.Data, env.Logger, func(stores *stores, accounts *auth.Accounts) error {
		d := deletion{c: c, stores: stores, accounts: accounts, members: auth.NewOffboarding(accounts, stores.accounts),
			owned: stores.owned(c.Org), out: env.Stdout, log: env.Logger, removed: map[string]int64{}}
		if err := d.confirm(ctx); err != nil {
			return err
		}
		if c.DryRun {
			return d.rehearse(ctx)
		}
		for _, o := range d.owned {
			if err := o.check(ctx); err != nil {
				return fmt.Errorf("nothing was deleted, because the user of the database may not delete everything: %w", err)
			}
		}
		if err := accounts.CloseOrganization(ctx, c.Org); err != nil {
			return describe(err)
		}
		if err := d.run(ctx); err != nil {
			return fmt.Errorf("the organization is closed, but not deleted yet; repeat the command to complete that: %w", describe(err))
		}
		return nil
	})
}

// deletion is one run of org delete.
type deletion struct {
	c        *orgDeleteSettings
	stores   *stores
	accounts *auth.Accounts
	members  auth.Offboarding
	owned    []owned
	out      io.Writer
	log      *slog.Logger

	before  auth.Deletion
	removed map[string]int64
	left    auth.Departures
}

// confirm returns an error unless there is such an organization and the caller means it, or its deletion has begun.
func (d *deletion) confirm(ctx context.Context) error {
	all, err := d.accounts.Deletions(ctx)
	if err != nil {
		return err
	}
	if d.before = all[d.c.Org]; !d.before.Closed.IsZero() {
		return nil
	}
	o, err := d.stores.records.Organization(ctx, record.OrgID(d.c.Org))
	if errors.Is(err, record.ErrNotFound) {
		return fmt.Errorf("there is no organization %q; ecf org list shows all of them", d.c.Org)
	}
	if err != nil {
		return err
	}
	if d.c.Name != o.Name && !d.c.DryRun {
		return fmt.Errorf("--name must be the exact name of the organization, %q, to confirm that all of it is to be deleted; --dry-run shows how much that is", o.Name)
	}
	return nil
}

// rehearse prints what would be deleted.
func (d *deletion) rehearse(ctx context.Context) error {
	counts, err := ofAll(d.owned, func(o owned) (map[string]int64, error) { return o.count(ctx) })
	if err != nil {
		return err
	}
	if d.left, err = d.members.Departures(ctx, d.c.Org); err != nil {
		return err
	}
	return d.print("would be deleted", counts)
}

// print prints how much there is of each kind, and what becomes of the accounts.
func (d *deletion) print(verb string, counts map[string]int64) error {
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(d.out, "%s\t%d\n", kind, counts[kind]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(d.out, "%s: %d rows %s; accounts: %d without another organization, %d that keep others\n", d.c.Org, sumOf(counts), verb, d.left.Erased, d.left.Kept)
	return err
}

func sumOf(counts map[string]int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// run removes everything of the organization, which is closed.
func (d *deletion) run(ctx context.Context) error {
	quiet := d.quiet()
	if quiet > 0 {
		d.log.InfoContext(ctx, "the organization is closed; what running servers may still write is waited for: this ends when nothing of it has appeared for "+quiet.String())
	}
	for last := time.Now(); ; {
		found, err := d.pass(ctx)
		if err != nil {
			return err
		}
		if found {
			last = time.Now()
		} else if time.Since(last) >= quiet {
			break
		}
		if err := pause(ctx, min(quiet/4, betweenPasses)); err != nil {
			return err
		}
	}
	if err := d.accounts.OrganizationDeleted(ctx, d.c.Org, summary(d.removed)); err != nil {
		return err
	}
	if !d.before.Deleted.IsZero() {
		if _, err := fmt.Fprintf(d.out, "%s: it was deleted at %s already\n", d.c.Org, d.before.Deleted.Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return d.print("deleted", d.removed)
}

// quiet returns how long nothing may have appeared. Only a server writes for an organization without being asked to,
// and of an embedded database only one that has its lock.
func (d *deletion) quiet() time.Duration {
	if d.c.Data.Records.URI != "" {
		return d.c.Quiet
	}
	unlock, err := lockFile(filepath.Join(d.c.Data.Dir.Path, serverLock), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return d.c.Quiet
	}
	unlock() // one that starts now finds the organization closed
	return 0
}

// pass ends the memberships that there are, removes what there is, and reports whether there was anything.
func (d *deletion) pass(ctx context.Context) (found bool, err error) {
	left, err := d.members.Dismiss(ctx, d.c.Org)
	if err != nil {
		return false, err
	}
	d.left.Erased, d.left.Kept = d.left.Erased+left.Erased, d.left.Kept+left.Kept
	if err := d.announced(ctx); err != nil {
		return false, err
	}
	counts, err := ofAll(d.owned, func(o owned) (map[string]int64, error) { return o.remove(ctx) })
	add(d.removed, counts)
	return len(counts) > 0, err
}

// announced waits until running servers know of all ended memberships: they learn it from documents that are removed
// afterwards. Those with an embedded database ask it.
func (d *deletion) announced(ctx context.Context) error {
	if d.c.Data.Records.URI == "" {
		return nil
	}
	for deadline := time.Now().Add(announced); ; {
		n, err := d.members.Unannounced(ctx, d.c.Org)
		if err != nil || n == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("auth has not announced the end of %d memberships within %s: is it running?", n, announced)
		}
		if err := pause(ctx, sessions.PollEvery); err != nil {
			return err
		}
	}
}

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// summary returns counts as the audit log has them.
func summary(counts map[string]int64) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, counts[kind]))
	}
	return strings.Join(parts, ", ")
}
