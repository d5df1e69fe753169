package calculation

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/editions"
	"github.com/eventcarbon/ecf/services/calculation/report"
)

// Sweep removes what was stored for sign-offs of an event that failed.
func (s *server) Sweep(ctx context.Context, ev record.Event) error {
	roots := make([]string, len(ev.Editions))
	for i, e := range ev.Editions {
		roots[i] = e.Root
	}
	return editions.Sweep(ctx, s.Results, ev.Org, ev.ID, roots, s.Now())
}

// signedEvent reads the event in the path, which may be deleted if a revision of it was signed: that remains readable
// for those who could see the event.
func (s *server) signedEvent(c *fiber.Ctx) (record.Event, error) {
	org := teams.Org(c)
	ev, err := s.Records.EventContext(c.UserContext(), org, teams.EventID(c))
	if errors.Is(err, record.ErrNotFound) || err == nil && (ev.Org != org || ev.Deleted && len(ev.Editions) == 0) {
		return record.Event{}, record.NoSuchEvent()
	}
	return ev, err
}

// editionOf opens the edition of the revision in the path; nil if it was not signed.
func (s *server) editionOf(c *fiber.Ctx, ev record.Event) (*editions.Edition, error) {
	number, err := c.ParamsInt("revision")
	if err != nil {
		return nil, nil //nolint:nilnil // the lookup of the revision refuses it
	}
	for _, e := range slices.Backward(ev.Editions) {
		if e.Revision == int64(number) {
			return editions.Open(c.UserContext(), s.Results, ev.Org, ev.ID, e.Root)
		}
	}
	return nil, nil //nolint:nilnil // it was not signed
}

// keptEdition opens the edition of the revision in the path, or returns an error.
func (s *server) keptEdition(c *fiber.Ctx) (record.Event, *editions.Edition, error) {
	ev, err := s.signedEvent(c)
	if err != nil {
		return ev, nil, err
	}
	e, err := s.editionOf(c, ev)
	if err != nil || e != nil {
		return ev, e, err
	}
	newest, err := s.resultOrNone(c.UserContext(), ev.Org, ev.ID)
	if err != nil {
		return ev, nil, err
	}
	if ev.Deleted {
		return ev, nil, record.NoSuchEvent()
	}
	if _, err := s.revisionAt(c, newest, "revision"); err != nil {
		return ev, nil, err
	}
	refusal := apperr.New(apperr.RevisionNotKept, "Revision %s was not signed off, so only its figures are kept.", c.Params("revision"))
	return ev, nil, refusal.With(apperr.Detail{Field: "revision", Code: "NOT_SIGNED",
		Message: "The newest revision has its explanation and report (GET …/results/explain, GET …/results/report). To keep them permanently, sign off a revision (POST /events/{eventId}/sign-off)."})
}

// keptRevision serves the result of a signed revision unchanged.
func (s *server) keptRevision(c *fiber.Ctx, e *editions.Edition, status string) error {
	text, err := io.ReadAll(e.Reader(c.UserContext(), keptResult))
	if err != nil {
		return err
	}
	// The status is of now; see keepResult.
	result, err := keptFor(c, bytes.Replace(text, []byte(`"status":""`), []byte(`"status":"`+status+`"`), 1))
	if err != nil {
		return err
	}
	return web.OK(c, result)
}

// revisionExplained serves a page of the explanation of a signed revision.
func (s *server) revisionExplained(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	_, e, err := s.keptEdition(c)
	if err != nil {
		return err
	}
	tag := editionTag(e, page)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	c.Set(fiber.HeaderETag, tag)
	items, total, err := e.Items(c.UserContext(), keptExplain, page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	return web.OK(c, web.NewList(items, page, total))
}

// revisionReport serves the report of a signed revision, byte for byte.
func (s *server) revisionReport(c *fiber.Ctx) error {
	names, err := variantFor(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	// The page of an edition is what was signed, byte for byte: it is another one only for who
	// asks for that one, not for every browser whose Accept-Language says so.
	language, err := statedLanguage(c)
	if err != nil {
		return err
	}
	ev, e, err := s.keptEdition(c)
	if err != nil {
		return err
	}
	if form == formJSON && views(c) {
		names = bundle.NamesRoles
	}
	kept := form
	switch form {
	case formWorkbook:
		kept = formCSV
	case formHTML:
		language = cmp.Or(language, footprint.English)
		if len(e.Documents[keptReport(form, names, language)].Parts) == 0 {
			language = footprint.English
		}
	}
	name := keptReport(kept, names, language)
	document := e.Documents[name]
	if len(document.Parts) == 0 {
		return apperr.New(apperr.NotAcceptable, "Edition %d was signed before other forms than the bundle were kept without names.", e.Edition).
			With(apperr.Detail{Field: fiber.HeaderAccept, Code: "NOT_ALLOWED", Message: "With names=roles, this edition is available as " + formJSON + ".",
				Suggestions: []string{formJSON}})
	}
	contentType, tag := document.ContentType, `"`+document.SHA256[:32]+`"`
	switch form {
	case formHTML:
		contentType += "; charset=utf-8"
		c.Set(fiber.HeaderContentLanguage, language)
		c.Set(fiber.HeaderContentSecurityPolicy, report.ContentSecurityPolicy())
	case formCSV:
		contentType += "; charset=utf-8"
		c.Set(fiber.HeaderContentDisposition, tableName(ev.ID, e.Revision, form))
	case formWorkbook:
		contentType, tag = formWorkbook, web.ETagOf(formWorkbook, document.SHA256)
		c.Set(fiber.HeaderContentDisposition, tableName(ev.ID, e.Revision, form))
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderETag, tag)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	ctx, cancel := web.BodyContext(c)
	if form == formWorkbook {
		c.Context().SetBodyStream(newKeptBody(ctx, cancel, newTableBook(e.Reader(ctx, name)), web.SlotFunc(c)), unknownSize)
		return nil
	}
	return c.SendStream(newKeptBody(ctx, cancel, e.Reader(ctx, name), web.SlotFunc(c)), int(document.Size))
}

// keptStep is how much of a document of an edition is read while holding a slot, at most.
const keptStep = 256 << 10

// keptBody is a document of an edition; each part is read while holding a slot of its organization, so that a slow
// client blocks nobody.
type keptBody struct {
	io.Reader
	ctx    context.Context // it lives as long as the response, longer than the call that creates it
	cancel func()
	turn   func(context.Context) (end func(), err error)
	from   io.Reader
}

func newKeptBody(ctx context.Context, cancel func(), from io.Reader, turn func(context.Context) (end func(), err error)) *keptBody {
	b := &keptBody{ctx: ctx, cancel: cancel, turn: turn, from: from}
	b.Reader = bufio.NewReaderSize(readerFunc(b.step), keptStep)
	return b
}

// step reads the next part.
func (b *keptBody) step(p []byte) (int, error) {
	end, err := b.turn(b.ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	return b.from.Read(p)
}

// Close implements io.Closer.
func (b *keptBody) Close() error {
	b.cancel()
	return nil
}

// readerFunc is a function as an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
