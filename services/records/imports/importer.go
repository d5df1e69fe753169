package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

const (
	// importSweep is the interval of looking for imports without a worker.
	importSweep = time.Second
	// importLease is how long an import remains assigned to a process that does not renew the
	// lease.
	importLease = 30 * time.Second
	// importBatch is the number of rows in one write, and importBeside the number while other
	// organizations have work, whose writes wait for it.
	importBatch  = 250
	importBeside = 4
	// tellEvery is the interval at which the progress of an import is stored.
	tellEvery = time.Second
	// longestPause is the longest pause of an import after a slice.
	longestPause = 100 * time.Millisecond
	// openImports is the page size of lists of open imports.
	openImports = 1000
	// MaxOpen is the maximum number of open imports of an organization.
	MaxOpen = 16
	// importRetry is the Retry-After at that maximum.
	importRetry = 5 * time.Second
	// importSlots is the number of imports whose slices run concurrently.
	importSlots = 2
)

// Importer imports files. Any number of processes may run one: an import is assigned to one of
// them at a time, by a conditional write on its revision, and one that is resumed creates the
// same records, because their ids derive from the import's seed and the row.
//
// Imports of different organizations are time-sliced: after each slice the organization that
// has used least continues. So a file of one row does not wait for a large one of another
// organization.
type Importer struct {
	store  record.Store
	logger *slog.Logger
	now    func() time.Time
	kick   chan struct{}
	slices *fairshare.Scheduler
	// Work, if set, schedules the expensive work of this process, which includes imports while
	// several organizations have work.
	Work *fairshare.Scheduler
	// Plans admits new records; nil: unlimited.
	Plans Plans
	// Members reports whether the uploader of a file may still import it; nil: not checked.
	Members members.Directory

	jobs   sync.WaitGroup
	places *importPlaces
}

// New returns an importer for a store.
func New(store record.Store, logger *slog.Logger, now func() time.Time) *Importer {
	return &Importer{store: store, logger: logger, now: now, kick: make(chan struct{}, 1),
		slices: fairshare.New(fairshare.Options{Slots: importSlots, Share: 1}), places: newImportPlaces(importsAtOnce)}
}

// Plans limits the records of organizations.
type Plans interface {
	// Admit returns PLAN_LIMIT_EXCEEDED if n more records of an event exceed the plan of its
	// organization.
	Admit(ctx context.Context, org record.OrgID, event record.EventID, n int64) error
}

func (m *Importer) admit(ctx context.Context, org record.OrgID, event record.EventID, n int64) error {
	if m.Plans == nil {
		return nil
	}
	return m.Plans.Admit(ctx, org, event, n)
}

// Kick makes Run look for imports at once.
func (m *Importer) Kick() {
	select {
	case m.kick <- struct{}{}:
	default: // it is about to look
	}
}

// Run processes imports until ctx ends.
func (m *Importer) Run(ctx context.Context) error {
	ticker := time.NewTicker(importSweep)
	defer ticker.Stop()
	defer m.jobs.Wait()
	outage := telemetry.NewOutage(m.logger, m.now, "the work on imports")
	failed := func(err error) { outage.Report(ctx, err) }
	for {
		_, err := m.begin(ctx, map[string]bool{}, failed)
		outage.Report(ctx, err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		case <-m.kick:
		}
	}
}

// Sweep processes every open import without a worker, and returns when they are finished.
func (m *Importer) Sweep(ctx context.Context) error {
	var mu sync.Mutex
	var failures []error
	tried := map[string]bool{}
	for {
		begun, err := m.begin(ctx, tried, func(err error) {
			mu.Lock()
			defer mu.Unlock()
			failures = append(failures, err)
		})
		m.jobs.Wait()
		if err != nil || begun == 0 {
			return errors.Join(append(failures, err)...)
		}
	}
}

// begin starts open imports, at most one of each organization, and returns their number. It
// skips those in tried, and adds those that it starts.
func (m *Importer) begin(ctx context.Context, tried map[string]bool, failed func(error)) (begun int, err error) {
	open, err := allOpen(ctx, m.store)
	if err != nil {
		return 0, err
	}
	organizations := m.places.inTurn(open)
	for _, id := range m.places.returned() {
		delete(tried, id)
	}
	crowded := false
	for _, imports := range organizations {
		imports = slices.DeleteFunc(imports, func(o record.OpenImport) bool { return tried[o.ID] })
		if len(imports) == 0 || m.places.has(imports[0].Org) {
			continue
		}
		if m.places.none(imports[0].ID) {
			crowded = true
			continue
		}
		i, ok, err := m.next(ctx, imports)
		if err != nil {
			return begun, err
		}
		if !ok {
			continue
		}
		place, ok, err := m.placeOf(ctx, i)
		if err != nil {
			return begun, err
		}
		if !ok {
			crowded = true
			continue
		}
		tried[i.ID] = true
		begun++
		m.jobs.Go(func() {
			err := Recovered(func() error { return m.take(ctx, i) })
			m.places.free(i, place, errors.Is(err, errGivesWay))
			switch {
			case err == nil || errors.Is(err, errGivesWay):
				m.Kick() // for the next one of the organization, and for others
			case !errors.Is(err, record.ErrConflict) && !errors.Is(err, record.ErrNotFound):
				failed(fmt.Errorf("import %s: %w", i.ID, err))
			}
		})
	}
	m.places.crowded.Store(crowded)
	return begun, nil
}

// next returns the first due one of an organization's open imports.
func (m *Importer) next(ctx context.Context, imports []record.OpenImport) (i record.Import, ok bool, err error) {
	for _, o := range imports {
		i, err := m.store.Import(ctx, o.Org, o.Event, o.ID)
		if errors.Is(err, record.ErrNotFound) {
			continue
		}
		if err != nil {
			return i, false, fmt.Errorf("import %s: %w", o.ID, err)
		}
		if m.due(i) {
			return i, true, nil
		}
	}
	return i, false, nil
}

// due reports whether an import has work to do and its lease has expired.
func (m *Importer) due(i record.Import) bool {
	// More than twice a lease can be left only if a clock was set back.
	left := i.Lease.Sub(m.now())
	return i.Open() && (left <= 0 || left > 2*importLease)
}

// notReceived is the code of an import whose file was not stored in time.
const notReceived = "NOT_RECEIVED"

// NotReceived reports whether an import was given up because its file was not stored in time.
func NotReceived(i record.Import) bool {
	return i.Status == record.Failed && len(i.Errors) == 1 && i.Errors[0].Code == notReceived
}

// take processes an import that is due. ErrConflict means that another process has it, or has
// taken it over.
func (m *Importer) take(ctx context.Context, i record.Import) error {
	job := &job{Importer: m, ctx: ctx, i: i, began: m.now(), decoding: record.DecodeOptions(ctx, m.store, i.Org, false), endSlice: func() {}}
	defer func() { job.endSlice() }()
	if i.Status == record.Receiving {
		return job.fail(notReceived, "The file did not arrive whole. Please send it again.")
	}
	if err := job.keep(&job.i); err != nil {
		return err
	}
	err := job.attempt()
	if err != nil && !errors.Is(err, record.ErrConflict) {
		job.release()
	}
	return err
}

// job is an import that this process is working on.
type job struct {
	*Importer
	ctx      context.Context // the job lives no longer than the call that has it
	i        record.Import
	decoding footprint.Options
	began    time.Time // start of this process's work on it
	// endSlice releases the slot of the slice.
	endSlice   func()
	sliceBegan time.Time // zero before the first
	turnedAt   time.Time // the same by the clock of the importer
	// The rows done when the import was last stored, and the time.
	kept   int64
	keptAt time.Time
	// reader reads the file while its rows are imported.
	reader *sheet.Reader
	// sure are the counts at the last complete store of a slice.
	sure counts
	// asked is when the permission of the uploader was last verified.
	asked time.Time
}

// keep stores the import, which renews its lease, and ends a slice as turn does.
func (j *job) keep(i *record.Import) error {
	before := i.Rev
	now := j.now().UTC().Truncate(time.Millisecond)
	i.Rev, i.UpdatedAt, i.Lease = before+1, now, now.Add(importLease)
	if i.Rows > importBatch && !fairshare.IsLowPriority(j.ctx) {
		j.ctx = fairshare.LowPriority(j.ctx) // nobody waits for a file that takes this long
	}
	if err := j.store.ReplaceImport(j.ctx, i.Org, *i, before); err != nil || i.Finished() {
		return err
	}
	j.kept, j.keptAt = i.Done, now
	return j.turn()
}

// release lets another process continue at once.
func (j *job) release() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), settleLease)
	defer cancel()
	before := j.i.Rev
	j.i.Rev, j.i.Lease = before+1, j.now()
	_ = j.store.ReplaceImport(ctx, j.i.Org, j.i, before) // otherwise its lease expires
}

const settleLease = 2 * time.Second

// fail ends an import of which nothing has been imported.
func (j *job) fail(code, message string) error {
	j.i.Bad++
	j.i.Faults++
	j.i.Errors = append(j.i.Errors, record.RowError{Code: code, Message: message})
	return j.end(record.Failed)
}

// end stores the outcome, and then removes the file.
func (j *job) end(status record.ImportStatus) error {
	j.i.Status = status
	if err := j.keep(&j.i); err != nil {
		return err
	}
	return j.tidy()
}

func (j *job) tidy() error {
	if err := j.store.DropImportParts(j.ctx, j.i.Org, j.i.ID); err != nil {
		return err
	}
	j.i.HasFile = false
	if err := j.keep(&j.i); err != nil {
		return err
	}
	if j.i.BadParts > 0 {
		dropOldBadRows(j.ctx, j.store, j.i)
	}
	return nil
}

// work completes the import.
func (j *job) work() error {
	if j.i.Finished() {
		return j.tidy()
	}
	if j.i.Status == record.Validating {
		event, err := j.store.Event(j.ctx, j.i.Org, j.i.Event)
		if errors.Is(err, record.ErrNotFound) {
			return j.fail("EVENT_NOT_FOUND", "The event was deleted before the file was imported.")
		}
		if err != nil {
			return err
		}
		v := validation{store: j.store, event: event, decoding: j.decoding, keep: j.keep, turn: j.turn, now: j.now, bad: badRowsOf(j.store, j.i),
			repeats: &repeats{store: j.store, event: event}}
		good, err := v.run(j.ctx, &j.i, j.file())
		if err == nil && good {
			err = j.admit(j.ctx, j.i.Org, j.i.Event, v.newRecords(j.i))
			if apperr.CodeOf(err) == apperr.PlanLimitExceeded {
				return j.fail(string(apperr.PlanLimitExceeded), planMessage(err))
			}
		}
		if err != nil {
			return err
		}
		if !good {
			return j.end(record.Failed)
		}
		if err := j.allowed(); err != nil {
			return err
		}
		// The commit point: nothing has been written before, and everything will be from here
		// on.
		at := event.Context()
		j.i.Status, j.i.Context, j.i.ContextRev = record.Importing, &at, event.ContextRev
		if err := j.keep(&j.i); err != nil {
			return err
		}
	}
	return j.insert()
}

// file reads the file from its parts.
func (j *job) file() io.Reader { return &parts{job: j} }

type parts struct {
	*job
	next int64
	rest []byte
}

// Read implements io.Reader.
func (p *parts) Read(into []byte) (int, error) {
	for len(p.rest) == 0 {
		part, err := p.store.ImportPart(p.ctx, p.i.Org, p.i.ID, p.next)
		if errors.Is(err, record.ErrNotFound) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		p.rest, p.next = part, p.next+1
	}
	n := copy(into, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// planMessage returns the message of a rejection for the errors of an import.
func planMessage(err error) string {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	sentences := []string{e.Message}
	for _, d := range e.Details {
		sentences = append(sentences, d.Message)
	}
	return strings.Join(sentences, " ")
}
