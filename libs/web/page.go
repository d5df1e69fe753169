package web

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// The default and the largest page size.
const (
	DefaultLimit = 25
	MaxLimit     = 100
)

// Page is the requested part of a list. Number is at least 1 and at most the largest
// int64; Limit is 1 to MaxLimit.
type Page struct{ Number, Limit int64 }

// Offset returns the number of items before the page, or the largest int64 instead of
// overflowing.
func (p Page) Offset() int64 {
	if p.Number <= 1 {
		return 0
	}
	if p.Number-1 > math.MaxInt64/p.Limit {
		return math.MaxInt64
	}
	return (p.Number - 1) * p.Limit
}

// Within returns the bounds of the page in a list of total items.
func (p Page) Within(total int64) (from, to int64) {
	from = min(p.Offset(), total)
	return from, min(from+p.Limit, total)
}

// PageOf reads page and limit from the query. An integer limit of any size is clamped
// to 1–100; any page from 1 is accepted. Anything that is not an integer, and a page
// below 1, is VALIDATION_ERROR with a detail for each. The first value of a repeated
// name counts.
func PageOf(c *fiber.Ctx) (Page, error) {
	p := Page{Number: 1, Limit: DefaultLimit}
	var faults []apperr.Detail
	args := c.Context().QueryArgs()
	if args.Has("page") {
		n, ok := parseInteger(args.Peek("page"))
		switch {
		case !ok:
			faults = append(faults, apperr.Detail{Field: "page", Code: "WRONG_TYPE", Message: "page must be an integer."})
		case n < 1:
			faults = append(faults, apperr.Detail{Field: "page", Code: "OUT_OF_RANGE", Message: "page must be 1 or more."})
		default:
			p.Number = n
		}
	}
	if args.Has("limit") {
		n, ok := parseInteger(args.Peek("limit"))
		if !ok {
			faults = append(faults, apperr.Detail{Field: "limit", Code: "WRONG_TYPE", Message: "limit must be an integer."})
		} else {
			p.Limit = min(max(n, 1), MaxLimit)
		}
	}
	if len(faults) > 0 {
		return Page{}, apperr.Invalid(faults...)
	}
	return p, nil
}

// parseInteger parses a decimal integer of any length; outside of int64 it returns the
// nearest int64.
func parseInteger(s []byte) (int64, bool) {
	negative := false
	if len(s) > 0 && s[0] == '-' {
		negative, s = true, s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	var n int64
	for _, d := range s {
		if d < '0' || d > '9' {
			return 0, false
		}
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64 // stays: the next digit takes this branch too
			continue
		}
		n = n*10 + int64(d-'0')
	}
	if negative {
		return -n, true
	}
	return n, true
}

// Pagination describes the page of a List.
type Pagination struct {
	Page       int64 `json:"page"`
	Limit      int64 `json:"limit"`
	Total      int64 `json:"total"`
	TotalPages int64 `json:"totalPages"`
}

// List is the data of every list response.
type List[T any] struct {
	Items      []T        `json:"items"`
	Pagination Pagination `json:"pagination"`
}

// NewList returns one page of total items. Items is never null.
func NewList[T any](items []T, p Page, total int64) List[T] {
	if items == nil {
		items = []T{}
	}
	pages := total / p.Limit
	if total%p.Limit > 0 {
		pages++
	}
	return List[T]{Items: items, Pagination: Pagination{Page: p.Number, Limit: p.Limit, Total: total, TotalPages: pages}}
}

// self returns the list, also of a struct that embeds it.
func (l List[T]) self() any { return l }

// appendJSON appends the list as encoding/json writes it, one item at a time: as one value
// a page of 57 MB, of the longest texts, takes several times its length.
func (l List[T]) appendJSON(b []byte) ([]byte, error) {
	to := bytes.NewBuffer(append(b, `{"items":[`...))
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	add := func(v any) error {
		if err := enc.Encode(v); err != nil {
			return err
		}
		to.Truncate(to.Len() - 1) // the line feed
		return nil
	}
	begin := to.Len()
	for i, item := range l.Items {
		if i > 0 {
			to.WriteByte(',')
		}
		if err := add(item); err != nil {
			return nil, err
		}
		// Room for the rest at once, if it is like the items so far.
		if each := (to.Len() - begin) / (i + 1); to.Available() < 2*each {
			to.Grow((len(l.Items)-i)*each + paginationRoom)
		}
	}
	to.WriteString(`],"pagination":`)
	if err := add(l.Pagination); err != nil {
		return nil, err
	}
	to.WriteByte('}')
	return to.Bytes(), nil
}

// paginationRoom is more than a Pagination takes.
const paginationRoom = 128
