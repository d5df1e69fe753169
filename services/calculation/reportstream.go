package calculation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// A report without people is made a segment at a time: the records of one are calculated
// and written, and what was written is kept in few bytes until the answer is sent. Only
// then is it known what stands before them, the factors that they use, and whether they
// come to what the result says: nothing is sent of a report that does not.

// reportPart is what is kept of a segment.
type reportPart struct {
	bundle.Group
	text bundle.Text
}

// reportParts reads the records of an event's newest result, and writes those of each
// segment.
func (s *server) reportParts(ctx context.Context, ev record.Event, write func(io.Writer, bundle.Part, resulttree.Result) error) (
	result resulttree.Result, groups []bundle.Group, texts []bundle.Text, err error,
) {
	result, parts, err := eventreader.Groups(ctx, s.reader, ev.Org, ev.ID, eventreader.Answer(), func(r resulttree.Result, counted []record.Counted) (reportPart, error) {
		part, err := bundle.PartOf(sourceOf(ev, r, counted))
		if err != nil {
			return reportPart{}, fmt.Errorf("report of event %s: %w", r.Event, err)
		}
		text, err := bundle.TextOf(func(w io.Writer) error { return write(w, part, r) })
		return reportPart{part.Group, text}, err
	})
	for _, p := range parts {
		groups, texts = append(groups, p.Group), append(texts, p.text)
	}
	return result, groups, texts, err
}

// reportJSON sends the bundle of an event's newest result, without people.
func (s *server) reportJSON(c *fiber.Ctx, ev record.Event, newest resulttree.Result, tag string) error {
	result, groups, texts, err := s.reportParts(c.UserContext(), ev, func(w io.Writer, p bundle.Part, _ resulttree.Result) error {
		return bundle.WriteRecords(w, p.Records)
	})
	if err != nil {
		return err
	}
	source := sourceOf(ev, result, nil)
	source.InputsHash = result.InputsHash // the segments have grown into it
	built, err := bundle.Join(source, groups, texts)
	if err != nil {
		return fmt.Errorf("report of event %s: %w", result.Event, err)
	}
	if err := reproduces(result, built.Contribution); err != nil {
		return err
	}
	if s.Keys != nil {
		if err := built.Sign(s.Keys.SignText); err != nil {
			return err
		}
	}
	sum, err := built.Sum()
	if err != nil {
		return err
	}
	text, size, err := built.Text()
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, web.ETagOf(formJSON, sum))
	c.Set(fiber.HeaderContentType, formJSON)
	return s.sendReport(c, ev, result, newest, tag, text, size)
}

// reportCSV sends the table of an event's newest result.
func (s *server) reportCSV(c *fiber.Ctx, ev record.Event, newest resulttree.Result, tag string) error {
	result, groups, texts, err := s.reportParts(c.UserContext(), ev, func(w io.Writer, p bundle.Part, r resulttree.Result) error {
		return report.Rows(w, p.Records, p.Factors, r.Context)
	})
	if err != nil {
		return err
	}
	sums := make([]total.Contribution, len(groups))
	for i, g := range groups {
		sums[i] = g.Sum
	}
	if err := reproduces(result, total.Sum(sums...)); err != nil {
		return err
	}
	head, err := bundle.TextOf(report.Head)
	if err != nil {
		return err
	}
	texts = append([]bundle.Text{head}, texts...)
	h := sha256.New()
	size, err := io.Copy(h, bundle.Texts(texts...))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, web.ETagOf(formCSV, hex.EncodeToString(h.Sum(nil))))
	c.Set(fiber.HeaderContentDisposition, tableName(ev, result))
	c.Set(fiber.HeaderContentType, formCSV+"; charset=utf-8")
	return s.sendReport(c, ev, result, newest, tag, bundle.Texts(texts...), size)
}

// sendReport sends a text of a length that is known: a client sees if some of it is missing.
func (s *server) sendReport(c *fiber.Ctx, ev record.Event, result, newest resulttree.Result, tag string, text io.Reader, size int64) error {
	if result.Version == newest.Version { // else calculated anew meanwhile
		if err := s.keepTag(c, ev, tag); err != nil {
			return err
		}
	}
	c.Context().SetBodyStream(text, int(size))
	return nil
}
