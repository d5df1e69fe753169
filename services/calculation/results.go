package calculation

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// The states of a result: current, or about to be replaced because a record or
// the event has changed since.
const (
	statusCurrent       = record.ResultCurrent
	statusRecalculating = record.ResultRecalculating
)

// resultView is a result as served. The breakdown's fields are inlined.
type resultView struct {
	Event    record.EventID `json:"eventId"`
	Revision int64          `json:"revision"`
	Status   string         `json:"status"`
	total.Breakdown
	Counts        *record.Counts `json:"counts,omitempty"`
	Method        methodView     `json:"method"`
	FactorSet     factorSetView  `json:"factorSet"`
	EngineVersion string         `json:"engineVersion"`
	InputsHash    string         `json:"inputsHash"`
	CalculatedAt  string         `json:"calculatedAt"`
	// Tables are the footprint in the rows of standards.
	Tables []tables.Table `json:"tables"`
	// Participants are figures per participant in person and remote, of the newest result only.
	Participants *participantsView `json:"participants,omitempty"`
	// Compensation are the event's offsets and removals, of the newest result only; nil if it has none.
	Compensation *compensationView `json:"compensation,omitempty"`
	// Cause states why the revision differs from the previous one, oldest first.
	Cause []causeView `json:"cause"`
	// CauseSince is the first of the revisions before this one that retention has
	// dropped: Cause is of those too.
	CauseSince int64              `json:"causeSince,omitempty"`
	Findings   []findings.Finding `json:"findings"`
	// MeasureNext is of the newest result only, as Findings are.
	MeasureNext []findings.ToMeasure `json:"measureNext"`
}

type methodView struct {
	RadiativeForcing bool   `json:"radiativeForcing"`
	GWP              string `json:"gwp"`
}

type factorSetView struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// maxFailedNotices bounds the notices of records that could not be calculated.
const maxFailedNotices = 100

const timeLayout = "2006-01-02T15:04:05.000Z"

// viewOf formats a stored result. It depends only on the result, so the view of a revision never changes.
func viewOf(r resulttree.Result, status string) (resultView, error) {
	sum, err := r.Sum()
	if err != nil {
		return resultView{}, err
	}
	return viewOfSum(r, sum, status)
}

// viewOfSum is viewOf for a result whose sum has been decoded.
func viewOfSum(r resulttree.Result, sum total.Contribution, status string) (resultView, error) {
	set, err := factors.ByID(r.Context.FactorSet)
	if err != nil {
		return resultView{}, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	view := resultView{
		Event: r.Event, Revision: r.Revision, Status: status, Breakdown: sum.Breakdown(r.Context),
		Method:        methodView{r.Context.RadiativeForcing, r.Context.GWP},
		FactorSet:     factorSetView{set.ID, set.Checksum},
		EngineVersion: r.EngineVersion, InputsHash: r.InputsHash,
		CalculatedAt: r.CalculatedAt.UTC().Format(timeLayout), Findings: []findings.Finding{}, MeasureNext: []findings.ToMeasure{}, Cause: causesOf(r), CauseSince: r.Since,
	}
	view.Tables = tables.Of(sum.Cells(), view.MarketBased)
	for _, id := range r.Failed[:min(len(r.Failed), maxFailedNotices)] {
		view.Notices = append(view.Notices, footprint.Notice{Code: "RECORD_NOT_CALCULATED",
			Message: "The record " + string(id) + " is approved but could not be calculated; it is missing from the total."})
	}
	if more := r.Failures() - maxFailedNotices; more > 0 {
		view.Notices = append(view.Notices, footprint.Notice{Code: "RECORD_NOT_CALCULATED",
			Message: fmt.Sprintf("%d more records are approved but could not be calculated; they are missing from the total.", more)})
	}
	return view, nil
}

// event reads the event of the path.
func (s *server) event(c *fiber.Ctx) (record.Event, error) {
	ev, read, err := teams.Event(c)
	if !read {
		ev, err = s.Records.Event(c.UserContext(), teams.Org(c), teams.EventID(c))
	}
	if errors.Is(err, record.ErrNotFound) {
		err = record.NoSuchEvent()
	}
	return ev, err
}

func (s *server) result(c *fiber.Ctx) error {
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	newest, err := s.newest(c.UserContext(), ev)
	if err != nil {
		return err
	}
	view, err := viewOfSum(newest.Result, newest.sum, newest.status())
	if err != nil {
		return err
	}
	if view.Counts, err = s.counts(c.UserContext(), ev); err != nil {
		return err
	}
	view.Participants, view.Compensation = participantsOf(ev, view.Breakdown), compensationOf(ev)
	checks, err := s.crosschecks.Of(c.UserContext(), ev, newest.Result)
	if err != nil {
		return err
	}
	view.Findings, view.MeasureNext, view.Cause = checks.Findings, checks.Next, causesFor(c, view.Cause)
	view.Notices = footprint.WithSetNotice(view.Notices, newest.Context)
	return web.OK(c, view)
}

// due reports whether the event as read, or any of its records, is marked.
func (s *server) due(ctx context.Context, ev record.Event) (bool, error) {
	if ev.Mark != "" {
		return true, nil
	}
	return s.Records.HasMarkedRecords(ctx, ev.Org, ev.ID)
}

// newestResult is the newest result of an event with its sum, which is not empty.
type newestResult struct {
	resulttree.Result
	sum total.Contribution
	due bool // it is outdated
}

func (n newestResult) status() string {
	if n.due {
		return statusRecalculating
	}
	return statusCurrent
}

// newest reads the newest result of an event, or returns why there is none. The marks are read first, that of the
// event with the event, then the result: changes whose marks are cleared are in any result read later, so an outdated
// result is never called current. An empty result is stored to guard against older writers only.
func (s *server) newest(ctx context.Context, ev record.Event) (n newestResult, err error) {
	if n.due, err = s.due(ctx, ev); err != nil {
		return n, err
	}
	n.Result, err = s.Results.Result(ctx, ev.Org, ev.ID)
	if errors.Is(err, resulttree.ErrNotFound) {
		return n, noResult(n.due)
	}
	if err == nil {
		n.sum, err = n.Sum()
	}
	if err == nil && n.sum.Records() == 0 && len(n.Failed) == 0 {
		err = noResult(n.due)
	}
	return n, err
}

// resultOrNone reads the newest result of an event; its zero value if there is none.
func (s *server) resultOrNone(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error) {
	r, err := s.Results.Result(ctx, org, event)
	if errors.Is(err, resulttree.ErrNotFound) {
		return resulttree.Result{}, nil
	}
	return r, err
}

// counts returns how many records of an event are in each state.
func (s *server) counts(ctx context.Context, ev record.Event) (*record.Counts, error) {
	byStatus, err := s.Records.CountByStatus(ctx, ev.Org, ev.ID)
	if err != nil {
		return nil, err
	}
	counts := record.CountsOf(byStatus)
	return &counts, nil
}

// noResult returns the error for either reason why there is no result.
func noResult(due bool) error {
	e := apperr.New(apperr.ResultNotFound, "No result has been calculated for this event.")
	if due {
		return e.With(apperr.Detail{Code: "CALCULATION_PENDING", Message: "The event or its approved records have changed; the result is being calculated. Try again in a moment."})
	}
	return e.With(apperr.Detail{Code: "NOTHING_APPROVED", Message: "No record of this event is approved. Only approved records count."})
}

// history lists all results the event has had, newest first.
func (s *server) history(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	revisions, newest, kept, err := resulttree.History{Results: s.Results}.Page(c.UserContext(), ev.Org, ev.ID, page.Offset(), page.Limit)
	if errors.Is(err, resulttree.ErrNotFound) {
		return web.OK(c, web.NewList([]resultView{}, page, 0))
	}
	if err != nil {
		return err
	}
	texts := make([][]byte, len(revisions))
	for i, r := range revisions {
		view := func() (resultView, error) {
			v, err := viewOf(r, statusOf(r, newest))
			v.Cause = causesFor(c, v.Cause)
			return v, err
		}
		if r.Revision < newest.Revision {
			texts[i], err = s.superseded.of(r, views(c), view)
		} else {
			texts[i], err = textOf(view)
		}
		if err != nil {
			return err
		}
	}
	return web.OK(c, textList(web.NewList(texts, page, kept.Kept(newest.Revision))))
}

// statusSuperseded is the state of a result that a newer one has replaced.
const statusSuperseded = "superseded"

func statusOf(r, newest resulttree.Result) string {
	if r.Revision < newest.Revision {
		return statusSuperseded
	}
	return statusCurrent
}

// revision serves one result of the event's history.
func (s *server) revision(c *fiber.Ctx) error {
	ev, err := s.signedEvent(c)
	if err != nil {
		return err
	}
	newest, err := s.resultOrNone(c.UserContext(), ev.Org, ev.ID)
	if err != nil {
		return err
	}
	kept, err := s.editionOf(c, ev)
	if err != nil {
		return err
	}
	if kept != nil {
		return s.keptRevision(c, kept, statusOf(resulttree.Result{Revision: kept.Revision}, newest))
	}
	if ev.Deleted {
		return record.NoSuchEvent()
	}
	found, err := s.revisionAt(c, newest, "revision")
	if err == nil && found.Revision < newest.Revision {
		var kept resulttree.Retention
		if kept, err = s.Results.Retention(c.UserContext(), ev.Org, ev.ID); err == nil {
			found, err = resulttree.History{Results: s.Results}.Whole(c.UserContext(), kept, found)
		}
	}
	if err != nil {
		return err
	}
	view, err := viewOf(found, statusOf(found, newest))
	if err != nil {
		return err
	}
	view.Cause = causesFor(c, view.Cause)
	return web.OK(c, view)
}

// revisionAt reads the revision that a parameter of the path names. newest is
// the zero value where the event has no result.
func (s *server) revisionAt(c *fiber.Ctx, newest resulttree.Result, parameter string) (resulttree.Result, error) {
	number, err := strconv.ParseInt(c.Params(parameter), 10, 64)
	if err != nil || number < 1 || number > newest.Revision {
		message := "The event has no result yet."
		if newest.Revision > 0 {
			message = fmt.Sprintf("The event has the revisions 1 to %d.", newest.Revision)
		}
		return resulttree.Result{}, apperr.New(apperr.ResultNotFound, "The event has no result with this revision.").
			With(apperr.Detail{Field: parameter, Code: "UNKNOWN_REVISION", Message: message})
	}
	found, err := s.revisions(c, newest, number, number)
	if err == nil && len(found) != 1 {
		if err = s.checkKept(c, newest, number); err == nil {
			err = fmt.Errorf("event %s: revision %d is missing", newest.Event, number)
		}
	}
	if err != nil {
		return resulttree.Result{}, err
	}
	return found[0], nil
}

// checkKept returns an error if retention has dropped one of the given revisions of an event.
func (s *server) checkKept(c *fiber.Ctx, newest resulttree.Result, revisions ...int64) error {
	kept, err := s.Results.Retention(c.UserContext(), newest.Org, newest.Event)
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		if kept.Dropped(revision) {
			return apperr.New(apperr.RevisionNotKept, "Revision %d is older than the period for which this installation keeps results.", revision).
				With(apperr.Detail{Field: "revision", Code: "RETENTION",
					Message: fmt.Sprintf("What it changed, and why, is part of revision %d. Signed revisions are kept permanently.", kept.Next(revision))})
		}
	}
	return nil
}

// revisions reads a range of revisions, newest first, given the newest: older ones are stored separately.
func (s *server) revisions(c *fiber.Ctx, newest resulttree.Result, from, to int64) ([]resulttree.Result, error) {
	if from > to {
		return nil, nil
	}
	var found []resulttree.Result
	if to >= newest.Revision {
		found, to = append(found, newest), newest.Revision-1
	}
	if from > to {
		return found, nil
	}
	kept, err := s.Results.Revisions(c.UserContext(), newest.Org, newest.Event, from, to)
	return append(found, kept...), err
}
