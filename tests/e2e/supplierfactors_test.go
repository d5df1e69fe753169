package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAFactorOfASupplierIsFollowed follows a record imported with the name of a
// supplier factor through its explanation, the bundle and its recalculation, and the
// finding once the factor is withdrawn.
func TestAFactorOfASupplierIsFollowed(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		factor := manager.post("/supplier-factors", map[string]any{
			"name": "Ice", "kgCO2ePerUnit": 0.25, "unit": "kg", "source": "Disclosure of the ice works, 2025",
			"evidence": []map[string]any{{"name": "ice.pdf", "sha256": strings.Repeat("ab", 32)}},
		}).want(http.StatusCreated).str("_id")
		manager.post("/supplier-factors/"+factor+"/approve", nil).want(http.StatusOK)
		event := "/events/" + manager.post("/events", map[string]any{"title": "Cooled", "country": "GB", "startDate": "2026-06-10"}).want(http.StatusCreated).str("_id")

		csv := map[string]string{"Content-Type": "text/csv"}
		refused := imported(t, user, event, "supplierFactor,quantity,description\nSnow,100,Bar\n", csv)
		if refused.str("status") != "failed" || !strings.Contains(string(refused.body), "UNKNOWN_SUPPLIER_FACTOR") {
			t.Errorf("a factor name that is not approved: %s", refused.body)
		}
		if done := imported(t, user, event, "supplierFactor,quantity,description\nice,100,Bar\n", csv); done.number("imported") != "1" {
			t.Fatalf("imported: %s", done.body)
		}
		record := user.get(event+"/custom").want(http.StatusOK).str("items", 0, "_id")
		user.post(event+"/custom/"+record+"/submit", nil).want(http.StatusOK)
		manager.post(event+"/custom/"+record+"/approve", nil).want(http.StatusOK)
		user.result(strings.TrimPrefix(event, "/events/"), 1)

		explained := user.get(event + "/results/explain").want(http.StatusOK)
		line := []any{"items", 0, "lines", 0}
		if explained.str(append(line, "formula")...) != "100 kg × 0.25 kg per kg = 25.000000 kg" || explained.str(append(line, "factor", "source")...) != "Disclosure of the ice works, 2025" {
			t.Errorf("explained: %s", explained.body)
		}
		file := filepath.Join(t.TempDir(), "bundle.json")
		text := string(user.get(event + "/results/report").body)
		verify := func(text string) (string, error) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return ecf(t, "verify", file)
		}
		if out, err := verify(text); err != nil || !strings.Contains(text, "Ice@1") {
			t.Errorf("verified: %v %s", err, out)
		}
		if out, err := verify(strings.ReplaceAll(text, `"kgCO2ePerUnit":0.25`, `"kgCO2ePerUnit":0.24`)); err == nil {
			t.Errorf("another factor was accepted: %s", out)
		}

		manager.post("/supplier-factors/"+factor+"/withdraw", map[string]any{"comment": "Recalled."}).want(http.StatusOK)
		testkit.Eventually(t, 60*time.Second, func() error {
			if a := user.get(event + "/results"); !strings.Contains(string(a.body), "SUPPLIER_FACTOR_WITHDRAWN") {
				return errors.New("no finding yet")
			}
			return nil
		})
		if got := user.get(event+"/results").want(http.StatusOK).number("total", "kgCO2e"); got != "25" && got != "25.000000" {
			t.Errorf("the withdrawal moved the figure to %s", got)
		}
	})
}

// imported sends a file of custom records and returns the outcome.
func imported(t *testing.T, user *caller, event, file string, header map[string]string) *answer {
	t.Helper()
	sent := user.do(http.MethodPost, event+"/custom/import", file, header).want(http.StatusAccepted)
	var done *answer
	testkit.Eventually(t, 60*time.Second, func() error {
		done = user.get(event + "/imports/" + sent.str("_id")).want(http.StatusOK)
		if s := done.str("status"); s != "completed" && s != "failed" {
			return fmt.Errorf("the import is %s", s)
		}
		return nil
	})
	return done
}
