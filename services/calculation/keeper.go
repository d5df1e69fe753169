package calculation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/editions"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// The documents of an edition, besides those of its report.
const (
	keptResult  = "result"
	keptExplain = "explain"
)

// keptReport returns the name of the report in a form and a variant. Of pages, the one in English is what was signed;
// the others are translations of it.
func keptReport(form, names, language string) string {
	name := "report"
	if names == bundle.NamesRoles {
		name += ".roles"
	}
	switch form {
	case formCSV:
		return name + ".csv"
	case formHTML:
		if language != footprint.English {
			name += "." + language
		}
		return name + ".html"
	default:
		return name + ".json"
	}
}

// wholeLimits bound the events that can be signed off, and those that can be reported.
func wholeLimits() eventreader.Limits { return eventreader.Limits{Records: 120_000, Bytes: 512 << 20} }

// Keep implements signoff.Results: it stores everything that an edition of an event serves, and returns the name of
// its root. It is invisible before the event names that root, and may be repeated. The error for the client states
// that the revision is not the newest, or cannot be recomputed.
func (s *server) Keep(ctx context.Context, ev record.Event, e record.Edition) (root string, err error) {
	result, counted, err := s.reader.Inputs(ctx, ev.Org, ev.ID, wholeLimits())
	if err != nil {
		return "", err
	}
	if result.Revision != e.Revision {
		return "", apperr.New(apperr.PreconditionFailed, "Revision %d was to be signed, but the newest is %d.", e.Revision, result.Revision)
	}
	// Remains of earlier failed sign-offs are removed now: an event has one at a time, and this one has stored
	// nothing yet.
	if err := s.Sweep(ctx, ev); err != nil {
		return "", err
	}
	source, err := s.sourceWithPeople(ctx, ev, result, counted)
	if err != nil {
		return "", err
	}
	source.SignOff = signOffOf(e)
	built, err := s.build(source, result)
	if err != nil {
		return "", err
	}
	w := editions.NewWriter(s.Results, ev.Org, ev.ID, e.Revision, e.Edition, s.Now())
	if err := s.keepResult(ctx, w, ev, result); err != nil {
		return "", err
	}
	if err := keepExplained(ctx, w, result, counted); err != nil {
		return "", err
	}
	data, _, err := s.reportData(ctx, ev, result, built, nil)
	if err != nil {
		return "", err
	}
	if err := keepReports(ctx, w, bundle.NamesFull, data); err != nil {
		return "", err
	}
	pseudonyms := bundle.NewPseudonyms(pseudonym)
	source.InputsHash = result.InputsHash // the free text that it covers is withheld
	if data.Built, err = s.build(pseudonyms.WithoutNames(source), result); err != nil {
		return "", err
	}
	data.SignOff = data.Built.SignOff
	withhold(&data, pseudonyms)
	if err := keepReports(ctx, w, bundle.NamesRoles, data); err != nil {
		return "", err
	}
	return w.Close(ctx)
}

// keepResult stores the result as served, without status and counts, which vary.
func (s *server) keepResult(ctx context.Context, w *editions.Writer, ev record.Event, result resulttree.Result) error {
	view, err := viewOf(result, "")
	if err != nil {
		return err
	}
	checks, err := s.crosschecks.Of(ctx, ev, result)
	if err != nil {
		return err
	}
	view.Findings, view.MeasureNext = checks.Findings, checks.Next
	view.Notices = footprint.WithSetNotice(view.Notices, result.Context)
	text, err := plainjson.MarshalUnescaped(view)
	if err != nil {
		return err
	}
	return w.Document(ctx, keptResult, fiber.MIMEApplicationJSON, func(d *editions.DocumentWriter) error {
		_, err := d.Write(text)
		return err
	})
}

func keepExplained(ctx context.Context, w *editions.Writer, result resulttree.Result, counted []record.Counted) error {
	sum, err := result.Sum()
	if err != nil {
		return err
	}
	variance := sum.Variance()
	counted = slices.Clone(counted)
	slices.SortStableFunc(counted, func(a, b record.Counted) int {
		return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), cmp.Compare(b.Seq, a.Seq))
	})
	return w.Document(ctx, keptExplain, fiber.MIMEApplicationJSON, func(d *editions.DocumentWriter) error {
		for _, c := range counted {
			r, err := explain.Of(c, result.Context, variance)
			if err != nil {
				return err
			}
			text, err := plainjson.MarshalUnescaped(r)
			if err != nil {
				return err
			}
			if err := d.Item(text); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepReports stores a variant of the report in all forms and languages.
func keepReports(ctx context.Context, w *editions.Writer, names string, data report.Data) error {
	err := w.Document(ctx, keptReport(formJSON, names, ""), formJSON, func(d *editions.DocumentWriter) error { return data.EncodeTo(d, d.Cut) })
	if err != nil {
		return err
	}
	for _, language := range footprint.Languages() {
		if err := w.Document(ctx, keptReport(formHTML, names, language), formHTML, func(d *editions.DocumentWriter) error { return report.HTML(d, data, language) }); err != nil {
			return err
		}
	}
	return w.Document(ctx, keptReport(formCSV, names, ""), formCSV, func(d *editions.DocumentWriter) error { return report.CSV(d, data) })
}

// reportData returns the data of the page and the table of a result, and the list of what to measure next. People have the
// pseudonyms that they have in the bundle; nil: their names.
func (s *server) reportData(ctx context.Context, ev record.Event, result resulttree.Result, built bundle.Built, pseudonyms *bundle.Pseudonyms) (report.Data, []findings.ToMeasure, error) {
	data := report.Data{Built: built, About: ev, Context: result.Context, SignOff: built.SignOff, NotCounted: built.NotCounted}
	var err error
	if data.Earlier, data.Causes, err = s.sinceEdition(ctx, ev, result); err != nil {
		return data, nil, err
	}
	organization, err := s.Records.Organization(ctx, ev.Org)
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return data, nil, err
	}
	data.Organization = organization.Name
	if data.SignOff == nil {
		data.SignOff = currentSignOff(ev, result)
	}
	if data.NotCounted == nil {
		if data.NotCounted, err = s.notCounted(ctx, ev); err != nil {
			return data, nil, err
		}
	}
	checks, err := s.crosschecks.Of(ctx, ev, result)
	data.Findings = checks.Findings
	if pseudonyms != nil {
		withhold(&data, pseudonyms)
	}
	return data, checks.Next, err
}

// withhold replaces the people of a report by their pseudonyms, and its free text, in what is not of its bundle.
func withhold(data *report.Data, pseudonyms *bundle.Pseudonyms) {
	data.Causes, data.Findings, data.About.Compensation = slices.Clone(data.Causes), slices.Clone(data.Findings), slices.Clone(data.About.Compensation)
	for i := range data.Causes {
		data.Causes[i].By = pseudonyms.Of(data.Causes[i].By)
	}
	for i := range data.Findings {
		data.Findings[i] = data.Findings[i].Withholding(bundle.Withheld)
	}
	for i := range data.About.Compensation {
		if c := &data.About.Compensation[i]; c.Description != "" {
			c.Description = bundle.Withheld
		}
	}
}

// signOffOf returns the sign-off of an edition.
func signOffOf(e record.Edition) *bundle.SignOff {
	return &bundle.SignOff{Edition: e.Edition, By: e.By, At: e.At.UTC().Format(timeLayout), Statement: e.Statement, FourEyes: e.FourEyes, Open: e.Open}
}

// currentSignOff returns the sign-off of a result; nil if its event is not signed.
func currentSignOff(ev record.Event, result resulttree.Result) *bundle.SignOff {
	if n := len(ev.Editions); ev.Gate.State == record.GateSigned && n > 0 && ev.Editions[n-1].Revision == result.Revision {
		return signOffOf(ev.Editions[n-1])
	}
	return nil
}

// notCounted returns the numbers of records that are not in a result.
func (s *server) notCounted(ctx context.Context, ev record.Event) (*bundle.NotCounted, error) {
	counts, err := s.Records.CountByStatus(ctx, ev.Org, ev.ID)
	return &bundle.NotCounted{Waiting: counts[record.Submitted] + counts[record.InReview],
		ChangesRequested: counts[record.ChangesRequested], Rejected: counts[record.Rejected], Unsubmitted: counts[record.Unsubmitted]}, err
}

// sourceOf returns the source of the bundle of a result, without people.
func sourceOf(ev record.Event, result resulttree.Result, counted []record.Counted) bundle.Source {
	source := bundle.Source{
		Event:     bundle.Event{ID: string(ev.ID), Title: ev.Title, Boundary: ev.Boundary, Context: bundle.ContextOf(result.Context)},
		FactorSet: result.Context.FactorSet, Engine: result.Context.Engine, Records: eventreader.BundleInputs(counted),
		Revision: result.Revision, CalculatedAt: result.CalculatedAt.UTC().Format(timeLayout), Tree: eventreader.Tree(),
	}
	for _, id := range result.Failed {
		source.Failed = append(source.Failed, string(id))
	}
	return source
}

// sourceWithPeople adds the organization, the histories of the counted records and
// the numbers of those that are not counted.
func (s *server) sourceWithPeople(ctx context.Context, ev record.Event, result resulttree.Result, counted []record.Counted) (source bundle.Source, err error) {
	source = sourceOf(ev, result, counted)
	if source.Provenance, err = s.provenanceOf(ctx, ev, counted); err != nil {
		return source, err
	}
	return source, s.addPeople(ctx, ev, &source)
}

// addPeople adds the organization, its policies and the numbers of uncounted records. It must follow reading the
// records, so that it includes the policies that they were approved under.
func (s *server) addPeople(ctx context.Context, ev record.Event, source *bundle.Source) error {
	organization, err := s.Records.Organization(ctx, ev.Org)
	if err != nil {
		return err
	}
	source.Organization = &bundle.Organization{ID: string(organization.ID), Name: organization.Name}
	policies, err := record.PolicyHistory(ctx, s.Records, organization)
	if err != nil {
		return err
	}
	source.Policies = bundle.PoliciesOf(policies)
	source.NotCounted, err = s.notCounted(ctx, ev)
	return err
}

// provenanceOf returns the provenance of counted records.
func (s *server) provenanceOf(ctx context.Context, ev record.Event, counted []record.Counted) (all []bundle.Provenance, err error) {
	for some := range slices.Chunk(counted, historiesAtOnce) {
		histories, err := s.historiesOf(ctx, ev, some)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			all = append(all, bundle.ProvenanceOf(c.ID, c.Rev, c.Fields, histories[c.ID]))
		}
	}
	return all, nil
}

// build builds the bundle of a result, signed if there is a key. It must agree with the result to the last bit.
func (s *server) build(source bundle.Source, result resulttree.Result) (bundle.Built, error) {
	built, err := bundle.Build(source)
	if err != nil {
		return built, fmt.Errorf("report of event %s: %w", result.Event, err)
	}
	if err := reproduces(result, built.Contribution); err != nil {
		return built, err
	}
	if s.Keys != nil {
		built.Bundle, err = s.Keys.Sign(built.Bundle)
	}
	return built, err
}

// reproduces returns an error unless the sum of records equals the result to the last bit.
func reproduces(result resulttree.Result, sum total.Contribution) error {
	got, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	// A contribution stored by an older engine is equal if its figures are.
	stored, err := result.Sum()
	if err != nil {
		return err
	}
	figures, err := json.Marshal(stored)
	if err == nil && !bytes.Equal(got, figures) {
		err = notReproduced(result)
	}
	return err
}
