package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// impatient calls a server that may stop at any moment: a missing response is not a
// failure.
type impatient struct{ url, token string }

func (c *impatient) send(ctx context.Context, method, path string, body any) (status int, data map[string]any, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+"/api/v2"+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return 0, nil, err
	}
	var envelope struct{ Data map[string]any }
	err = json.Unmarshal(text, &envelope)
	return response.StatusCode, envelope.Data, err
}

// approvals creates and approves records until the server no longer answers.
func (c *impatient) approvals(ctx context.Context, event string, acknowledged *atomic.Int64) {
	for {
		status, r, err := c.send(ctx, http.MethodPost, "/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000})
		if err != nil || status != http.StatusCreated {
			return
		}
		path := fmt.Sprint("/events/", event, "/waste/", r["_id"])
		for _, move := range []string{"/submit", "/approve"} {
			if status, _, err = c.send(ctx, http.MethodPost, path+move, map[string]any{}); err != nil || status != http.StatusOK {
				return
			}
		}
		acknowledged.Add(1)
	}
}

// TestStopUnderLoadLosesNothing sends SIGTERM during work, while a worker recalculates
// continuously: the process exits cleanly within its grace period, and after a restart
// the result counts everything that was acknowledged.
func TestStopUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	k := &killed{t: t, path: testkit.Binary(t, "services/standalone/cmd/ecf"), url: fmt.Sprintf("http://127.0.0.1:%d", port), env: []string{
		fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", port), "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
		"ECF_ISSUER=http://127.0.0.1:8080", "ECF_SWEEP_INTERVAL=100ms",
	}}
	k.start()
	c := &impatient{url: k.url}
	status, login, err := c.send(t.Context(), http.MethodPost, "/auth/login", map[string]any{"email": "manager@demo.test", "password": password})
	if err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	c.token = fmt.Sprint(login["accessToken"])
	status, event, err := c.send(t.Context(), http.MethodPost, "/events", map[string]any{"title": "Stopped", "country": "GB"})
	if err != nil || status != http.StatusCreated {
		t.Fatal(status, err)
	}
	id := fmt.Sprint(event["_id"])
	const stops = 2
	var acknowledged atomic.Int64
	for range stops {
		var people sync.WaitGroup
		for range 4 {
			people.Go(func() { c.approvals(t.Context(), id, &acknowledged) })
		}
		target := acknowledged.Load() + 12
		testkit.Eventually(t, time.Minute, func() error {
			if n := acknowledged.Load(); n < target {
				return fmt.Errorf("%d approvals", n)
			}
			return nil
		})
		began := time.Now()
		if err := k.proc.Stop(); err != nil {
			t.Errorf("it did not exit cleanly: %v", err)
		}
		// Requests have 10 seconds to finish, and runs of the worker 25.
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("it took %v to exit", took)
		}
		people.Wait()
		k.start()
	}
	testkit.Eventually(t, time.Minute, func() error {
		status, result, err := c.send(t.Context(), http.MethodGet, "/events/"+id+"/results", nil)
		if err != nil || status != http.StatusOK || result["status"] != "current" {
			return fmt.Errorf("%d %w: %v", status, err, result)
		}
		counts, _ := result["counts"].(map[string]any)
		total, _ := result["total"].(map[string]any)
		// An approval whose response was lost may have been made.
		approved, _ := counts["approved"].(float64)
		if approved < float64(acknowledged.Load()) || approved > float64(acknowledged.Load()+stops*4) {
			return fmt.Errorf("%v approved, %d acknowledged", approved, acknowledged.Load())
		}
		if kg, _ := total["kgCO2e"].(float64); fmt.Sprintf("%.5f", kg) != fmt.Sprintf("%.5f", approved*520.58023) {
			return fmt.Errorf("%v kg of %v records", total, approved)
		}
		return nil
	})
	t.Logf("%d approvals acknowledged", acknowledged.Load())
}
