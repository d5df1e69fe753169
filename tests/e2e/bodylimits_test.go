package e2e

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestBodiesAreBounded verifies that a body above the limit is 413 and one nested
// deeper than 32 levels 400, on every route that accepts one (statement 29).
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	manager := s.manager(t)
	event := manager.post("/events", map[string]any{"title": "Large", "country": "GB"}).want(http.StatusCreated).str("_id")
	records := "/events/" + event + "/waste"
	record := manager.post(records, map[string]any{"treatment": "landfill", "weightKg": 1}).want(http.StatusCreated).str("_id")
	large := `{"title":"` + strings.Repeat("x", 1<<20) + `"}`
	deep := func(levels int, open, end string) string {
		return `{"metadata":` + strings.Repeat(open, levels-1) + strings.Repeat(end, levels-1) + `}`
	}
	for _, c := range []struct{ method, path string }{
		{http.MethodPost, "/events"}, {http.MethodPatch, "/events/" + event}, {http.MethodPost, records}, {http.MethodPatch, records + "/" + record}, {http.MethodPost, records + "/batch"},
		{http.MethodPost, records + "/submit"}, {http.MethodPost, records + "/" + record + "/reject"}, {http.MethodPost, "/auth/login"}, {http.MethodPost, "/auth/password"},
	} {
		manager.do(c.method, c.path, large, nil).wantError(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
		deepest := 100_000
		if c.path == "/auth/login" {
			deepest = 2000 // without a token no more than 16 KiB are read
		}
		for _, levels := range []int{33, 1000, deepest} {
			for _, text := range []string{deep(levels, "[", "]"), strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)} {
				a := manager.do(c.method, c.path, text, nil).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
				if code := a.at("error", "details", 0, "code"); code != "MALFORMED_JSON" {
					t.Errorf("%s %s, %d levels: %s", c.method, c.path, levels, a.body)
				}
			}
		}
	}
	// 32 levels are decoded, and the field is invalid.
	a := manager.post(records, deep(32, "[", "]")).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	if strings.Contains(string(a.body), "MALFORMED_JSON") {
		t.Errorf("32 levels: %s", a.body)
	}
}

// TestIdleConnectionsBlockNobody verifies that requests are answered while ten thousand
// connections send nothing or bodies without an end (statement 29).
func TestIdleConnectionsBlockNobody(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	proc := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
		"ECF_ADDR=" + address, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password, "ECF_ISSUER=http://" + address,
	})
	proc.WaitHTTP("http://" + address + "/api/v2/health/ready")
	s := &system{url: "http://" + address}
	user := s.as(t, "user@demo.test")

	idle := 10_000
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if most := int(files.Cur) - 2000; idle > most { // each uses a file descriptor here
		t.Logf("%d connections: the machine allows no more", most)
		idle = max(most, 500)
	}
	var mu sync.Mutex
	var open []net.Conn
	t.Cleanup(func() {
		for _, c := range open {
			_ = c.Close()
		}
	})
	var group sync.WaitGroup
	for worker := range 20 {
		group.Go(func() {
			for i := worker; i < idle; i += 20 {
				// From many addresses: each has a limited share.
				from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+worker), 1)}, Timeout: 20 * time.Second}
				c, err := from.DialContext(t.Context(), "tcp", address)
				if err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
				mu.Lock()
				open = append(open, c)
				mu.Unlock()
				switch i % 20 {
				case 0: // a header that does not end
					_, _ = io.WriteString(c, "GET /api/v2/health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
				case 1: // a body that does not come
					_, _ = io.WriteString(c, "POST /api/v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
				}
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for range 20 {
		begin := time.Now()
		user.get("/events").want(http.StatusOK)
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("a request took %s with %d idle connections", took, idle)
		}
	}
	// One address may have a thousand.
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 99, 1)}, Timeout: 20 * time.Second}
	for range 1001 {
		c, err := from.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	last := open[len(open)-1]
	_ = last.SetDeadline(time.Now().Add(20 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(last), nil)
	if err != nil {
		t.Fatalf("the connection above the limit of an address: %v", err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the connection above the limit of an address: %d", res.StatusCode)
	}
}

// TestThePublicPortGivesNothingAway verifies that no method and no path reveals the
// software, its state, or what it was sent (statements 30 and 31).
func TestThePublicPortGivesNothingAway(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		host := strings.TrimPrefix(s.url, "http://")
		manager := s.manager(t)
		paths := []string{"/", "/api/v2", "/api/v2/events", "/api/v2/health", "/api/v2/auth/login", "/api/v2/nothing", "/metrics", "/status", "/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/api/v2/metrics",
			"/api/v2/debug/pprof/", "/livez", "/readyz", "/.git/config", "/.env", "/server-status", "/actuator/health", "/internal/sessions/x", "/api/v2/internal/sessions/x", "/swagger.json", "/api/v1/events", "/favicon.ico", "/robots.txt", "*"}
		methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "TRACK", "CONNECT", "PROPFIND", "DEBUG", "MADE-UP"}
		for _, path := range paths {
			for _, method := range methods {
				w := wire{host: host}
				q := &wireRequest{method: method, target: path, fields: []field{{"Authorization", "Bearer " + manager.token}, {"X-Mark", "sent-8812"}}}
				status, header, body, _, err := w.send(q)
				w.close()
				if err != nil {
					t.Errorf("%s %s: %v", method, path, err)
					continue
				}
				what := fmt.Sprintf("%s %s: %d %v %.300s", method, path, status, header, body)
				for _, name := range []string{"Server", "X-Powered-By", "Via", "X-Aspnet-Version", "X-Runtime"} {
					if header.Get(name) != "" {
						t.Errorf("%s reveals: %s", name, what)
					}
				}
				for _, word := range []string{"sent-8812", "goroutine", "fasthttp", "fiber", "go1.", "sqlite", "mongo", "redis", "# HELP", "[core]", manager.token[:40]} {
					if strings.Contains(string(body), word) {
						t.Errorf("%q reveals: %s", word, what)
					}
				}
				known := strings.HasPrefix(path, "/api/v2/events") || strings.HasPrefix(path, "/api/v2/health") || path == "/api/v2/auth/login"
				switch {
				case method == "TRACE" || method == "TRACK" || method == "DEBUG" || method == "MADE-UP" || method == "PROPFIND" || method == "CONNECT" || method == "OPTIONS":
					if known && (status != http.StatusMethodNotAllowed || header.Get("Allow") == "") && method != "CONNECT" || status < 400 {
						t.Errorf("not refused: %s", what)
					}
				case !known && status != http.StatusNotFound && status != http.StatusBadRequest:
					t.Errorf("it exists: %s", what)
				}
				if status >= 400 {
					var e struct {
						Success *bool
						Error   struct{ Code, Message, RequestID, Docs string }
					}
					if json.Unmarshal(body, &e) != nil || e.Success == nil || *e.Success || e.Error.Code == "" || e.Error.Docs == "" || e.Error.RequestID != header.Get("X-Request-Id") || header.Get("Content-Type") != "application/json" {
						t.Errorf("not the error envelope: %s", what)
					}
				}
			}
		}
	})
}

// TestHealthAndDocsRevealNothing verifies that health and documentation need no token
// and reveal no address and no setting (statement 41).
func TestHealthAndDocsRevealNothing(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		secrets := []string{s.settings.Data.Dir.Path, "sqlite", "127.0.0.1:", "go1.", "ECF_"}
		for _, address := range []string{s.settings.Data.Records.URI, s.settings.QueueURL} {
			if _, rest, found := strings.Cut(address, "://"); found {
				host, _, _ := strings.Cut(rest, "/")
				secrets = append(secrets, host)
			}
		}
		for _, path := range []string{"/health", "/health/live", "/health/ready", "/docs", "/openapi.json"} {
			a := s.anonymous(t).get(path)
			if a.status != http.StatusOK {
				t.Errorf("%s without a token: %d", path, a.status)
			}
			for _, secret := range secrets {
				// The examples of the documentation name the default address.
				text := strings.ReplaceAll(string(a.body), "127.0.0.1:8080", "")
				if strings.Contains(text, secret) {
					t.Errorf("%s reveals %q", path, secret)
				}
			}
		}
	})
}

// TestTheLogIsOneObjectALine verifies that whatever a client sends, each log entry is
// one line of JSON without raw line breaks or escape sequences (statement 36).
func TestTheLogIsOneObjectALine(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	manager := s.manager(t)
	evil := "\x1b[31m{\"level\":\"ERROR\",\"msg\":\"forged\"}"
	for _, head := range []string{
		"GET /api/v2/events/a%0d%0a%1b[31m{\"forged\":1} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + manager.token + "\r\nConnection: close\r\n\r\n",
		"GET /api/v2/events HTTP/1.1\r\nHost: x\r\nUser-Agent: " + evil + "\r\nConnection: close\r\n\r\n",
		"GET /api/v2/events HTTP/1.1\r\nHost: x\r\nX-Request-Id: " + evil + "\r\nConnection: close\r\n\r\n",
		"GET /api/v2/events HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\n{\"forged\":1}\r\nConnection: close\r\n\r\n",
		"{\"forged\":1} /api/v2/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"GET /api/v2/events HTTP/1.1\r\nHost: {\"forged\":1}\r\nX-Forwarded-For: " + evil + "\r\nConnection: close\r\n\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(c, head)
		_, _ = io.Copy(io.Discard, bufio.NewReader(c))
		_ = c.Close()
	}
	for _, email := range []string{"a\r\nb@nobody.test", "\x1b[2J@nobody.test", `{"forged":1}`} {
		s.anonymous(t).post("/auth/login", map[string]any{"email": email, "password": "wrong wrong wrong"}).wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
	}
	manager.post("/events", map[string]any{"title": "a\r\n{\"forged\":1}"}).want(http.StatusCreated)
	manager.post("/events", map[string]any{"title": "a\r\n{\"forged\":1}\x1b[31m"}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	s.checkLines(t)
}

// checkLines verifies that every line of the log is a JSON object.
func (s *system) checkLines(t *testing.T) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(s.log.String(), "\n"), "\n")
	for _, line := range lines {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["msg"] == nil || entry["time"] == nil || entry["forged"] != nil || strings.ContainsAny(line, "\x1b\r") {
			t.Errorf("not a log entry: %q", line)
		}
	}
	if len(lines) < 5 {
		t.Errorf("only %d lines", len(lines))
	}
}

// believesNobody verifies statement 34 for one operation: a service behind the gateway
// does not trust claims about the caller. Without an access token each operation is
// refused, whatever its header fields say; an ID token is not accepted, nor is one that
// says more than was signed.
func believesNobody(t *testing.T, service string, o api.Operation, tokens []string) {
	t.Helper()
	claims := map[string]string{
		"X-User-Id": "u1", "X-User": "u1", "X-Org": "o1", "X-Org-Id": "o1", "X-Organization-Id": "o1", "X-Role": "admin", "X-User-Role": "admin", "X-Authenticated-User": "u1",
		"X-Ecf-User": "u1", "X-Ecf-Org": "o1", "X-Ecf-Role": "admin", "X-Ecf-Internal": "true", "X-Forwarded-User": "u1", "X-Forwarded-For": "127.0.0.1", "X-Internal": "gateway",
	}
	path := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(o.Path, "x")
	if o.Root {
		path = "/" + path
	}
	c := (&system{url: "http://" + service}).anonymous(t)
	for _, c.token = range append([]string{""}, tokens...) {
		c.do(o.Method, path, nil, claims).wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
	}
}

// forgeries returns an access token that says more than was signed, and one that is not
// signed.
func forgeries(t *testing.T, token string) []string {
	t.Helper()
	parts := strings.Split(token, ".")
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !bytes.Contains(claims, []byte(`"manager"`)) {
		t.Fatalf("the token says %s: %v", claims, err)
	}
	more := base64.RawURLEncoding.EncodeToString(bytes.ReplaceAll(claims, []byte(`"manager"`), []byte(`"admin"`)))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`))
	return []string{parts[0] + "." + more + "." + parts[2], none + "." + more + "."}
}
