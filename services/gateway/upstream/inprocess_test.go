package upstream

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// operation returns an operation by its id.
func operation(t *testing.T, id string) api.Operation {
	t.Helper()
	o, ok := api.Operations().Find(id)
	if !ok {
		t.Fatalf("there is no operation %s", id)
	}
	return o
}

// insideClients returns two clients of a service in this process: over connections, and by
// direct calls.
func insideClients(t *testing.T, app *fiber.App) (over, direct *Client) {
	t.Helper()
	ln := fasthttputil.NewInmemoryListener()
	app.Handler()
	go func() { _ = app.Listener(ln) }()
	t.Cleanup(func() { _ = app.Shutdown() })
	u := Config{URL: "http://records", Dial: DialListener(ln)}
	over, err := New("records", u)
	if err != nil {
		t.Fatal(err)
	}
	u.Handler = app.Server().Handler
	if direct, err = New("records", u); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(direct.Close(), over.Close()); err != nil {
			t.Error(err)
		}
	})
	return over, direct
}

// TestAServiceInsideAnswersAsOverAConnection compares the responses of an application over a
// connection and by direct calls.
func TestAServiceInsideAnswersAsOverAConnection(t *testing.T) {
	t.Parallel()
	app := web.New(web.Options{Service: "test", NewID: func() string { return "made" }})
	app.All("/echo", func(c *fiber.Ctx) error {
		c.Set("X-Saw", strings.Join([]string{c.Method(), c.OriginalURL(), c.Get("X-Forwarded-For"), c.Get(fiber.HeaderContentType), c.Hostname(), string(c.Body()), c.IP(), c.Protocol()}, " | "))
		c.Cookie(&fiber.Cookie{Name: "a", Value: "b"})
		return web.Created(c, fiber.Map{"body": strings.Repeat("x", 5000)}, "/there")
	})
	app.Get("/tagged", func(c *fiber.Ctx) error { return web.OK(c, fiber.Map{"a": 1}) })
	app.Get("/empty", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })
	app.Get("/text", func(c *fiber.Ctx) error { return c.SendString("text") })
	app.Get("/stream", func(c *fiber.Ctx) error { return c.SendStream(strings.NewReader("streamed"), -1) })
	app.Get("/panic", func(*fiber.Ctx) error { panic("test") })
	over, direct := insideClients(t, app)
	read, write := operation(t, "getEvent"), operation(t, "createRecord")
	for _, one := range []struct {
		o                          api.Operation
		method, target, body, name string
	}{
		{write, "POST", "/echo?a=b&a=%20c", `{"a":1}`, ""}, {write, "PATCH", "/echo", "", ""}, {read, "GET", "/echo?x", "", "X-Forwarded-For"},
		{read, "GET", "/tagged", "", ""}, {read, "GET", "/tagged", "", fiber.HeaderIfNoneMatch}, {read, "HEAD", "/tagged", "", ""},
		{read, "GET", "/empty", "", ""}, {read, "GET", "/text", "", ""}, {read, "GET", "/stream", "", ""}, {read, "GET", "/panic", "", ""},
		{read, "GET", "/nothing", "", ""}, {write, "DELETE", "/text", "", ""},
	} {
		answers := [2]string{}
		for i, c := range []*Client{over, direct} {
			for range 2 { // the second one reuses a worker, or a connection
				req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
				req.Header.SetMethod(one.method)
				req.SetRequestURI(one.target)
				req.Header.SetHost("records")
				req.Header.Set("X-Request-Id", "from-the-gateway")
				if one.body != "" {
					req.Header.SetContentType("application/json")
					req.SetBodyString(one.body)
				}
				if one.name != "" {
					req.Header.Set(one.name, "*")
				}
				if err := c.Call(t.Context(), one.o, identity.Principal{}, req, resp, time.Now().Add(time.Minute)); err != nil {
					t.Fatalf("%s %s: %v", one.method, one.target, err)
				}
				resp.Header.Del(fiber.HeaderDate)
				resp.Header.Del(fiber.HeaderConnection)
				answers[i] = fmt.Sprintf("%d %s %s\n%s", resp.StatusCode(), resp.Body(), sent(resp), fields(&resp.Header))
				fasthttp.ReleaseRequest(req)
				fasthttp.ReleaseResponse(resp)
			}
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %s (%s): over a connection\n%s\nby the handler\n%s", one.method, one.target, one.name, answers[0], answers[1])
		}
	}
}

// sent returns how the body of a response is stored.
func sent(resp *fasthttp.Response) string {
	if len(resp.Body()) == 0 {
		return ""
	}
	return string(resp.Header.ContentType())
}

// fields returns the significant header fields of a response, sorted.
func fields(h *fasthttp.ResponseHeader) string {
	var all []string
	for name, value := range h.All() {
		if string(name) != fiber.HeaderContentLength && string(name) != fiber.HeaderContentType {
			all = append(all, string(name)+": "+string(value))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// askEvent requests an event.
func askEvent(t *testing.T, c *Client, timeout time.Duration) (int, error) {
	t.Helper()
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI("/")
	req.Header.SetHost("records")
	err := c.Call(t.Context(), operation(t, "getEvent"), identity.Principal{}, req, resp, time.Now().Add(timeout))
	return resp.StatusCode(), err
}

func unreachable() (net.Conn, error) { return nil, errors.New("there is no listener") }

// dialless is a client that uses direct calls only.
func dialless(t *testing.T, h fasthttp.RequestHandler) *Client {
	t.Helper()
	c, err := New("records", Config{URL: "http://records", Handler: h, Dial: DialListener(dialer(unreachable))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type dialer func() (net.Conn, error)

func (d dialer) Dial() (net.Conn, error) { return d() }

// TestAServiceInsideThatHangsIsGivenUp verifies that a hanging call times out, later ones are
// served within the limit, and close waits for it.
func TestAServiceInsideThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	hang, hung := make(chan struct{}), make(chan struct{}, MaxConns)
	c := dialless(t, func(rc *fasthttp.RequestCtx) {
		hung <- struct{}{}
		<-hang
		rc.SetStatusCode(fasthttp.StatusTeapot)
	})
	_, err := askEvent(t, c, time.Nanosecond)
	var timeout interface{ Timeout() bool }
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("%v, want a time-out", err)
	}
	var wg sync.WaitGroup
	for range MaxConns - 1 {
		wg.Go(func() {
			if status, err := askEvent(t, c, time.Minute); err != nil || status != fasthttp.StatusTeapot {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	for range MaxConns {
		<-hung
	}
	if _, err := askEvent(t, c, time.Minute); !errors.Is(err, fasthttp.ErrNoFreeConns) {
		t.Errorf("one more than %d: %v", MaxConns, err)
	}
	if err := c.readsInside.close(time.Nanosecond); !errors.Is(err, errStillWorking) {
		t.Errorf("the end did not wait: %v", err)
	}
	close(hang)
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestAnswersOfAServiceInsideAreNotMixed verifies that many concurrent callers, some of whom
// time out, get their own responses.
func TestAnswersOfAServiceInsideAreNotMixed(t *testing.T) {
	t.Parallel()
	c := dialless(t, func(rc *fasthttp.RequestCtx) {
		rc.Response.Header.SetBytesV("X-Own", rc.Request.Header.Peek("X-Own"))
		rc.SetBody(rc.QueryArgs().Peek("own"))
	})
	read := operation(t, "getEvent")
	var wg sync.WaitGroup
	for caller := range 16 {
		wg.Go(func() {
			for i := range 200 {
				own := fmt.Sprintf("%d-%d", caller, i)
				req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
				req.SetRequestURI("/?own=" + own)
				req.Header.SetHost("records")
				req.Header.Set("X-Own", own)
				timeout := time.Minute
				if i%10 == 0 {
					timeout = time.Nanosecond
				}
				if err := c.Call(t.Context(), read, identity.Principal{}, req, resp, time.Now().Add(timeout)); err != nil && i%10 != 0 {
					t.Error(err)
				} else if err == nil && (string(resp.Body()) != own || string(resp.Header.Peek("X-Own")) != own) {
					t.Errorf("%s was answered with %s and %s", own, resp.Body(), resp.Header.Peek("X-Own"))
				}
				fasthttp.ReleaseRequest(req)
				fasthttp.ReleaseResponse(resp)
			}
		})
	}
	wg.Wait()
	testkit.Eventually(t, 10*time.Second, func() error { return c.Close() })
}
