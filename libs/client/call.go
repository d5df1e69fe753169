package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// call is one request to the API, before it is sent.
type call struct {
	method string
	// path is below the base path, segment by segment; each is escaped, so that no
	// id can lead elsewhere.
	path  []string
	query url.Values
	// body is sent as JSON; nil sends none.
	body any
	// upload is sent instead, as CSV.
	upload *upload
	accept string
	// root paths are at the root of the host.
	root bool
	// open operations need no token.
	open bool
	// keyed operations take an Idempotency-Key.
	keyed bool
	// harmless operations may be carried out twice although they are writes.
	harmless bool
	// rehearsable operations take X-Dry-Run, guarded ones If-Match.
	rehearsable, guarded bool
	// many is the body of a move of many records; it takes revisions.
	many map[string]any
}

func get(path ...string) call { return call{method: http.MethodGet, path: path} }

// write is a change that can be rehearsed.
func write(method string, body any, path ...string) call {
	return call{method: method, path: path, body: body, rehearsable: true}
}

// post is a write that carries an Idempotency-Key.
func post(body any, path ...string) call {
	k := write(http.MethodPost, body, path...)
	k.keyed = true
	return k
}

// postMany is a post of one move of many records, by their ids.
func postMany(ids []string, comment string, path ...string) call {
	body := map[string]any{"ids": ids}
	if comment != "" {
		body["comment"] = comment
	}
	k := post(body, path...)
	k.many = body
	return k
}

// change is a write to something that has an ETag.
func change(method string, body any, path ...string) call {
	k := write(method, body, path...)
	k.guarded = true
	return k
}

// deletion is the deletion of a record, which carries an Idempotency-Key.
func deletion(path ...string) call {
	k := change(http.MethodDelete, nil, path...)
	k.keyed = true
	return k
}

// where returns the path for error messages.
func (k call) where() string { return "/" + strings.Join(k.path, "/") }

// address returns the URL below the root of the server. Segments that a server or
// a proxy would take for directions, and empty ones, are refused.
func (k call) address(root string) (string, error) {
	var b strings.Builder
	b.WriteString(root)
	if !k.root {
		b.WriteString(basePath)
	}
	for _, segment := range k.path {
		switch segment {
		case "", ".", "..":
			return "", fmt.Errorf("%w: %q in %s is no identifier", ErrArgument, segment, k.where())
		}
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	if len(k.query) > 0 {
		b.WriteByte('?')
		b.WriteString(k.query.Encode())
	}
	return b.String(), nil
}

// Option changes how one call is made.
type Option func(*settings)

type settings struct {
	key         string
	ifMatch     string
	revisions   map[string]int64
	figures     map[string]Kilograms
	ifNoneMatch string
	ifAbsent    bool
	requestID   string
	dryRun      bool
	meta        *Meta
}

// IdempotencyKey names the call, so that it takes effect once although it is
// made again, even by another process: the second is given the first one's
// answer. Without it every call has a random key, which only its own attempts
// share. It has 1–255 printable ASCII characters.
func IdempotencyKey(key string) Option { return func(s *settings) { s.key = key } }

// IfMatch makes a change only of the state that was seen: tag is the [Meta] ETag
// of an earlier answer. Otherwise the error is CodePreconditionFailed.
func IfMatch(tag string) Option { return func(s *settings) { s.ifMatch = tag } }

// IfRevisions is [IfMatch] for a move of many records: of each only the revision that
// was seen is moved, by its id. Another one, and a record that is not named, has
// CodePreconditionFailed as the error of its outcome.
func IfRevisions(seen map[string]int64) Option { return func(s *settings) { s.revisions = seen } }

// IfFigures approves of many records only those whose [Footprint] is the one that was
// seen, by its id: it depends on the event too, and so can change while the revision of
// the record stays the same. Another one, and a record that is not named, has
// CodePreconditionFailed as the error of its outcome.
func IfFigures(seen map[string]Kilograms) Option { return func(s *settings) { s.figures = seen } }

// IfNoneMatch reads only what differs from what one has: the error is
// [ErrNotModified] while tag, the [Meta] ETag of an earlier answer, still holds.
func IfNoneMatch(tag string) Option { return func(s *settings) { s.ifNoneMatch = tag } }

// IfAbsent makes a call by reference create what the reference names, and never replace it: where it is there already,
// the error is CodePreconditionFailed.
func IfAbsent() Option { return func(s *settings) { s.ifAbsent = true } }

// DryRun rehearses a write: it is checked and answered like the real one, and
// nothing is stored.
func DryRun() Option { return func(s *settings) { s.dryRun = true } }

// RequestID returns the request a name of your own, 1–128 of the characters
// A–Z a–z 0–9 . _ : -, to find it in logs.
func RequestID(id string) Option { return func(s *settings) { s.requestID = id } }

// WithMeta stores the metadata of the response.
func WithMeta(m *Meta) Option { return func(s *settings) { s.meta = m } }

// Meta is the metadata of a response.
type Meta struct {
	// Status is of HTTP.
	Status int
	// ETag is for IfMatch and IfNoneMatch.
	ETag string
	// RequestID names the request in the logs of the server.
	RequestID string
	// Replayed says that the answer is that of an earlier request with the same
	// idempotency key.
	Replayed bool
	// RateLimit is the RateLimit field: what remains of the policy.
	RateLimit string
	// Attempts is how often the request was sent.
	Attempts int
}

// settle applies the options of a call, and refuses those it does not take.
func (c *Client) settle(k call, options []Option) (settings, error) {
	var s settings
	for _, o := range options {
		o(&s)
	}
	isGet := k.method == http.MethodGet
	for name, wrong := range map[string]bool{
		"IdempotencyKey": s.key != "" && !k.keyed, "IfMatch": s.ifMatch != "" && !k.guarded, "IfRevisions": s.revisions != nil && k.many == nil,
		"IfFigures":   s.figures != nil && k.many == nil,
		"IfNoneMatch": s.ifNoneMatch != "" && !isGet, "IfAbsent": s.ifAbsent && k.method != http.MethodPut, "DryRun": s.dryRun && !k.rehearsable,
	} {
		if wrong {
			return s, fmt.Errorf("%w: %s %s does not take %s", ErrArgument, k.method, k.where(), name)
		}
	}
	if s.revisions != nil {
		k.many["revisions"] = s.revisions
	}
	if s.figures != nil {
		k.many["figures"] = s.figures
	}
	if k.keyed && s.key == "" && !s.dryRun {
		s.key = c.options.NewKey()
	}
	return s, nil
}

// fill writes the header of a request.
func (s settings) fill(header http.Header) {
	set := func(name, value string) {
		if value != "" {
			header.Set(name, value)
		}
	}
	set("Idempotency-Key", s.key)
	set("If-Match", s.ifMatch)
	set("If-None-Match", s.ifNoneMatch)
	if s.ifAbsent {
		set("If-None-Match", "*")
	}
	set("X-Request-Id", s.requestID)
	if s.dryRun {
		set("X-Dry-Run", "true")
	}
}
