package web

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// requestID uses the caller's X-Request-Id if it is valid, and generates an id
// otherwise.
func (e *edge) requestID(c *fiber.Ctx) error {
	e.ensureRequestID(c)
	return c.Next()
}

// ensureRequestID is also used for errors that fasthttp finds before any middleware.
func (e *edge) ensureRequestID(c *fiber.Ctx) {
	k := knownOf(c)
	if k.requestID == "" {
		k.requestID = e.idOf(&c.Request().Header)
	}
	SetRequestID(c, k.requestID)
}

// idOf returns the id of a request.
func (e *edge) idOf(h *fasthttp.RequestHeader) string {
	if theirs := h.PeekCanonical(nameRequestID); saneID(theirs) {
		return string(theirs)
	}
	return e.o.NewID()
}

// SetRequestID sets the request id in the response.
func SetRequestID(c *fiber.Ctx, id string) {
	c.Response().Header.SetCanonical(nameRequestID, []byte(id))
}

// nameRequestID is fiber.HeaderXRequestID as fasthttp normalizes it.
var nameRequestID = []byte("X-Request-Id")

func saneID(s []byte) bool {
	if len(s) < 1 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		case b == '.', b == '_', b == ':', b == '-':
		default:
			return false
		}
	}
	return true
}

// accessLog turns an error into its response and writes the log line of the request.
// The line never contains an email address, a token, a query or a body.
func (e *edge) accessLog(c *fiber.Ctx) error {
	if err := c.Next(); err != nil {
		if err := e.handleError(c, err); err != nil {
			return err
		}
	}
	tellStored(c)
	status := c.Response().StatusCode()
	k := knownOf(c)
	level := levelOf(status, k)
	if !e.o.Logger.Enabled(c.UserContext(), level) {
		return nil
	}
	k.ended = e.o.Now()
	line := telemetry.Request{At: k.ended, Took: k.ended.Sub(k.began), Method: loggable(methodOf(c)), Route: routeOf(c), Status: status,
		ID: RequestID(c), Code: string(codeOf(c))}
	if p := PrincipalOf(c); p.UserID != "" {
		line.Org, line.Actor = p.Org, p.UserID
	}
	if cause := k.cause; cause != nil && status >= http.StatusInternalServerError {
		line.Error = telemetry.Redact(cause.Error())
		if p, ok := errors.AsType[*panicked](cause); ok {
			line.Stack = p.stack
		}
	}
	telemetry.LogRequest(c.UserContext(), e.o.Logger, level, line)
	return nil
}

// levelOf returns the level of the log line.
func levelOf(status int, k *known) slog.Level {
	switch {
	case k.together:
		return slog.LevelDebug
	case status == http.StatusInternalServerError:
		return slog.LevelError
	case status > http.StatusInternalServerError:
		return slog.LevelWarn
	case k.quiet:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// oneFraming rejects a request that two readers of one connection could divide
// differently (request smuggling): one with both Content-Length and Transfer-Encoding,
// of which fasthttp would use the chunks, and one with a folded header line (RFC 9112,
// section 5.2), which fasthttp joins and others read as a field of its own, or as none.
func oneFraming(c *fiber.Ctx) error {
	if c.Context().UserValue(keyFolded) != nil {
		c.Context().SetConnectionClose()
		return fiber.ErrBadRequest
	}
	if !namesTransfer(c.Request().Header.RawHeaders()) {
		return c.Next()
	}
	length, chunked := false, false
	for k := range c.Request().Header.AllInOrder() {
		length = length || strings.EqualFold(string(k), fiber.HeaderContentLength)
		chunked = chunked || strings.EqualFold(string(k), fiber.HeaderTransferEncoding)
	}
	if !length || !chunked {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	return fiber.ErrBadRequest
}

// folded reports whether a line of a header continues the one before.
func folded(header []byte) bool {
	for {
		i := bytes.IndexByte(header, '\n')
		if i < 0 || i+1 == len(header) {
			return false
		}
		if header = header[i+1:]; header[0] == ' ' || header[0] == '\t' {
			return true
		}
	}
}

// namesTransfer reports whether a header may contain a Transfer-Encoding field, much
// faster than by parsing it.
func namesTransfer(header []byte) bool {
	const before = "transfer"
	for {
		i := bytes.IndexByte(header, '-')
		if i < 0 {
			return false
		}
		if i >= len(before) && strings.EqualFold(string(header[i-len(before):i]), before) {
			return true
		}
		header = header[i+1:]
	}
}

// loggable limits what a client can put into a log line.
func loggable(s string) string {
	if len(s) > 32 {
		return s[:32]
	}
	return s
}

// routeOf returns the pattern of the matched route, or the empty string, so that
// arbitrary paths appear neither in logs nor in metrics.
func routeOf(c *fiber.Ctx) string {
	if knownOf(c).unrouted {
		return ""
	}
	return c.Route().Path
}

// panicked is the error for a panic of a handler, with its stack for the log.
type panicked struct {
	value any
	stack string
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

func (e *edge) recoverPanic(c *fiber.Ctx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{value: v, stack: string(debug.Stack())}
		}
	}()
	if fault := knownOf(c).fault; fault != nil {
		return fault
	}
	return c.Next()
}

// securityHeaders sets the security headers of a response that the handler has not set.
func (e *edge) securityHeaders(c *fiber.Ctx) error {
	err := c.Next()
	setSecurityHeaders(&c.Response().Header)
	return err
}

func setSecurityHeaders(h *fasthttp.ResponseHeader) {
	var present [len(securityFields)]bool
	for name, value := range h.All() {
		for i := range securityFields {
			present[i] = present[i] || len(value) > 0 && bytes.Equal(name, securityFields[i].name)
		}
	}
	for i, f := range securityFields {
		if !present[i] {
			h.SetCanonical(f.name, f.value)
		}
	}
}

// securityFields are named as fasthttp normalizes names.
var securityFields = [...]struct{ name, value []byte }{
	{[]byte(fiber.HeaderXContentTypeOptions), []byte("nosniff")},
	{[]byte(fiber.HeaderCacheControl), []byte("no-store")},
	{[]byte(fiber.HeaderReferrerPolicy), []byte("no-referrer")},
	{[]byte(fiber.HeaderXFrameOptions), []byte("DENY")},
}
