package calculation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// A report is made a segment at a time: the records of one are read, calculated and
// written, and what was written is kept in a file, in few bytes, until the answer is sent.
// Only when all of them have been read is it known what stands before them, the factors
// that they use, and whether they come to what the result says: nothing is sent of a report
// that does not. So nothing can fail once it is sent, and whatever its event is, no more
// than a segment of it is in memory.

const (
	// reportBytes is how many bytes of reports one process keeps at a time, and reportShare
	// how many of them are one organization's: two of the largest ones.
	reportBytes = 256 << 20
	reportShare = 128 << 20
)

// NewSpool returns what keeps the reports of a process until they are sent.
func NewSpool() *web.Spool { return web.NewSpoolOf("", reportBytes, reportShare) }

// making is a report while it is made.
type making struct {
	ev     record.Event
	newest resulttree.Result
	form   string
	// language is that of a page.
	language string
	// names is the variant; empty: it is without people. pseudonyms stand for them in
	// NamesRoles.
	names      string
	pseudonyms *bundle.Pseudonyms
	// tag is the tag that it has if nothing changes meanwhile; see settledTag.
	tag  string
	file *web.File
}

// reportPart is what is kept of a segment.
type reportPart struct {
	bundle.Kept
	index bundle.Text // see indexed
}

// source returns what the records of a segment are in a report.
func (s *server) reportSource(ctx context.Context, m *making, r resulttree.Result, counted []record.Counted) (source bundle.Source, err error) {
	source = sourceOf(m.ev, r, counted)
	source.Between = func() error { return fairshare.Yield(ctx) }
	if m.names != "" && m.form != formCSV {
		if source.Provenance, err = s.provenanceOf(ctx, m.ev, counted); err != nil {
			return source, err
		}
	}
	if m.pseudonyms != nil {
		source = m.pseudonyms.WithoutNames(source)
	}
	return source, nil
}

// reportParts reads the records of an event's newest result, and writes those of each
// segment.
func (s *server) reportParts(ctx context.Context, m *making, write func(*reportPart, bundle.Source, bundle.Part, resulttree.Result) error) (resulttree.Result, []reportPart, error) {
	return eventreader.Groups(ctx, s.reader, m.ev.Org, m.ev.ID, wholeLimits(), func(r resulttree.Result, counted []record.Counted) (reportPart, error) {
		source, err := s.reportSource(ctx, m, r, counted)
		if err != nil {
			return reportPart{}, err
		}
		part, err := bundle.PartOf(source)
		if err != nil {
			return reportPart{}, fmt.Errorf("report of event %s: %w", r.Event, err)
		}
		if err := fairshare.Yield(ctx); err != nil {
			return reportPart{}, err
		}
		kept := reportPart{Kept: bundle.Kept{Group: part.Group}}
		if err := write(&kept, source, part, r); err != nil {
			return kept, err
		}
		return kept, fairshare.Yield(ctx)
	})
}

// reportBundle makes the bundle of an event's newest result. What it comes to must be what
// the result says, to the last bit.
func (s *server) reportBundle(ctx context.Context, m *making) (result resulttree.Result, parts []reportPart, built *bundle.Joined, err error) {
	result, parts, err = s.reportParts(ctx, m, func(kept *reportPart, source bundle.Source, part bundle.Part, _ resulttree.Result) (err error) {
		var index []indexed
		if kept.Records, err = bundle.TextOf(m.file, func(w io.Writer) error {
			index, err = writeIndexed(w, part.Records, source.Between)
			return err
		}); err != nil {
			return err
		}
		if m.names != "" {
			if kept.Provenance, err = bundle.TextOf(m.file, func(w io.Writer) error { return bundle.WriteProvenance(w, source.Provenance, part.Records) }); err != nil {
				return err
			}
		}
		if m.form == formHTML {
			kept.index, err = keepIndex(m.file, index)
		}
		return err
	})
	if err != nil {
		return result, nil, nil, err
	}
	source := sourceOf(m.ev, result, nil)
	source.InputsHash = result.InputsHash // the segments have grown into it
	if m.names != "" {
		if err := s.addPeople(ctx, m.ev, &source); err != nil {
			return result, nil, nil, err
		}
	}
	if m.pseudonyms != nil {
		source = m.pseudonyms.WithoutNames(source)
	}
	groups := make([]bundle.Kept, len(parts))
	for i, p := range parts {
		groups[i] = p.Kept
	}
	if built, err = bundle.Join(source, groups); err != nil {
		return result, nil, nil, fmt.Errorf("report of event %s: %w", result.Event, err)
	}
	if err := reproduces(result, built.Contribution); err != nil {
		return result, nil, nil, err
	}
	if s.Keys != nil {
		err = built.Sign(s.Keys.SignText)
	}
	return result, parts, built, err
}

// reportJSON sends the bundle of an event's newest result.
func (s *server) reportJSON(c *fiber.Ctx, m *making) error {
	result, _, built, err := s.reportBundle(c.UserContext(), m)
	if err != nil {
		return err
	}
	sum, err := built.Sum()
	if err != nil {
		return err
	}
	text, size, err := built.Text()
	if err != nil {
		return err
	}
	if m.names == "" {
		c.Set(fiber.HeaderETag, web.ETagOf(formJSON, sum))
		c.Set(fiber.HeaderContentType, formJSON)
	} else {
		var of [sha256.Size]byte
		if _, err := hex.Decode(of[:], []byte(sum)); err != nil {
			return fmt.Errorf("report of event %s: %w", result.Event, err)
		}
		c.Set(fiber.HeaderETag, web.ETagOfBody(of))
		c.Set(fiber.HeaderContentType, formPeople)
	}
	return s.sendReport(c, m, result, text, size)
}

// reportCSV sends the table of an event's newest result.
func (s *server) reportCSV(c *fiber.Ctx, m *making) error {
	head, err := bundle.TextOf(m.file, report.Head)
	if err != nil {
		return err
	}
	result, parts, err := s.reportParts(c.UserContext(), m, func(kept *reportPart, _ bundle.Source, part bundle.Part, r resulttree.Result) (err error) {
		kept.Records, err = bundle.TextOf(m.file, func(w io.Writer) error { return report.Rows(w, part.Records, part.Factors, r.Context) })
		return err
	})
	if err != nil {
		return err
	}
	sums, texts := make([]total.Contribution, len(parts)), make([]bundle.Text, 1, len(parts)+1)
	texts[0] = head
	for i, p := range parts {
		sums[i] = p.Sum
		texts = append(texts, p.Records)
	}
	if err := reproduces(result, total.Sum(sums...)); err != nil {
		return err
	}
	h := sha256.New()
	size, err := io.Copy(h, bundle.Texts(texts...))
	if err != nil {
		return fmt.Errorf("report of event %s: %w", result.Event, err)
	}
	c.Set(fiber.HeaderETag, web.ETagOf(formCSV, hex.EncodeToString(h.Sum(nil))))
	c.Set(fiber.HeaderContentDisposition, tableName(m.ev, result))
	c.Set(fiber.HeaderContentType, formCSV+"; charset=utf-8")
	return s.sendReport(c, m, result, bundle.Texts(texts...), size)
}

// keepReportTag gives a report its settled tag, unless something has changed while it was
// made.
func (s *server) keepReportTag(c *fiber.Ctx, m *making, result resulttree.Result) error {
	if result.Version != m.newest.Version {
		return nil // calculated anew meanwhile
	}
	return s.keepTag(c, m.ev, m.tag)
}

// sendReport sends a text of a length that is known: a client sees if some of it is missing.
// The file is closed when it has been sent.
func (s *server) sendReport(c *fiber.Ctx, m *making, result resulttree.Result, text io.Reader, size int64) error {
	if err := s.keepReportTag(c, m, result); err != nil {
		return err
	}
	still, err := teams.Still(c, s.Verifier, s.Records, s.Now, "getReport")
	if err != nil {
		return err
	}
	// The request's own context ends before the answer does.
	c.Context().SetBodyStream(&fromFile{text, m.file, context.WithoutCancel(c.UserContext()), still}, int(size))
	return nil
}

// fromFile is an answer whose text is in a file. It breaks off when the caller's session or
// their rights end: a client may take it for as long as it likes.
type fromFile struct {
	text  io.Reader
	file  *web.File
	ctx   context.Context             // it lives as long as the answer, longer than the call that makes it
	still func(context.Context) error // see teams.Still
}

// Read implements io.Reader.
func (f *fromFile) Read(p []byte) (int, error) {
	if err := f.still(f.ctx); err != nil {
		return 0, fmt.Errorf("report: %w", err)
	}
	return f.text.Read(p)
}

// Close implements io.Closer.
func (f *fromFile) Close() error { return f.file.Close() }

// closeAfter closes the file of a report that was not sent from it.
func (m *making) closeAfter(c *fiber.Ctx, err error) error {
	if _, sent := c.Context().Response.BodyStream().(*fromFile); sent && err == nil {
		return nil
	}
	return errors.Join(err, m.file.Close())
}
