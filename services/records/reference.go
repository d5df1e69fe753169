package records

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/web"
)

// recordType is what a client needs to know to make records of a type.
type recordType struct {
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Formula     string            `json:"formula"`
	Schema      json.RawMessage   `json:"schema"`
	Examples    []json.RawMessage `json:"examples"`
}

func recordTypeOf(typ, language string) recordType {
	return recordType{
		Type: typ, Description: footprint.DescriptionIn(typ, language), Formula: footprint.FormulaIn(typ, language),
		Schema: footprint.SchemaIn(typ, language), Examples: footprint.Examples(typ),
	}
}

// recordTypes lists the types in their fixed order.
func recordTypes(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	language := web.Language(c, footprint.Languages()...)
	types := footprint.Types()
	total := int64(len(types))
	from, to := page.Within(total)
	items := []recordType{}
	for _, typ := range types[from:to] {
		items = append(items, recordTypeOf(typ, language))
	}
	return web.OK(c, web.NewList(items, page, total))
}

func oneRecordType(c *fiber.Ctx) error {
	return web.OK(c, recordTypeOf(c.Params("type"), web.Language(c, footprint.Languages()...)))
}

// template returns an empty table of a type, with its examples as rows to be
// written over.
func template(c *fiber.Ctx) error {
	typ := c.Params("type")
	columns := sheet.Columns(rowsOfFile(record.Import{Type: typ}))
	head := make([]string, 0, len(columns))
	for _, column := range columns {
		head = append(head, column.Name)
	}
	file := sheet.AppendRow(nil, head)
	examples, err := rowExamples(typ)
	if err != nil {
		return err
	}
	for _, example := range examples {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(example, &fields); err != nil {
			return fmt.Errorf("template of %s: %w", typ, err)
		}
		row := make([]string, 0, len(columns))
		for _, column := range columns {
			cell, err := sheet.Cell(fields[column.Name])
			if err != nil {
				return fmt.Errorf("template of %s: %w", typ, err)
			}
			row = append(row, cell)
		}
		file = sheet.AppendRow(file, row)
	}
	c.Set(fiber.HeaderContentType, csvType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+typ+`.csv"`)
	tag := web.ETagOf(string(file))
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	c.Set(fiber.HeaderETag, tag)
	c.Response().SetBodyRaw(file)
	return nil
}

// locationIndex sends the index of airports and cities.
func locationIndex(c *fiber.Ctx) error {
	packed, tag := locations.Index()
	return sendIndex(c, packed, tag)
}

// placeIndex sends the index of towns.
func placeIndex(c *fiber.Ctx) error {
	packed, tag := places.Index()
	return sendIndex(c, packed, tag)
}

// rowExamples are the examples of a type as rows of a file.
func rowExamples(typ string) (rows []json.RawMessage, err error) {
	if typ != footprint.AttendeeTravel {
		return footprint.Examples(typ), nil
	}
	for _, example := range footprint.Examples(typ) {
		origins, err := footprint.Origins(typ, example)
		if err != nil {
			return nil, fmt.Errorf("template of %s: %w", typ, err)
		}
		rows = append(rows, origins...)
	}
	return rows, nil
}

// sendIndex sends a whole index as it was compressed once. For a client that does
// not take that it is unpacked, which has another tag. Where the query names the
// tag as the version (v), what it names never changes.
func sendIndex(c *fiber.Ctx, packed []byte, tag string) error {
	version := strings.Trim(tag, `"`)
	c.Vary(fiber.HeaderAcceptEncoding)
	// Kept by the client, and asked for again each time: 304 unless it changed.
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	if asked := strings.TrimSuffix(c.Query("v"), "-gzip"); asked == version {
		c.Set(fiber.HeaderCacheControl, "private, max-age=31536000, immutable")
	}
	compressed := c.Get(fiber.HeaderAcceptEncoding) != "" && c.AcceptsEncodings("gzip", "identity") == "gzip"
	if compressed {
		tag = strings.TrimSuffix(tag, `"`) + `-gzip"`
	}
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	c.Set(fiber.HeaderETag, tag)
	if compressed {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return web.JSON(c, fiber.StatusOK, packed)
	}
	unpacker, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("location index: %w", err)
	}
	plain, err := io.ReadAll(unpacker)
	if err != nil {
		return fmt.Errorf("location index: %w", err)
	}
	return web.JSON(c, fiber.StatusOK, plain)
}

// location returns one code with its coordinates.
func location(c *fiber.Ctx) error {
	code := c.Params("code")
	if l, ok := locations.Resolve(code); ok {
		return web.OK(c, l)
	}
	detail := apperr.Detail{Field: "code", Code: "UNKNOWN_CODE", Message: "There is no airport or city of this code."}
	if len(code) <= 8 {
		detail.Suggestions = slices.Clip(locations.Suggest(code))
	}
	return apperr.New(apperr.NotFound, "There is no such location.").With(detail)
}
