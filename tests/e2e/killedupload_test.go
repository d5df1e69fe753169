package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAnUploadOfAKilledServerIsRepeatedSoon kills the server while it works on an upload with a
// key. Seconds after the restart the repetition is accepted, and the file is imported once.
func TestAnUploadOfAKilledServerIsRepeatedSoon(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	k := &killed{t: t, path: testkit.Binary(t, "services/standalone/cmd/ecf"), url: fmt.Sprintf("http://127.0.0.1:%d", port), env: []string{
		fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", port), "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password, "ECF_WRITE_RATE_LIMIT=100000/1m",
	}}
	k.start()
	const rows = 2000
	file := "treatment,weightKg\n" + strings.Repeat("landfill,1\n", rows) + strings.Repeat("\n", 8<<20)
	token := ""
	var reply struct {
		Data struct {
			AccessToken string
			ID          string `json:"_id"`
			Items       []struct {
				Status   string
				Imported int
			}
		}
	}
	// ask returns the status 0 if there is no response. A response of success is decoded into reply.
	ask := func(method, path, media, body string) (status int, text string) {
		r, err := http.NewRequestWithContext(t.Context(), method, k.url+"/api/v2"+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", media)
		if media == "text/csv" {
			r.Header.Set("Idempotency-Key", "k")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = res.Body.Close() }()
		content, err := io.ReadAll(res.Body)
		if err != nil {
			return 0, err.Error()
		}
		return res.StatusCode, string(content)
	}
	must := func(method, path, body string) {
		t.Helper()
		status, text := ask(method, path, "application/json", body)
		reply.Data.Items = nil
		if err := json.Unmarshal([]byte(text), &reply); err != nil || status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
	}
	must(http.MethodPost, "/auth/login", `{"email":"manager@demo.test","password":"`+password+`"}`)
	token = reply.Data.AccessToken
	event := ""
	upload := func() (int, string) { return ask(http.MethodPost, event+"/waste/import", "text/csv", file) }
	for status := -1; status != 0; { // until it is killed before it answers
		if status > 0 {
			k.start()
		}
		must(http.MethodPost, "/events", `{"title":"Killed","country":"GB"}`)
		event = "/events/" + reply.Data.ID
		first := make(chan int, 1)
		go func() { status, _ := upload(); first <- status }()
		testkit.Eventually(t, 20*time.Second, func() error {
			if must(http.MethodGet, event+"/imports", ""); len(reply.Data.Items) == 0 {
				return errors.New("the server has not begun")
			}
			return nil
		})
		k.proc.Kill()
		status = <-first
	}
	k.start()
	restarted := time.Now()
	testkit.Eventually(t, time.Minute, func() error {
		if status, text := upload(); status != http.StatusAccepted {
			return fmt.Errorf("%d %.200s", status, text)
		}
		return nil
	})
	// The key that a dead process has reserved is free after 5 s.
	if took := time.Since(restarted); took > 20*time.Second {
		t.Errorf("the repetition was accepted %v after the restart", took)
	}
	testkit.Eventually(t, time.Minute, func() error {
		must(http.MethodGet, event+"/imports", "")
		if imports := reply.Data.Items; len(imports) != 1 || imports[0].Status != "completed" || imports[0].Imported != rows {
			return fmt.Errorf("the imports are %+v", imports)
		}
		return nil
	})
}
