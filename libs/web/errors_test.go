package web_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// contractStatuses repeats the table of the contract.
var contractStatuses = map[apperr.Code]int{
	"VALIDATION_ERROR": 400, "UNAUTHENTICATED": 401, "QUOTA_EXCEEDED": 402, "PLAN_LIMIT_EXCEEDED": 402, "FORBIDDEN": 403, "SELF_APPROVAL_FORBIDDEN": 403,
	"NOT_FOUND": 404, "EVENT_NOT_FOUND": 404, "TYPE_NOT_FOUND": 404, "RECORD_NOT_FOUND": 404, "USER_NOT_FOUND": 404, "RESULT_NOT_FOUND": 404, "REVISION_NOT_KEPT": 404,
	"METHOD_NOT_ALLOWED": 405, "NOT_ACCEPTABLE": 406, "INVALID_TRANSITION": 409, "RECORD_LOCKED": 409, "DUPLICATE_REFERENCE": 409, "DUPLICATE_FILE": 409, "EVENT_SIGNED": 409, "EDITION_LIMIT": 409, "PROPOSAL_LIMIT": 409, "PROPOSAL_STALE": 409, "PROPOSAL_NOT_FOUND": 404, "SUPPLIER_FACTOR_NOT_FOUND": 404, "EMAIL_TAKEN": 409, "IDEMPOTENCY_IN_PROGRESS": 409,
	"PRECONDITION_FAILED": 412, "PAYLOAD_TOO_LARGE": 413, "UNSUPPORTED_MEDIA_TYPE": 415, "IDEMPOTENCY_KEY_REUSED": 422, "RATE_LIMITED": 429,
	"INTERNAL": 500, "UNAVAILABLE": 503, "UPSTREAM_TIMEOUT": 504,
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/fail/:code", func(c *fiber.Ctx) error {
		return fmt.Errorf("do: %w", apperr.New(apperr.Code(c.Params("code")), "A sentence."))
	})
	for code, status := range contractStatuses {
		got := b.get("/fail/"+string(code)).fails(status, string(code))
		if code != apperr.Internal && got.Message != "A sentence." {
			t.Errorf("%s: message = %q", code, got.Message)
		}
		if web.StatusOf(code) != status {
			t.Errorf("StatusOf(%s) = %d, want %d", code, web.StatusOf(code), status)
		}
	}
	b.get("/fail/MADE_UP").fails(500, "INTERNAL")
}

// TestNoCodeIsForgotten parses the codes in the source of apperr, so that a new one without a
// status fails.
func TestNoCodeIsForgotten(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../apperr/apperr.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if ident, ok := spec.Type.(*ast.Ident); !ok || ident.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			code, _ := strconv.Unquote(v.(*ast.BasicLit).Value)
			found++
			if contractStatuses[apperr.Code(code)] == 0 {
				t.Errorf("the code %s is not in the contract's table", code)
			} else if web.StatusOf(apperr.Code(code)) != contractStatuses[apperr.Code(code)] {
				t.Errorf("the code %s has the status %d", code, web.StatusOf(apperr.Code(code)))
			}
		}
		return true
	})
	if found != len(contractStatuses) {
		t.Errorf("found %d codes, the contract has %d", found, len(contractStatuses))
	}
}

// TestPoisonedErrors verifies statement 31: internal errors do not reach clients, and are
// logged once, without secrets.
func TestPoisonedErrors(t *testing.T) {
	t.Parallel()
	poison := errors.New("dial mongodb://svc:hunter2@mongo-0.internal:27017: E11000 dup key { email: \"jane@example.org\" } token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1MSJ9.c2lnbmF0dXJl poison-text")
	for name, err := range map[string]error{
		"plain":      poison,
		"wrapped":    fmt.Errorf("load: %w", poison),
		"internal":   apperr.New(apperr.Internal, "%v", poison).With(apperr.Detail{Code: "x", Message: poison.Error()}).Because(poison),
		"unknown":    apperr.New("MADE_UP", "%v", poison).Because(poison),
		"fiber 500":  fiber.NewError(500, poison.Error()),
		"fiber 400":  fiber.NewError(400, poison.Error()),
		"fiber 404":  fiber.NewError(404, poison.Error()),
		"fiber 418":  fiber.NewError(418, poison.Error()),
		"fiber 302":  fiber.NewError(302, poison.Error()),
		"with cause": apperr.New(apperr.Unavailable, "Later, please.").Because(poison),
		"timeout":    fmt.Errorf("%w: %w", poison, context.DeadlineExceeded),
		"database":   fmt.Errorf("find: %w", apperr.New(apperr.Unavailable, "The database cannot be reached right now.").Because(poison)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.app.Get("/x", func(c *fiber.Ctx) error {
				c.Set("ETag", `"of the answer"`)
				c.Set("Location", "/of the answer")
				_ = c.SendString("half an answer")
				return err
			})
			a := b.get("/x")
			whole := a.body + fmt.Sprint(a.header)
			for _, secret := range []string{"poison", "hunter2", "mongo", "jane", "E11000", "half an", "of the answer"} {
				if strings.Contains(whole, secret) {
					t.Errorf("%q leaks: %s", secret, whole)
				}
			}
			log := b.log.String()
			for _, secret := range []string{"hunter2", "jane@", "eyJhbGci"} {
				if strings.Contains(log, secret) {
					t.Errorf("%q is in the log: %s", secret, log)
				}
			}
			if n := strings.Count(log, "poison-text"); a.status >= 500 && n < 1 {
				t.Errorf("the log does not have the cause: %s", log)
			}
			if lines := b.log.lines(t); len(lines) != 1 {
				t.Errorf("%d log lines: %s", len(lines), log)
			}
			if a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control = %q", a.header.Get("Cache-Control"))
			}
		})
	}
}

// TestPanicIsInternal verifies statement 31: a panic is answered like any internal error, and
// reveals nothing.
func TestPanicIsInternal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/x", func(*fiber.Ctx) error { panic("poison-text") })
	a := b.get("/x")
	a.fails(500, "INTERNAL")
	if strings.Contains(a.body, "poison") || strings.Contains(a.body, "goroutine") {
		t.Errorf("the panic leaks: %s", a.body)
	}
	lines := b.log.lines(t)
	if len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0]["error"]), "poison-text") || !strings.Contains(fmt.Sprint(lines[0]["stack"]), "errors_test.go") {
		t.Errorf("log: %s", b.log)
	}
	if lines[0]["level"] != "ERROR" {
		t.Errorf("level = %v", lines[0]["level"])
	}
	b.get("/x").fails(500, "INTERNAL") // and it continues serving
}

func TestErrorHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, err := range map[string]error{
		"/limited":     &apperr.Error{Code: apperr.RateLimited, Message: "Slow down.", RetryAfter: 1500 * time.Millisecond},
		"/bare":        apperr.New(apperr.RateLimited, "Slow down."),
		"/unavailable": apperr.New(apperr.Unavailable, "Later."),
		"/database":    fmt.Errorf("find: %w", apperr.New(apperr.Unavailable, "The database cannot be reached right now.").Because(context.DeadlineExceeded)),
		"/allow":       &apperr.Error{Code: apperr.MethodNotAllowed, Message: "No.", Allow: []string{"GET", "POST"}},
		"/401":         apperr.New(apperr.Unauthenticated, "Who?"),
		"/conflict":    apperr.New(apperr.InvalidTransition, "No.").With(apperr.Detail{Field: "status", Code: "approved", Message: "It is approved.", Suggestions: []string{"reopen"}}),
	} {
		b.app.Get(path, func(*fiber.Ctx) error { return err })
	}
	for _, c := range []struct{ path, header, want string }{
		{"/limited", "Retry-After", "2"}, // rounded up
		{"/bare", "Retry-After", "2"},
		{"/unavailable", "Retry-After", "2"},
		{"/database", "Retry-After", "2"},
		{"/allow", "Allow", "GET, POST"},
		{"/401", "WWW-Authenticate", "Bearer"},
		{"/conflict", "Retry-After", ""},
	} {
		if got := b.get(c.path).header.Get(c.header); got != c.want {
			t.Errorf("%s: %s = %q, want %q", c.path, c.header, got, c.want)
		}
	}
	e := b.get("/conflict").fails(409, "INVALID_TRANSITION")
	if len(e.Details) != 1 || e.Details[0].Suggestions[0] != "reopen" {
		t.Errorf("details = %+v", e.Details)
	}
	if strings.Contains(b.get("/401").body, "details") {
		t.Error("an error without details shows the field")
	}
}

func TestRoutingErrors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/events/:id", func(c *fiber.Ctx) error { return web.OK(c, nil) })
	b.app.Patch("/events/:id", func(c *fiber.Ctx) error { return web.OK(c, nil) })
	b.get("/nothing").fails(404, "NOT_FOUND")
	b.get("/Events/1").fails(404, "NOT_FOUND")
	for _, method := range []string{"DELETE", "TRACE", "OPTIONS", "PROPFIND", "X-MADE-UP"} {
		a := b.do(method, "/events/1", "")
		a.fails(405, "METHOD_NOT_ALLOWED")
		if allow := a.header.Get("Allow"); allow != "GET, HEAD, PATCH" {
			t.Errorf("%s: Allow = %q", method, allow)
		}
		b.do(method, "/nothing", "").fails(404, "NOT_FOUND")
	}
	a := b.get("/nothing")
	for _, name := range []string{"Server", "Allow", "X-Powered-By"} {
		if v := a.header.Get(name); v != "" {
			t.Errorf("%s: %s", name, v)
		}
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("no nosniff on a 404")
	}
}

func TestErrorOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/", func(c *fiber.Ctx) error {
		return web.OK(c, []any{
			web.ErrorOf(c, apperr.New(apperr.RecordNotFound, "No such record.")),
			web.ErrorOf(c, errors.New("poison")),
		})
	})
	a := b.get("/")
	a.ok(http.StatusOK)
	if !strings.Contains(a.body, `"code":"RECORD_NOT_FOUND"`) || !strings.Contains(a.body, `"code":"INTERNAL"`) || strings.Contains(a.body, "poison") {
		t.Error(a.body)
	}
}
