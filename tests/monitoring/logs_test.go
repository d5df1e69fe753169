package monitoring

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestVolumeOfLogs verifies the number of log lines per request, and the bytes per
// line, on which docs/runbooks/logs.md bases its figures.
func TestVolumeOfLogs(t *testing.T) {
	t.Parallel()
	said := regexp.MustCompile(`A line is about (\d+) bytes, and a request makes (two),`).FindStringSubmatch(runbook(t, "logs.md"))
	if said == nil {
		t.Fatal("docs/runbooks/logs.md does not say how long a line is and how many a request makes")
	}
	want, err := strconv.ParseFloat(said[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	base, debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	p := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
		"ECF_ADDR=" + base, "ECF_DEBUG_ADDR=" + debug, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
	})
	p.WaitHTTP("http://" + debug + "/health/ready")
	approve := use(t, base)
	before := len(p.Output())
	const rounds, requests = 20, 3 // of approve
	for range rounds {
		approve()
	}
	testkit.Eventually(t, time.Minute, func() error {
		lines, bytes, ids := 0, 0, map[string]int{}
		for line := range strings.Lines(p.Output()[before:]) {
			if m := regexp.MustCompile(`"request_id":"([^"]+)"`).FindStringSubmatch(line); m != nil && strings.Contains(line, `"status":`) {
				lines, bytes = lines+1, bytes+len(line)
				ids[m[1]]++
			}
		}
		if len(ids) < rounds*requests || lines < 2*rounds*requests { // one line may belong to an earlier request
			return fmt.Errorf("%d lines of %d requests", lines, len(ids))
		}
		each, length := float64(lines)/float64(len(ids)), float64(bytes)/float64(lines)
		t.Logf("%.2f lines a request, %.0f bytes a line", each, length)
		if each > 2.1 || math.Abs(length/want-1) > 0.3 {
			t.Errorf("a request makes %.2f lines of %.0f bytes; docs/runbooks/logs.md counts with 2 of %.0f", each, length, want)
		}
		return nil
	})
}

// TestLinesOfEachLevel verifies what docs/runbooks/logs.md says about levels and addresses: at level warn a successful or
// refused request has no line, a refused sign-in one with the address of the client, which no line of a request has.
func TestLinesOfEachLevel(t *testing.T) {
	t.Parallel()
	for level, requests := range map[string]bool{"info": true, "warn": false} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			base, debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
			p := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
				"ECF_ADDR=" + base, "ECF_DEBUG_ADDR=" + debug, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password, "ECF_LOG_LEVEL=" + level,
			})
			p.WaitHTTP("http://" + debug + "/health/ready")
			use(t, base)()
			before := len(p.Output())
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+base+"/api/v2/auth/login", strings.NewReader(`{"email":"manager@demo.test","password":"not the password"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusUnauthorized {
				t.Fatalf("a wrong password: %d %v", res.StatusCode, err)
			}
			testkit.Eventually(t, time.Minute, func() error {
				if out := p.Output()[before:]; !strings.Contains(out, `"action":"login","outcome":"refused"`) || requests && !strings.Contains(out, `"status":401`) {
					return fmt.Errorf("the refused sign-in has only the lines\n%s", out)
				}
				return nil
			})
			for line := range strings.Lines(p.Output()) {
				request, audit := strings.Contains(line, `"msg":"request"`), strings.Contains(line, `"msg":"audit"`)
				if request && (!requests || strings.Contains(line, "127.0.0.1")) || audit && !requests && !strings.Contains(line, `"outcome":"refused"`) {
					t.Errorf("at level %s there is the line %s", level, line)
				}
				if audit && strings.Contains(line, `"refused"`) && !strings.Contains(line, `"address":"127.0.0.1"`) {
					t.Errorf("a refused sign-in without the address: %s", line)
				}
			}
		})
	}
}
