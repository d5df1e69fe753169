package client

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"strconv"
)

// maxLimit is the server's largest page.
const maxLimit = 100

// Page is a page of a list.
type Page[T any] struct {
	Items      []T        `json:"items"`
	Pagination Pagination `json:"pagination"`
}

// Listing is a list of the API, newest first where nothing else is said.
type Listing[T any] struct {
	client *Client
	call   call
}

func list[T any](c *Client, path ...string) *Listing[T] {
	return &Listing[T]{client: c, call: get(path...)}
}

// Page reads one page. Pages count from 1; limit is 1–100, and 0 the server's
// default. A page past the end is empty.
func (l *Listing[T]) Page(ctx context.Context, page, limit int, options ...Option) (*Page[T], error) {
	k := l.call
	k.query = url.Values{}
	maps.Copy(k.query, l.call.query)
	k.query.Set("page", strconv.Itoa(page))
	if limit != 0 {
		k.query.Set("limit", strconv.Itoa(limit))
	}
	return ask[Page[T]](ctx, l.client, k, options)
}

// All iterates over all items of all pages, which are read on demand. It ends after the first error. Items added
// meanwhile move others to a later page: an item may occur twice, and none that remains is missed unless others are
// deleted.
func (l *Listing[T]) All(ctx context.Context, options ...Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for number := 1; ; number++ {
			page, err := l.Page(ctx, number, maxLimit, options...)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if number >= page.Pagination.TotalPages {
				return
			}
		}
	}
}
