package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

func TestKilograms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]client.Kilograms{
		"0": 0, "0.000000": 0, "1": 1_000_000, "648.382054": 648_382_054, "-0.5": -500_000, "9223372036854.775807": 1<<63 - 1, "-9223372036854.775808": -1 << 63,
	} {
		got, err := client.ParseKilograms(text)
		if err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1.", ".5", "-.5", "1.0000000", "1e3", "+1", "1.-5", "--1", "0x1", "1 ", "9223372036854.775808", "NaN", `"1"`} {
		if got, err := client.ParseKilograms(text); !errors.Is(err, client.ErrMass) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, seed))
	for range 1000 {
		k := client.Kilograms(dice.Uint64())
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		var back client.Kilograms
		if err := json.Unmarshal(text, &back); err != nil || back != k {
			t.Fatalf("%d is written %s and read %d, %v", k, text, back, err)
		}
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(client.EventPatch{Title: client.Set("New"), Attendees: client.Null[int](), Description: client.Set("")})
	if want := `{"title":"New","attendees":null,"description":""}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

// A record is what is known of every record and the fields of its type.
func TestRecord(t *testing.T) {
	t.Parallel()
	var r client.Record
	text := `{"_id":"r","eventId":"e","type":"flights","status":"approved","submitted":true,"revision":3,"submittedAt":null,"reviewedBy":{"_id":"u","role":"manager"},
		"externalReference":"T-1","group":"staff","footprint":{"kgCO2e":784.717344,"low":1,"high":2},"from":"LHR","to":"JFK","passengers":2,"distanceKm":5539.833}`
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Status != client.StatusApproved || r.Revision != 3 || r.SubmittedAt != nil || r.ReviewedBy.Role != client.RoleManager || r.ExternalReference != "T-1" ||
		r.Footprint.KgCO2e != 784_717_344 || r.Ref() != (client.RecordRef{EventID: "e", Type: "flights", ID: "r"}) {
		t.Errorf("%+v", r)
	}
	var f client.Flight
	if err := r.Input(&f); err != nil || f.From != "LHR" || f.Passengers != 2 || *f.DistanceKm != 5539.833 || f.Group != "staff" {
		t.Errorf("%+v, %v", f, err)
	}
	var item client.ReviewItem
	if err := json.Unmarshal([]byte(text[:len(text)-1]+`,"review":{"kgCO2e":1.5,"ageHours":4,"findings":[{"code":"X"}]}}`), &item); err != nil {
		t.Fatal(err)
	}
	if item.ID != "r" || *item.Review.KgCO2e != 1_500_000 || item.Review.Findings[0].Code != "X" {
		t.Errorf("%+v", item)
	}
}

// pagesOf serves a list of n numbers, three to a page.
func pagesOf(t *testing.T, n int) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		var page int
		if _, err := fmt.Sscanf(r.URL.RawQuery, "limit=100&page=%d", &page); err != nil {
			t.Errorf("query %s", r.URL.RawQuery)
		}
		if page == 4 {
			refuse(w, http.StatusNotFound, client.CodeNotFound)
			return
		}
		items := []map[string]string{}
		for i := (page - 1) * 3; i < min(n, page*3); i++ {
			items = append(items, map[string]string{"_id": fmt.Sprint(i)})
		}
		text, err := json.Marshal(map[string]any{"items": items, "pagination": map[string]int{"page": page, "limit": 3, "total": n, "totalPages": (n + 2) / 3}})
		if err != nil {
			t.Error(err)
		}
		success(w, string(text))
	})
}

func TestAllPages(t *testing.T) {
	t.Parallel()
	for n, requests := range map[int]int{0: 1, 2: 1, 3: 1, 7: 3, 9: 3, 11: 4} {
		s := pagesOf(t, n)
		c, _ := connect(t, s.URL, nil)
		var got []string
		var failed error
		for e, err := range c.ListEvents().All(t.Context()) {
			if err != nil {
				failed = err
				continue
			}
			got = append(got, e.ID)
		}
		if len(got) != min(n, 9) || (client.CodeOf(failed) == client.CodeNotFound) != (n > 9) || len(s.requests()) != requests {
			t.Errorf("%d items: got %v, %v after %d requests", n, got, failed, len(s.requests()))
		}
	}
	s := pagesOf(t, 9)
	c, _ := connect(t, s.URL, nil)
	for _, err := range c.ListEvents().All(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if got := len(s.requests()); got != 1 {
		t.Errorf("%d requests for the first item", got)
	}
}

func TestConditionalRead(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("X-Request-Id", "r-9")
		w.Header().Set("Idempotent-Replayed", "true")
		if r.Header.Get("If-None-Match") == `"a"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		success(w, `{"_id":"e"}`)
	})
	c, _ := connect(t, s.URL, nil)
	var meta client.Meta
	if _, err := c.GetEvent(t.Context(), "e", client.WithMeta(&meta)); err != nil || meta.ETag != `"a"` || meta.RequestID != "r-9" || meta.Status != 200 || !meta.Replayed || meta.Attempts != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
	if e, err := c.GetEvent(t.Context(), "e", client.IfNoneMatch(meta.ETag), client.WithMeta(&meta)); !errors.Is(err, client.ErrNotModified) || e != nil || meta.Status != 304 || meta.ETag != `"a"` {
		t.Errorf("%+v, %v, %+v", e, err, meta)
	}
}

func TestWaitForResult(t *testing.T) {
	t.Parallel()
	pending := func(w http.ResponseWriter, code string) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"success":false,"error":{"code":"RESULT_NOT_FOUND","message":"m","requestId":"r","docs":"d","details":[{"code":"`+code+`","message":"m"}]}}`)
	}
	var asked []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		asked = append(asked, r.Header.Get("If-None-Match"))
		switch n {
		case 1:
			pending(w, "CALCULATION_PENDING")
		case 2:
			w.Header().Set("ETag", `"old"`)
			success(w, `{"status":"recalculating","total":{"kgCO2e":1}}`)
		case 3:
			w.WriteHeader(http.StatusNotModified)
		case 4:
			success(w, `{"status":"current","total":{"kgCO2e":2}}`)
		case 5:
			pending(w, "NOTHING_APPROVED")
		default:
			success(w, `{"status":"recalculating"}`)
		}
	})
	c, clock := connect(t, s.URL, nil)
	r, err := c.WaitForResult(t.Context(), "e")
	if err != nil || r.Total.KgCO2e != 2_000_000 || !slices.Equal(asked, []string{"", "", `"old"`, `"old"`}) || len(clock.list()) != 3 || clock.list()[0] != 250*time.Millisecond {
		t.Errorf("%+v, %v, asked %q, pauses %v", r, err, asked, clock.list())
	}
	if _, err := c.WaitForResult(t.Context(), "e"); client.CodeOf(err) != client.CodeResultNotFound || len(s.requests()) != 5 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	clock.after = func(int) { cancel() }
	if _, err := c.WaitForResult(ctx, "e"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestWaitForImport(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		success(w, fmt.Sprintf(`{"_id":"i","status":%q,"rows":%d}`, []string{"validating", "importing", "completed", "failed"}[n-1], n*10))
	})
	c, _ := connect(t, s.URL, nil)
	var rows []int
	done, err := c.WaitForImport(t.Context(), "e", "i", func(i *client.Import) { rows = append(rows, i.Rows) })
	if err != nil || done.Status != "completed" || !slices.Equal(rows, []int{10, 20, 30}) {
		t.Errorf("%+v, %v, %v", done, err, rows)
	}
	if done, err = c.WaitForImport(t.Context(), "e", "i", nil); err != nil || done.Status != "failed" {
		t.Errorf("%+v, %v", done, err)
	}
}
