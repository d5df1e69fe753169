package records

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// recordType is what a client needs to know to create records of a type.
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

// template returns a table of a type to fill in, as CSV or as a workbook.
func template(c *fiber.Ctx) error {
	typ := c.Params("type")
	c.Vary(fiber.HeaderAccept)
	if c.Accepts("text/csv", workbook.MediaType) == workbook.MediaType {
		file, err := templateWorkbook(typ, web.Language(c, footprint.Languages()...))
		if err != nil {
			return err
		}
		return sendTemplate(c, file, workbook.MediaType, typ+".xlsx")
	}
	file, err := templateTable(typ)
	if err != nil {
		return err
	}
	return sendTemplate(c, file, csvType, typ+".csv")
}

func sendTemplate(c *fiber.Ctx, file []byte, mediaType, name string) error {
	c.Set(fiber.HeaderContentType, mediaType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	tag := web.ETagOf(string(file))
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	c.Set(fiber.HeaderETag, tag)
	c.Response().SetBodyRaw(file)
	return nil
}

// templateTable returns the headings of a type as CSV, with its examples as rows to be replaced.
func templateTable(typ string) ([]byte, error) {
	columns := sheet.Columns(imports.RowType(record.Import{Type: typ}))
	head := make([]string, 0, len(columns))
	for _, column := range columns {
		head = append(head, column.Name)
	}
	file := sheet.AppendRow(nil, head)
	examples, err := rowExamples(typ)
	if err != nil {
		return nil, err
	}
	for _, example := range examples {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(example, &fields); err != nil {
			return nil, fmt.Errorf("template of %s: %w", typ, err)
		}
		row := make([]string, 0, len(columns))
		for _, column := range columns {
			cell, err := sheet.Cell(fields[column.Name])
			if err != nil {
				return nil, fmt.Errorf("template of %s: %w", typ, err)
			}
			row = append(row, cell)
		}
		file = sheet.AppendRow(file, row)
	}
	return file, nil
}

// rowExamples returns the examples of a type as rows of a file.
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

// location answers with one code and its coordinates.
func location(c *fiber.Ctx) error {
	code := c.Params("code")
	if l, ok := locations.Resolve(code); ok {
		return web.OK(c, l)
	}
	detail := apperr.Detail{Field: "code", Code: "UNKNOWN_CODE", Message: "There is no airport or city with this code."}
	if len(code) <= 8 {
		detail.Suggestions = slices.Clip(locations.Suggest(code))
	}
	return apperr.New(apperr.NotFound, "There is no such location.").With(detail)
}
