package calculation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// The page shows only the largest records, so its length does not depend on the event. Which they are is known when
// all have been written: an index of each segment, stored with its text, has each record's mass and position.

// indexed is an index entry of a record.
type indexed struct {
	ID string `json:"i"`
	// Hi and Lo are its mass.
	Hi int64  `json:"h"`
	Lo uint64 `json:"l"`
	// At is its position in the text of its segment.
	At   int64 `json:"a"`
	Size int64 `json:"s"`
}

func (i indexed) mass() footprint.Mass { return footprint.MassOfWords(i.Hi, i.Lo) }

// writtenBetween is how many records are written from one call of between to the next.
const writtenBetween = 64

// writeIndexed is bundle.WriteRecords with an index as its result. It calls between after every batch.
func writeIndexed(w io.Writer, records []bundle.Record, between func() error) ([]indexed, error) {
	index := make([]indexed, len(records))
	at := int64(0)
	for i, r := range records {
		if i%writtenBetween == writtenBetween-1 {
			if err := between(); err != nil {
				return nil, err
			}
		}
		var text bytes.Buffer
		if err := bundle.WriteRecords(&text, records[i:i+1]); err != nil {
			return nil, err
		}
		if i > 0 {
			if _, err := w.Write([]byte{','}); err != nil {
				return nil, err
			}
			at++
		}
		size, err := text.WriteTo(w)
		if err != nil {
			return nil, err
		}
		hi, lo := r.KgCO2e.Words()
		index[i] = indexed{r.ID, hi, lo, at, size}
		at += size
	}
	return index, nil
}

func keepIndex(file *web.File, index []indexed) (bundle.Text, error) {
	return bundle.TextOf(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(index) })
}

// picked is a record that the page shows.
type picked struct {
	indexed
	part int // its segment
}

// picks are the records that the page shows.
type picks struct {
	records int            // of all segments
	sum     footprint.Mass // of all of them
	// largest are the largest ones, largest first; ties in the order of the bundle.
	largest []picked
	named   []picked
}

// pick selects the largest records, and those with the ids.
func pick(parts []reportPart, ids map[string]bool) (p picks, err error) {
	keep := func() {
		slices.SortStableFunc(p.largest, func(a, b picked) int { return b.mass().Cmp(a.mass()) })
		p.largest = p.largest[:min(len(p.largest), report.AnnexRecords)]
	}
	for at, part := range parts {
		if part.Count == 0 {
			continue
		}
		var index []indexed
		if err := json.NewDecoder(bundle.Texts(part.index)).Decode(&index); err != nil {
			return p, fmt.Errorf("read index: %w", err)
		}
		for _, i := range index {
			p.records++
			p.sum = p.sum.Add(i.mass())
			one := picked{i, at}
			p.largest = append(p.largest, one)
			if ids[i.ID] {
				p.named = append(p.named, one)
			}
		}
		keep()
	}
	return p, nil
}

// inputs reads the inputs of records from the text of the bundle.
func inputs(parts []reportPart, all []picked) ([]bundle.Input, error) {
	slices.SortFunc(all, func(a, b picked) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.At, b.At)) })
	all = slices.CompactFunc(all, func(a, b picked) bool { return a.part == b.part && a.At == b.At })
	out := make([]bundle.Input, 0, len(all))
	var text []byte
	for n, p := range all {
		if n == 0 || all[n-1].part != p.part {
			var err error
			if text, err = io.ReadAll(bundle.Texts(parts[p.part].Records)); err != nil {
				return nil, fmt.Errorf("read records: %w", err)
			}
		}
		var r struct {
			ID        string          `json:"_id"`
			Type      string          `json:"type"`
			Seq       int64           `json:"seq"`
			Revision  int64           `json:"revision"`
			Fields    json.RawMessage `json:"fields"`
			InputHash string          `json:"inputHash"`
		}
		if err := json.Unmarshal(text[p.At:p.At+p.Size], &r); err != nil {
			return nil, fmt.Errorf("read record %s: %w", p.ID, err)
		}
		out = append(out, bundle.Input{ID: r.ID, Type: r.Type, Seq: r.Seq, Revision: r.Revision, Fields: r.Fields, Hash: r.InputHash})
	}
	return out, nil
}

// some returns the records of a result that the page shows.
func (m *making) some(result resulttree.Result, parts []reportPart, next []findings.ToMeasure) (*report.Some, error) {
	ids := map[string]bool{}
	for _, n := range next {
		ids[string(n.ID)] = true
	}
	p, err := pick(parts, ids)
	if err != nil {
		return nil, err
	}
	if len(p.named) != len(ids) { // the list of what to measure next is outdated
		return nil, eventreader.Changing()
	}
	source := sourceOf(m.ev, result, nil)
	if source.Records, err = inputs(parts, slices.Concat(p.largest, p.named)); err != nil {
		return nil, err
	}
	shown, err := bundle.PartOf(source)
	if err != nil {
		return nil, fmt.Errorf("report of event %s: %w", result.Event, err)
	}
	some := &report.Some{Records: p.records, Rest: p.sum}
	large := map[string]bool{}
	for _, l := range p.largest {
		large[l.ID] = true
		some.Rest = some.Rest.Sub(l.mass())
	}
	of := map[string]bundle.Record{}
	for _, r := range shown.Records {
		if of[r.ID] = r; large[r.ID] {
			some.Largest = append(some.Largest, r)
		}
	}
	for _, n := range next {
		some.Next = append(some.Next, report.Next{ToMeasure: n, Record: of[string(n.ID)]})
	}
	return some, nil
}

// page generates the page of an event's newest result.
func (s *server) page(ctx context.Context, m *making) (resulttree.Result, []byte, error) {
	result, parts, built, err := s.reportBundle(ctx, m)
	if err != nil {
		return result, nil, err
	}
	data, next, err := s.reportData(ctx, m.ev, result, bundle.Built{Bundle: built.Bundle, Contribution: built.Contribution}, m.pseudonyms)
	if err != nil {
		return result, nil, err
	}
	if data.Some, err = m.some(result, parts, next); err != nil {
		return result, nil, err
	}
	var out bytes.Buffer
	err = report.HTML(&out, data, m.language)
	return result, out.Bytes(), err
}

// reportHTML sends the page of an event's newest result.
func (s *server) reportHTML(c *fiber.Ctx, m *making) error {
	result, page, err := s.page(c.UserContext(), m)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, report.ContentSecurityPolicy())
	c.Set(fiber.HeaderContentType, formHTML+"; charset=utf-8")
	c.Set(fiber.HeaderETag, web.ETagOf(formHTML, string(page)))
	if err := s.keepReportTag(c, m, result); err != nil {
		return err
	}
	return c.Send(page)
}
