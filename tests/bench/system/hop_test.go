package system

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/testkit"
)

func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
}

// The baselines are processes of this program, because the product is a process: a
// baseline in the process of the load would save context switches.
const (
	peerKind    = "BENCH_PEER" // fiber, fasthttp, buffered or reverse
	peerAddress = "BENCH_PEER_ADDRESS"
	peerBackend = "BENCH_PEER_BACKEND" // the backend of a hop
	peerAnswer  = "BENCH_PEER_ANSWER"  // the file with the response of fiber
)

// TestMain runs a baseline if the environment says so.
func TestMain(m *testing.M) {
	if kind := os.Getenv(peerKind); kind != "" {
		fmt.Fprintln(os.Stderr, servePeer(kind))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func servePeer(kind string) error {
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", os.Getenv(peerAddress))
	if err != nil {
		return err
	}
	if kind == "fiber" {
		return serveAnswer(ln, os.Getenv(peerAnswer))
	}
	return serveHop(ln, kind, os.Getenv(peerBackend))
}

func serveHop(ln net.Listener, kind, backend string) error {
	if kind != "reverse" {
		// The server and the client library of the gateway, and nothing else. With the
		// default buffer of 4 KiB it needs two reads and writes for what the gateway,
		// or a buffered baseline, transfers in one.
		buffer := 0
		if kind == "buffered" {
			buffer = 16 << 10
		}
		client := &fasthttp.HostClient{Addr: strings.TrimPrefix(backend, "http://"), MaxConns: 1024, ReadBufferSize: buffer}
		server := &fasthttp.Server{WriteBufferSize: buffer, Handler: func(c *fasthttp.RequestCtx) {
			if err := client.Do(&c.Request, &c.Response); err != nil {
				c.Error(err.Error(), http.StatusBadGateway)
			}
		}}
		return server.Serve(ln)
	}
	target, err := url.Parse(backend)
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute},
	}}
	return server.Serve(ln)
}

// peer starts a process of the given kind and returns its address.
func peer(t *testing.T, kind string, settings ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	testkit.Process(t, program, nil, append(settings, peerKind+"="+kind, peerAddress+"="+address)).WaitHTTP("http://" + address + "/")
	return "http://" + address
}

// bare starts a server with one fixed response, as a separate process like the product.
func (s *system) bare(status int, body []byte, header http.Header) string {
	s.t.Helper()
	text, err := json.Marshal(answer{status, header.Get("ETag"), body})
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.t.TempDir(), "answer")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return peer(s.t, "fiber", peerAnswer+"="+file)
}

// answer is the response of a bare server.
type answer struct {
	Status int
	Tag    string
	Body   []byte
}

// serveAnswer gives one response to all requests.
func serveAnswer(ln net.Listener, file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the test has written it
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) }) // it is ready
	app.Get("/*", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderETag, a.Tag)
		c.Status(a.Status)
		if a.Status == http.StatusNotModified {
			return nil
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(a.Body)
	})
	return app.Listener(ln)
}

const nginxSettings = `daemon off; worker_processes auto; pid %[1]s/pid; error_log stderr error;
events { worker_connections 1024; }
http {
	access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	upstream backend { server %[2]s; keepalive 256; keepalive_requests 1000000; }
	server {
		listen %[3]s; keepalive_requests 1000000;
		location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}
`

// nginxHop starts nginx if it is installed.
func nginxHop(t *testing.T, backend string) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		t.Log("nginx is not installed: its row is omitted")
		return ""
	}
	dir, address := t.TempDir(), freeAddress(t)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxSettings, dir, strings.TrimPrefix(backend, "http://"), address), 0o600); err != nil {
		t.Fatal(err)
	}
	server := testkit.Process(t, path, []string{"-c", file, "-p", dir, "-e", "stderr"}, nil)
	// Killed, it would leave its workers running.
	t.Cleanup(func() { _ = server.Stop() })
	server.WaitHTTP("http://" + address + "/")
	return "http://" + address
}
