package calculation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/services/calculation/report"
)

// Keep stores an edition as a sign-off does.
func Keep(ctx context.Context, d Deps, ev record.Event, edition, revision int64, by record.Actor, at time.Time) (root string, err error) {
	return newServer(d).Keep(ctx, ev, record.Edition{Edition: edition, Revision: revision, Statement: "As agreed", By: by, At: at, Open: json.RawMessage(`[]`)})
}

// SignOff signs an event off, and waits for the end of it.
func SignOff(ctx context.Context, d Deps, r signoff.Request) (record.Event, error) {
	signOffs := newServer(d).signOffs()
	closing, err := signOffs.Begin(ctx, r)
	if err != nil {
		return closing, err
	}
	return signOffs.Finish(ctx, closing)
}

// WholeReports generates the reports of a variant from all records of an event at once, by format.
func WholeReports(ctx context.Context, d Deps, ev record.Event, names string) (map[string][]byte, error) {
	s := newServer(d)
	result, counted, err := s.reader.Inputs(ctx, ev.Org, ev.ID, wholeLimits())
	if err != nil {
		return nil, err
	}
	source := sourceOf(ev, result, counted)
	if names != "" {
		if source, err = s.sourceWithPeople(ctx, ev, result, counted); err != nil {
			return nil, err
		}
	}
	var pseudonyms *bundle.Pseudonyms
	if names == bundle.NamesRoles {
		source.InputsHash = result.InputsHash
		pseudonyms = bundle.NewPseudonyms(pseudonym)
		source = pseudonyms.WithoutNames(source)
	}
	built, err := s.build(source, result)
	if err != nil {
		return nil, err
	}
	data, _, err := s.reportData(ctx, ev, result, built, pseudonyms)
	if err != nil {
		return nil, err
	}
	var table bytes.Buffer
	if err := report.CSV(&table, data); err != nil {
		return nil, err
	}
	text, err := built.Encode()
	whole := map[string][]byte{formJSON: text, formCSV: table.Bytes()}
	for _, language := range footprint.Languages() {
		var page bytes.Buffer
		err = errors.Join(err, report.HTML(&page, data, language))
		whole[formHTML+" "+language] = page.Bytes()
	}
	whole[formHTML] = whole[formHTML+" "+footprint.English]
	return whole, err
}
