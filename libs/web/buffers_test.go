package web_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
)

// written is a connection that sends one request and counts the writes of the response.
type written struct {
	net.Conn
	request io.Reader
	pieces  int
	answer  bytes.Buffer
}

func (w *written) Read(b []byte) (int, error) { return w.request.Read(b) }
func (w *written) Write(b []byte) (int, error) {
	w.pieces++
	return w.answer.Write(b)
}
func (*written) Close() error                     { return nil }
func (*written) SetReadDeadline(time.Time) error  { return nil }
func (*written) SetWriteDeadline(time.Time) error { return nil }
func (*written) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*written) RemoteAddr() net.Addr             { return &net.TCPAddr{} }

// TestAPageIsWrittenAtOnce verifies that a page of a list is written with one system call.
func TestAPageIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	for _, gateway := range []bool{false, true} {
		b := setup(t, func(o *web.Options) { o.StreamBodies = gateway })
		b.app.Get("/", func(c *fiber.Ctx) error { return c.SendString(strings.Repeat("x", 14_000)) })
		b.app.Handler() // builds the route tree, as listening would
		conn := &written{request: strings.NewReader("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}
		if err := b.app.Server().ServeConn(conn); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(conn.answer.String(), "HTTP/1.1 200") || conn.answer.Len() < 14_000 {
			t.Fatalf("answered %.100q, %d bytes", conn.answer.String(), conn.answer.Len())
		}
		if conn.pieces != 1 {
			t.Errorf("gateway %v: %d bytes are written in %d pieces, want 1", gateway, conn.answer.Len(), conn.pieces)
		}
	}
}
