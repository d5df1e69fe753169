package records

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

const (
	// countShare limits the CPU time of counting an organization's records: a count is valid
	// for this multiple of the time it took.
	countShare = 50
	// countFor is the maximum time for which a count is valid.
	countFor = 10 * time.Second
)

// plans knows the limits of plans other than the number of events. Records are counted by the
// highest numbers of their lists, including deleted ones, before a write and not atomically
// with it, so requests in flight may exceed a limit.
type plans struct {
	store  record.Store
	limits settings.PlanLimits
	now    func() time.Time

	mu   sync.Mutex
	used map[record.OrgID]*usage
}

// usage is the number of an organization's records when last counted, and the number that this
// process has admitted since.
type usage struct {
	counted, admitted int64
	until             time.Time
}

func newPlans(store record.Store, limits settings.PlanLimits, now func() time.Time) *plans {
	return &plans{store: store, limits: limits, now: now, used: map[record.OrgID]*usage{}}
}

// of returns the plan of an organization and its limits. If no plan has limits, nothing is
// read.
func (p *plans) of(ctx context.Context, org record.OrgID) (plan string, limits settings.Limits, err error) {
	if p == nil || len(p.limits) == 0 {
		return "", settings.Limits{}, nil
	}
	o, err := p.store.Organization(ctx, org)
	return o.Plan, p.limits[o.Plan], err
}

// Admit returns PLAN_LIMIT_EXCEEDED if n more records of an event exceed the plan of its
// organization.
func (p *plans) Admit(ctx context.Context, org record.OrgID, event record.EventID, n int64) error {
	plan, limits, err := p.of(ctx, org)
	if err != nil || n == 0 {
		return err
	}
	if limits.RecordsPerEvent != nil {
		numbers, err := p.store.MaxSeqs(ctx, org, event)
		if err != nil {
			return err
		}
		used := int64(0)
		for _, highest := range numbers {
			used += highest
		}
		if used+n > *limits.RecordsPerEvent {
			return beyondPlan(plan, "EVENT_RECORDS", *limits.RecordsPerEvent, "records in an event", "Deleted records count as well.")
		}
	}
	if limits.RecordsPerOrganization != nil {
		fits, err := p.fits(ctx, org, n, *limits.RecordsPerOrganization)
		if err != nil {
			return err
		}
		if !fits {
			return beyondPlan(plan, "ORGANIZATION_RECORDS", *limits.RecordsPerOrganization, "records in all events together", "Deleted records count as well.")
		}
	}
	return nil
}

// fits reports whether an organization may have n more records. A negative result comes from a
// new count, or holds without those admitted since.
func (p *plans) fits(ctx context.Context, org record.OrgID, n, limit int64) (bool, error) {
	if fits, known := p.remembered(org, n, limit); known {
		return fits, nil
	}
	began := p.now()
	counted, err := p.store.RecordsNumbered(ctx, org)
	if err != nil {
		return false, err
	}
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	u := &usage{counted: counted, until: now.Add(min(countFor, countShare*max(0, now.Sub(began))))}
	p.used[org] = u
	if counted+n > limit {
		return false, nil
	}
	u.admitted = n
	return true, nil
}

// remembered decides by the last count if that is sufficient.
func (p *plans) remembered(org record.OrgID, n, limit int64) (fits, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.used[org]
	switch {
	case u == nil || !p.now().Before(u.until):
		for other, old := range p.used { // also removes expired counts of others
			if !p.now().Before(old.until) {
				delete(p.used, other)
			}
		}
		return false, false
	case u.counted+n > limit:
		return false, true // numbers never decrease
	case u.counted+u.admitted+n > limit:
		return false, false
	}
	u.admitted += n
	return true, true
}

// admitFile returns PLAN_LIMIT_EXCEEDED if a file, or another import, exceeds the plan. How
// many rows become new records is known here only if all must; otherwise the import determines
// it before it writes any.
func (p *plans) admitFile(ctx context.Context, i record.Import, file *web.File, open int64) error {
	plan, limits, err := p.of(ctx, i.Org)
	if err != nil {
		return err
	}
	if most := limits.OpenImports; most != nil && open >= *most {
		return beyondPlan(plan, "OPEN_IMPORTS", *most, "imports that are not finished", "Wait for one of them.")
	}
	if limits.RowsPerImport == nil && limits.RecordsPerEvent == nil && limits.RecordsPerOrganization == nil {
		return nil
	}
	rows, err := rowsIn(ctx, file, i)
	if err != nil {
		return err
	}
	if most := limits.RowsPerImport; most != nil && rows > *most {
		return beyondPlan(plan, "IMPORT_ROWS", *most, "rows in a file", "Please divide this one.")
	}
	return p.Admit(ctx, i.Org, i.Event, imports.LeastRecords(i, rows))
}

// rowsIn counts the rows of a file, up to the maximum. It lets others work meanwhile, and ends with the context.
func rowsIn(ctx context.Context, file *web.File, i record.Import) (rows int64, err error) {
	reader, err := sheet.NewReader(file.Reader(), imports.RowType(i), imports.Options(i))
	if err != nil {
		return 0, err
	}
	for rows <= imports.MaxRows(i) {
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return rows, nil //nolint:nilerr // what is wrong with the file is the import's to tell
		}
		if rows++; rows%countedAtOnce == 0 {
			if err := fairshare.Yield(ctx); err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// countedAtOnce is how many rows are counted before others may work.
const countedAtOnce = 20

func beyondPlan(plan, code string, limit int64, what, remedy string) error {
	return apperr.New(apperr.PlanLimitExceeded, "The plan %s includes %d %s.", plan, limit, what).
		With(apperr.Detail{Field: "plan", Code: code, Message: remedy + " A larger plan allows more."})
}
