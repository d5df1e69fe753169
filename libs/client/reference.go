package client

import (
	"context"
	"io"
)

// ListRecordTypes lists what can be recorded.
func (c *Client) ListRecordTypes() *Listing[RecordType] { return list[RecordType](c, "record-types") }

// GetRecordType says what records of a type hold, with the JSON Schema of their
// input.
func (c *Client) GetRecordType(ctx context.Context, recordType string, options ...Option) (*RecordType, error) {
	return ask[RecordType](ctx, c, get("record-types", recordType), options)
}

// GetRecordTypeTemplate returns an empty file for imports of a type. The caller
// closes it.
func (c *Client) GetRecordTypeTemplate(ctx context.Context, recordType string, options ...Option) (io.ReadCloser, error) {
	return c.open(ctx, get("record-types", recordType, "template"), options)
}

// GetRecordTypeWorkbook returns a workbook (XLSX) to fill in, with lists of the values to choose from and
// explanations. The caller closes it.
func (c *Client) GetRecordTypeWorkbook(ctx context.Context, recordType string, options ...Option) (io.ReadCloser, error) {
	k := get("record-types", recordType, "template")
	k.accept = string(Workbook)
	return c.open(ctx, k, options)
}

// GetLocationIndex returns all airports and cities flights may name, to search in.
func (c *Client) GetLocationIndex(ctx context.Context, options ...Option) ([]IndexedPlace, error) {
	index, err := ask[struct {
		Items []IndexedPlace `json:"items"`
	}](ctx, c, get("locations", "index"), options)
	if err != nil {
		return nil, err
	}
	return index.Items, nil
}

// GetPlaceIndex returns the towns of 15,000 people and more, to search in.
func (c *Client) GetPlaceIndex(ctx context.Context, options ...Option) ([]IndexedTown, error) {
	index, err := ask[struct {
		Items []IndexedTown `json:"items"`
	}](ctx, c, get("locations", "places"), options)
	if err != nil {
		return nil, err
	}
	return index.Items, nil
}

// GetLocation reads the place of a code.
func (c *Client) GetLocation(ctx context.Context, code string, options ...Option) (*Location, error) {
	return ask[Location](ctx, c, get("locations", code), options)
}

// ListFactorSets lists the editions of emission factors.
func (c *Client) ListFactorSets() *Listing[FactorSet] { return list[FactorSet](c, "factor-sets") }

// GetFactorSet reads a factor set; its rows are in ListFactors.
func (c *Client) GetFactorSet(ctx context.Context, setID string, options ...Option) (*FactorSet, error) {
	return ask[FactorSet](ctx, c, get("factor-sets", setID), options)
}

// ListFactors lists the rows of a factor set, in its order.
func (c *Client) ListFactors(setID string) *Listing[Factor] {
	return list[Factor](c, "factor-sets", setID)
}

// Health reports whether the server responds. It needs no session, nor do HealthLive
// and HealthReady.
func (c *Client) Health(ctx context.Context, options ...Option) (*Health, error) {
	return c.health(ctx, options, "health")
}

// HealthLive reports whether the gateway lives.
func (c *Client) HealthLive(ctx context.Context, options ...Option) (*Health, error) {
	return c.health(ctx, options, "health", "live")
}

// HealthReady reports whether the gateway serves requests. Checks has the state of each
// service behind it, ok or unavailable: one that is unavailable is no error. An error of the code
// CodeUnavailable says that the gateway itself is not ready.
func (c *Client) HealthReady(ctx context.Context, options ...Option) (*Health, error) {
	return c.health(ctx, options, "health", "ready")
}

func (c *Client) health(ctx context.Context, options []Option, path ...string) (*Health, error) {
	k := get(path...)
	k.open = true
	return ask[Health](ctx, c, k, options)
}
