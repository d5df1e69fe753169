package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// secured runs every service as a separate process, each with certificate files.
type secured struct {
	t         *testing.T
	authority testkit.Authority
	env       []string
	url       string            // of the gateway
	at        map[string]string // the addresses of the services behind the gateway
	folders   map[string]string // with the files of each process
	debugs    map[string]string // the debug address of each process
	processes map[string]*testkit.Proc
	serials   map[string]string
}

// files writes a new certificate for a process and returns its settings.
func (s *secured) files(process string) []string {
	s.t.Helper()
	ca, cert, key, serial := s.authority.Write(s.folders[process])
	s.serials[process] = serial
	return []string{"ECF_TLS_CA=" + ca, "ECF_TLS_CERT=" + cert, "ECF_TLS_KEY=" + key}
}

func startSecured(t *testing.T, settings ...string) *secured {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	redis, _ := testkit.Redis(t)
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) }
	gateway := address()
	s := &secured{t: t, authority: testkit.NewAuthority(t), url: "http://" + gateway, at: map[string]string{}, folders: map[string]string{}, debugs: map[string]string{},
		processes: map[string]*testkit.Proc{}, serials: map[string]string{}}
	s.env = []string{
		"ECF_MONGODB_URI=" + withDatabase(uri, database), "ECF_MONGODB_AUTH_URI=" + withDatabase(uri, database+"_auth"), "ECF_REDIS_URL=" + redis,
		"ECF_ISSUER=http://" + gateway, "ECF_SIGNING_KEYS_DIR=" + filepath.Join(t.TempDir(), "keys"), "ECF_REQUEST_TIMEOUT=1m", "ECF_SWEEP_INTERVAL=200ms",
	}
	s.env = append(s.env, settings...)
	behind := []string{"auth", "records", "review", "calculation"}
	for _, name := range behind {
		s.at[name] = address()
		s.env = append(s.env, "ECF_"+strings.ToUpper(name)+"_URL=https://"+s.at[name])
	}
	run := func(name, address string, args ...string) {
		t.Helper()
		debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
		process := strings.Join(append([]string{name}, args...), " ")
		s.folders[process] = t.TempDir()
		env := append([]string{"ECF_ADDR=" + address, "ECF_DEBUG_ADDR=" + debug}, s.files(process)...)
		s.debugs[process] = debug
		s.processes[process] = testkit.Process(t, testkit.Binary(t, "services/"+name+"/cmd/"+name), args, append(env, s.env...))
	}
	ecf := func(input string, args ...string) string {
		t.Helper()
		return command(t, testkit.Binary(t, "services/standalone/cmd/ecf"), s.env, input, args...)
	}
	org := ecf("", "org", "create", "--name", "Sealed Ltd", "--plan", "team")
	for _, role := range []string{"user", "manager"} {
		ecf(password+"\n", "user", "create", "--org", org, "--email", role+"@example.test", "--role", role)
	}
	for _, name := range behind {
		run(name, s.at[name])
	}
	run("calculation", address(), "--role=work")
	run("gateway", gateway)
	for name, process := range s.processes {
		process.WaitHTTP("http://" + s.debugs[name] + "/health/ready")
	}
	return s
}

// shown connects to a service with the client certificate in a folder, and returns the
// serial number of the service's certificate.
func (s *secured) shown(service, folder string) (string, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"))
	if err != nil {
		return "", err
	}
	return s.ask("https", service, "/health/live", &tls.Config{RootCAs: s.authority.Roots(), Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}, "", http.StatusOK)
}

// ask makes one request on a new connection; a status other than 200 is an error.
func (s *secured) ask(scheme, service, path string, config *tls.Config, token string, want int) (serial string, err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+s.at[service]+path, http.NoBody)
	if err != nil {
		return "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := (&http.Transport{TLSClientConfig: config, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != want {
		err = fmt.Errorf("%d %s", response.StatusCode, text)
	}
	if response.TLS != nil {
		serial = response.TLS.PeerCertificates[0].SerialNumber.String()
	}
	return serial, err
}

// page returns what a debug address answers.
func (s *secured) page(url string) (string, error) {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// TestServicesWithCertificatesAdmitOnlyEachOther runs real processes and verifies that
// the whole product works with certificates; that a client without a certificate of the
// authority gets no response from any service behind the gateway, with a valid token or
// without; that a certificate does not replace a token; and that renewed files are used
// without a restart and without failed requests (statement 34).
func TestServicesWithCertificatesAdmitOnlyEachOther(t *testing.T) {
	t.Parallel()
	s := startSecured(t)
	as := func(email string) *caller {
		t.Helper()
		c := &caller{t: t, url: s.url}
		c.token = c.post("/auth/login", map[string]any{"email": email, "password": password}).want(http.StatusOK).str("accessToken")
		return c
	}
	user, manager := as("user@example.test"), as("manager@example.test")
	event := manager.post("/events", map[string]any{"title": "Sealed", "country": "GB", "startDate": "2026-09-01"}).want(http.StatusCreated).str("_id")
	record := "/events/" + event + "/flights/" + user.post("/events/"+event+"/flights", map[string]any{"from": "LHR", "to": "JFK", "class": "economy", "passengers": 2}).want(http.StatusCreated).str("_id")
	user.post(record+"/submit", nil).want(http.StatusOK)
	manager.post(record+"/approve", nil).want(http.StatusOK)
	user.result(event, 1)

	stranger := testkit.NewAuthority(t)
	other := t.TempDir()
	_, cert, key, _ := stranger.Write(other)
	foreign, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for service := range s.at {
		for _, token := range []string{"", manager.token} {
			for name, config := range map[string]*tls.Config{
				"without a certificate":           {RootCAs: s.authority.Roots(), MinVersion: tls.VersionTLS13},
				"with one of another authority":   {RootCAs: s.authority.Roots(), MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{foreign}},
				"without a certificate, unlooked": {InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // who attacks does not care
			} {
				if _, err := s.ask("https", service, "/health/live", config, token, http.StatusOK); err == nil {
					t.Errorf("%s answers a caller %s", service, name)
				}
			}
			if _, err := s.ask("http", service, "/health/live", nil, token, http.StatusOK); err == nil {
				t.Errorf("%s answers without TLS", service)
			}
		}
		// A certificate identifies a service; the token still identifies the caller.
		pair, err := tls.LoadX509KeyPair(filepath.Join(s.folders["gateway"], "cert.pem"), filepath.Join(s.folders["gateway"], "key.pem"))
		if err != nil {
			t.Fatal(err)
		}
		config := &tls.Config{RootCAs: s.authority.Roots(), Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
		for token, want := range map[string]int{"": http.StatusUnauthorized, manager.token: http.StatusNotFound} {
			if _, err := s.ask("https", service, "/api/v2/nothing", config, token, want); err != nil {
				t.Errorf("%s, with a certificate and the token %t: %v", service, token != "", err)
			}
		}
	}

	// Each refusal has its reason in the log, once, and is no malformed request.
	for service := range s.at {
		log := s.processes[service].Output()
		for _, why := range []string{"the client does not use TLS", "the client presents no certificate"} {
			if strings.Count(log, why) != 1 {
				t.Errorf("the log of %s has the reason %q %d times", service, why, strings.Count(log, why))
			}
		}
		if strings.Contains(log, "request refused") {
			t.Errorf("the log of %s has handshakes as refused requests", service)
		}
	}
	// Every process exports how long its certificate is valid, except workers, which neither serve nor call others.
	for process, debug := range s.debugs {
		if strings.Contains(process, "--role=work") {
			continue
		}
		metrics, err := s.page("http://" + debug + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?m)^ecf_tls_certificate_remaining_seconds(?:{.*})? (\d+)`).FindStringSubmatch(metrics); m == nil || len(m[1]) != 4 {
			t.Errorf("%s exports the remaining validity %v, want less than an hour", process, m)
		}
	}

	before := map[string]string{}
	for process := range s.folders {
		before[process] = s.serials[process]
		s.files(process)
	}
	for service := range s.at {
		testkit.Eventually(t, time.Minute, func() error {
			manager.get("/events/" + event).want(http.StatusOK)
			user.get("/events/" + event + "/results").want(http.StatusOK)
			got, err := s.shown(service, s.folders["gateway"])
			if err == nil && (got != s.serials[service] || got == before[service]) {
				err = fmt.Errorf("%s shows the certificate %s, want %s", service, got, s.serials[service])
			}
			return err
		})
	}
	as("manager@example.test").get("/events/" + event).want(http.StatusOK)
}

// TestCertificatesWithPlainAddressesDoNotStart verifies that a service with
// certificates but a plain address of another service reports this and exits, instead
// of refusing all requests.
func TestCertificatesWithPlainAddressesDoNotStart(t *testing.T) {
	t.Parallel()
	ca, cert, key, _ := testkit.NewAuthority(t).Write(t.TempDir())
	process := testkit.Process(t, testkit.Binary(t, "services/gateway/cmd/gateway"), nil, []string{
		"ECF_ADDR=127.0.0.1:0", "ECF_ISSUER=http://127.0.0.1:1", "ECF_REDIS_URL=redis://127.0.0.1:1/0", "ECF_TLS_CA=" + ca, "ECF_TLS_CERT=" + cert, "ECF_TLS_KEY=" + key,
		"ECF_AUTH_URL=https://127.0.0.1:1", "ECF_RECORDS_URL=http://127.0.0.1:1", "ECF_REVIEW_URL=https://127.0.0.1:1", "ECF_CALCULATION_URL=https://127.0.0.1:1",
	})
	process.WaitLine("must begin with https://")
	select {
	case <-process.Exited():
	case <-time.After(time.Minute):
		t.Error("it continues to run")
	}
}
