package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

func (s *system) signIn(email string) (token string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.made("/auth/login", body, http.StatusOK).AccessToken
}

func (s *system) ask(method, path string, body []byte, header http.Header) (int, []byte, http.Header) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v2"+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header = header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, text, response.Header
}

// created has the used fields of a response to a POST.
type created struct {
	ID          string `json:"_id"`
	AccessToken string `json:"accessToken"`
}

func (s *system) made(path string, body []byte, want int) created {
	s.t.Helper()
	header := http.Header{"Content-Type": {"application/json"}}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	var status int
	var answered []byte
	testkit.Eventually(s.t, 5*time.Minute, func() error {
		// On a busy machine a response may take longer than the gateway's timeout.
		if status, answered, _ = s.ask(http.MethodPost, path, body, header); status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout {
			return fmt.Errorf("%d %s", status, answered)
		}
		return nil
	})
	var envelope struct{ Data created }
	if err := json.Unmarshal(answered, &envelope); err != nil || status != want {
		s.t.Fatalf("POST %s: %d %s", path, status, answered)
	}
	return envelope.Data
}

func (s *system) event() string {
	s.t.Helper()
	return s.made("/events", []byte(`{"title":"Bench","country":"DE","startDate":"2026-05-01"}`), http.StatusCreated).ID
}

// fill creates an event with the given number of records.
func (s *system) fill(records int) string {
	s.t.Helper()
	event := s.event()
	for made := 0; made < records; {
		n := min(100, records-made)
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(flight, 1+made+i)
		}
		s.made("/events/"+event+"/flights/batch", []byte(`{"items":[`+strings.Join(items, ",")+`]}`), http.StatusOK)
		made += n
	}
	return event
}

// tag returns the entity tag of a path.
func (s *system) tag(path string) string {
	s.t.Helper()
	_, _, header := s.ask(http.MethodGet, path, nil, http.Header{"Authorization": {"Bearer " + s.token}, "Accept-Encoding": {"identity"}})
	return header.Get("ETag")
}
