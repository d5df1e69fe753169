package monitoring

import (
	"fmt"
	"math"
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
