package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
)

// changeTitle is a handler with one known field.
func changeTitle(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	title, _ := r.String("title", 1, 20)
	if err := web.Finish(c, r); err != nil {
		status, body, failed := web.EncodeError(c, err)
		if failed != nil {
			return failed
		}
		return web.JSON(c, status, body)
	}
	return web.OK(c, fiber.Map{"title": title})
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	app.Patch("/", changeTitle)
	for name, c := range map[string]struct {
		body, prefer string
		status       int
		notices      []string // their fields
		errors       []string // the fields of the details
		applied      string
	}{
		"nothing unknown":          {`{"title":"a"}`, "", 200, nil, nil, ""},
		"unknown, noticed":         {`{"title":"a","titel":"b"}`, "", 200, []string{"titel"}, nil, ""},
		"lenient by name":          {`{"titel":"b"}`, "handling=lenient", 200, []string{"titel"}, nil, ""},
		"strict":                   {`{"titel":"b"}`, "handling=strict", 400, nil, []string{"titel"}, "handling=strict"},
		"strict among others":      {`{"titel":"b"}`, `respond-async, Handling = strict; x=1`, 400, nil, []string{"titel"}, "handling=strict"},
		"strict, nothing unknown":  {`{"title":"b"}`, "handling=strict", 200, nil, nil, "handling=strict"},
		"strict, with other error": {`{"titel":"b","title":1}`, "handling=strict", 400, nil, []string{"title", "titel"}, "handling=strict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequest(http.MethodPatch, "/", strings.NewReader(c.body))
			request.Header.Set("Content-Type", "application/json")
			if c.prefer != "" {
				request.Header.Set("Prefer", c.prefer)
			}
			response, err := app.Test(request, -1)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			var got struct {
				Data struct {
					Title   string
					Notices []struct{ Field, Code string }
				}
				Error struct{ Details []struct{ Field string } }
			}
			if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			var notices, details []string
			for _, n := range got.Data.Notices {
				notices = append(notices, n.Field)
			}
			for _, d := range got.Error.Details {
				details = append(details, d.Field)
			}
			if response.StatusCode != c.status {
				t.Errorf("status %d, want %d", response.StatusCode, c.status)
			}
			if strings.Join(notices, " ") != strings.Join(c.notices, " ") {
				t.Errorf("notices on %v, want %v", notices, c.notices)
			}
			if strings.Join(details, " ") != strings.Join(c.errors, " ") {
				t.Errorf("errors on %v, want %v", details, c.errors)
			}
			if applied := response.Header.Get("Preference-Applied"); applied != c.applied {
				t.Errorf("Preference-Applied %q, want %q", applied, c.applied)
			}
		})
	}
}
