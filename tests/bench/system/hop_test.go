package system

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/testkit"
)

func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
}

// fasthttpHop passes requests on with the server and the client that the gateway
// is built of, and does nothing else.
func fasthttpHop(t *testing.T, backend string) string {
	t.Helper()
	client := &fasthttp.HostClient{Addr: strings.TrimPrefix(backend, "http://"), MaxConns: 1024}
	server := &fasthttp.Server{Handler: func(c *fasthttp.RequestCtx) {
		if err := client.Do(&c.Request, &c.Response); err != nil {
			c.Error(err.Error(), http.StatusBadGateway)
		}
	}}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = ln.Close() })
	return "http://" + ln.Addr().String()
}

// reverseProxy is the standard library's.
func reverseProxy(t *testing.T, backend string) string {
	t.Helper()
	target, err := url.Parse(backend)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute},
	})
	t.Cleanup(server.CloseClientConnections)
	return server.URL
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

// nginxHop is nginx where it is installed, and nothing elsewhere.
func nginxHop(t *testing.T, backend string) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		t.Log("nginx is not installed: its line is left out")
		return ""
	}
	dir, address := t.TempDir(), freeAddress(t)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxSettings, dir, strings.TrimPrefix(backend, "http://"), address), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.Process(t, path, []string{"-c", file, "-p", dir, "-e", "stderr"}, nil).WaitHTTP("http://" + address + "/")
	return "http://" + address
}
