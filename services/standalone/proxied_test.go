package standalone_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// settingsOfNginx returns the settings of nginx in the runbook.
func settingsOfNginx(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/runbooks/standalone.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```nginx\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatal("the runbook has no settings of nginx")
	}
	return block
}

// TestProxiesAllowWhatTheServerAllows verifies that the limits which the runbook and the manifests give a proxy are above
// those of every operation, so that the server answers, in its envelope.
func TestProxiesAllowWhatTheServerAllows(t *testing.T) {
	t.Parallel()
	longest, largest := time.Duration(0), 0
	for _, o := range api.Operations() {
		longest, largest = max(longest, o.Timeout), max(largest, o.BodyLimit)
	}
	manifest := func(name string) string {
		text, err := os.ReadFile("../../k8s/components/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ingress := manifest("ingress/ingress.yaml")
	number := func(what, in, expression string) int {
		found := regexp.MustCompile(expression).FindStringSubmatch(in)
		if found == nil {
			t.Errorf("%s: nothing matches %s", what, expression)
			return 0
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Error(err)
		}
		return n
	}
	for what, seconds := range map[string]int{
		"nginx":                  number("nginx", settingsOfNginx(t), `proxy_read_timeout (\d+)s;`),
		"Ingress, ingress-nginx": number("Ingress", ingress, `nginx.ingress.kubernetes.io/proxy-read-timeout: "(\d+)"`),
		"Ingress, NGINX":         number("Ingress", ingress, `nginx.org/proxy-read-timeout: (\d+)s`),
		"HTTPRoute":              number("HTTPRoute", manifest("gateway-api/httproute.yaml"), `request: (\d+)s`),
	} {
		if time.Duration(seconds)*time.Second <= longest {
			t.Errorf("%s gives up after %d s, an operation after %s", what, seconds, longest)
		}
	}
	for what, mebibytes := range map[string]int{
		"nginx":                  number("nginx", settingsOfNginx(t), `client_max_body_size (\d+)m;`),
		"Ingress, ingress-nginx": number("Ingress", ingress, `nginx.ingress.kubernetes.io/proxy-body-size: (\d+)m`),
		"Ingress, NGINX":         number("Ingress", ingress, `nginx.org/client-max-body-size: (\d+)m`),
	} {
		if mebibytes<<20 <= largest {
			t.Errorf("%s takes %d MiB, an operation %d", what, mebibytes, largest>>20)
		}
	}
}

// TestTheProxyOfTheRunbook runs nginx, where it is installed, with the settings of the runbook: a file of the size that
// the server takes arrives, one that is larger is refused by the server, and the address of a client is its own.
func TestTheProxyOfTheRunbook(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "https://carbon.example.com", "ECF_TRUSTED_PROXIES": "127.0.0.1"}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "boss@example.test", "--role", "manager")
	proxy, client := nginx(t, settingsOfNginx(t), c.serve())
	send := func(method, path, token, contentType string, body io.Reader, into any) int {
		req, err := http.NewRequestWithContext(t.Context(), method, proxy+"/api/v2"+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("X-Forwarded-For", "192.0.2.1")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			t.Fatalf("%s %s: %d %s: %v", method, path, res.StatusCode, res.Header.Get("Content-Type"), err)
		}
		return res.StatusCode
	}
	var login struct{ Data struct{ AccessToken string } }
	if status := send("POST", "/auth/login", "", "application/json", strings.NewReader(`{"email":"boss@example.test","password":"`+password+`"}`), &login); status != http.StatusOK {
		t.Fatalf("sign-in: %d", status)
	}
	token := login.Data.AccessToken
	var sessions struct {
		Data json.RawMessage
	}
	send("GET", "/auth/sessions", token, "", nil, &sessions)
	if seen := string(sessions.Data); !strings.Contains(seen, "127.0.0.2") || strings.Contains(seen, "192.0.2.1") {
		t.Errorf("the session is of %s, not of the client's address", seen)
	}
	var event struct {
		Data struct {
			ID string `json:"_id"`
		}
	}
	if status := send("POST", "/events", token, "application/json", strings.NewReader(`{"title":"Fair","country":"GB","startDate":"2026-09-01","endDate":"2026-09-02"}`), &event); status != http.StatusCreated {
		t.Fatalf("event: %d", status)
	}
	head, row := "From,To,Passengers,Note\n", "EDI,MAN,8,"+strings.Repeat("x", 900)+"\n"
	upload := func(size int) (status int, code string) {
		file := head + strings.Repeat(row, (size-len(head))/len(row))
		var answer struct{ Error struct{ Code string } }
		status = send("POST", "/events/"+event.Data.ID+"/flights/import?partial=true", token, "text/csv", strings.NewReader(file), &answer)
		return status, answer.Error.Code
	}
	if status, code := upload(16 << 20); status != http.StatusAccepted {
		t.Errorf("a file of 16 MiB: %d %s", status, code)
	}
	if status, code := upload(16<<20 + 500<<10); status != http.StatusRequestEntityTooLarge || code == "" {
		t.Errorf("a larger one: %d %q", status, code)
	}
}

// nginx runs it with settings for a server, before backend, and returns its address and a client with an address of its
// own.
func nginx(t *testing.T, settings, backend string) (base string, client *http.Client) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed, so the settings in the runbook are only compared with the limits of the server")
	}
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "fullchain.pem"), filepath.Join(dir, "key.pem")
	issued := httptest.NewUnstartedServer(nil)
	issued.StartTLS()
	pair := issued.TLS.Certificates[0]
	issued.Close()
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	for _, change := range [][2]string{
		{`listen 443 ssl;`, "listen " + at + " ssl;"},
		{`/etc/ssl/carbon.example.com/fullchain.pem`, certificate},
		{`/etc/ssl/carbon.example.com/key.pem`, key},
		{`http://127.0.0.1:8080`, backend},
	} {
		if !strings.Contains(settings, change[0]) {
			t.Fatalf("the settings have no %q", change[0])
		}
		settings = strings.ReplaceAll(settings, change[0], change[1])
	}
	file := filepath.Join(dir, "nginx.conf")
	all := "daemon off; pid " + dir + "/pid; error_log stderr; events {}\nhttp { access_log off;"
	if os.Geteuid() == 0 {
		all = "user root; " + all // the directory is root's alone
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		all += " " + kind + "_temp_path " + filepath.Join(dir, kind) + ";"
	}
	if err := os.WriteFile(file, []byte(all+"\n"+settings+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.Process(t, program, []string{"-c", file, "-e", "stderr", "-p", dir}, nil)
	roots := x509.NewCertPool()
	authority, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(authority)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, at)
		},
	}}
	t.Cleanup(client.CloseIdleConnections)
	testkit.Eventually(t, 30*time.Second, func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://carbon.example.com/api/v2/health", nil)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		return res.Body.Close()
	})
	return "https://carbon.example.com", client
}
