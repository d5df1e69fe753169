package records_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/records"
)

// crossed lets a concurrent write happen between a lookup of a reference and the action on it.
type crossed struct {
	record.Store
	after func(look int)
	// unseen: the first lookup does not find the reference yet.
	unseen bool
	looks  int
}

func (x *crossed) RecordByReference(ctx context.Context, org record.OrgID, sub record.Sub, reference string) (record.Record, error) {
	r, err := x.Store.RecordByReference(ctx, org, sub, reference)
	if x.looks++; x.looks == 1 && x.unseen {
		r, err = record.Record{}, record.ErrNotFound
	}
	if x.after != nil {
		x.after(x.looks)
	}
	return r, err
}

func (x *crossed) EventByReference(ctx context.Context, org record.OrgID, reference string) (record.Event, error) {
	e, err := x.Store.EventByReference(ctx, org, reference)
	if x.looks++; x.looks == 1 && x.unseen {
		e, err = record.Event{}, record.ErrNotFound
	}
	if x.after != nil {
		x.after(x.looks)
	}
	return e, err
}

// through puts a store between the service and the one of the tests.
func (h *harness) through(store record.Store) *harness {
	h.t.Helper()
	app, err := records.New(records.Deps{Store: store, Notifier: h, Members: members(), Verifier: webtest.Tokens{}, Quotas: map[string]int64{"free": 100},
		Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	return &harness{t: h.t, app: app, db: h.db, store: h.store}
}

// Creations, updates and deletions may occur between a lookup of a reference and the write: the write is decided
// again, whichever way the reference has moved, of a record and of an event.
func TestAReferenceThatMovesIsLookedForAgain(t *testing.T) {
	t.Parallel()
	const body = `{"wasteType":"residual","weightKg":%s,"treatment":"landfill","externalReference":"A"}`
	for name, c := range map[string]struct {
		before func(h *harness, at string)            // initial state
		after  func(h *harness, at, first string)     // after the first lookup
		unseen bool                                   // the first lookup came before the initial state
		status int                                    // of the write
		check  func(h *harness, at, first, id string) // final state
	}{
		"it was made meanwhile": {unseen: true, status: http.StatusOK, check: func(h *harness, _, first, id string) {
			if id != first {
				h.t.Errorf("the record %s was written, not %s, which has the reference", id, first)
			}
		}},
		"its record was deleted meanwhile": {status: http.StatusCreated, after: func(h *harness, at, first string) {
			h.send(ada, http.MethodDelete, at+"/"+first, "").want(http.StatusOK, "")
		}},
		"its record has given it up meanwhile": {status: http.StatusCreated, after: func(h *harness, at, first string) {
			h.send(ada, http.MethodPatch, at+"/"+first, `{"weightKg":3,"externalReference":"B"}`).want(http.StatusOK, "")
		}, check: func(h *harness, at, first, id string) {
			if other := h.send(ada, http.MethodGet, at+"/"+first, "").want(http.StatusOK, ""); id == first || fmt.Sprint(other.data["weightKg"]) != "3" {
				h.t.Errorf("the record that had given up the reference was written: %.300s", other.body)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			at := h.event() + "/waste"
			first := h.send(ada, http.MethodPost, at, fmt.Sprintf(body, "1")).want(http.StatusCreated, "").text("_id")
			store := &crossed{Store: h.store, unseen: c.unseen}
			store.after = func(look int) {
				if look == 1 && c.after != nil {
					c.after(h, at, first)
				}
			}
			got := h.through(store).send(ada, http.MethodPut, at+"/by-reference/A", fmt.Sprintf(body, "2")).want(c.status, "")
			if store.looks < 2 || fmt.Sprint(got.data["weightKg"]) != "2" {
				t.Errorf("%d looks, want two at least; written %v", store.looks, got.data["weightKg"])
			}
			if c.check != nil {
				c.check(h, at, first, got.text("_id"))
			}
		})
	}
}

func TestAnEventWhoseReferenceMovesIsLookedForAgain(t *testing.T) {
	t.Parallel()
	const body = `{"title":"Meeting","country":"GB","externalReference":"A"}`
	for name, c := range map[string]struct {
		after  func(h *harness, first string)
		unseen bool
		status int
	}{
		"it was made meanwhile": {unseen: true, status: http.StatusOK},
		"its event was deleted meanwhile": {status: http.StatusCreated, after: func(h *harness, first string) {
			h.send(root, http.MethodDelete, "/events/"+first, "").want(http.StatusOK, "")
		}},
		"its event has given it up meanwhile": {status: http.StatusCreated, after: func(h *harness, first string) {
			h.send(planck, http.MethodPatch, "/events/"+first, `{"externalReference":"B"}`).want(http.StatusOK, "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			first := h.send(planck, http.MethodPost, "/events", body).want(http.StatusCreated, "").text("_id")
			store := &crossed{Store: h.store, unseen: c.unseen}
			store.after = func(look int) {
				if look == 1 && c.after != nil {
					c.after(h, first)
				}
			}
			got := h.through(store).send(planck, http.MethodPut, "/events/by-reference/A", strings.Replace(body, "Meeting", "Gala", 1)).want(c.status, "")
			if store.looks < 2 || got.text("title") != "Gala" || (got.text("_id") == first) != c.unseen {
				t.Errorf("%d looks, want two at least; written %.300s", store.looks, got.body)
			}
		})
	}
}

// A cached page of events is not served to a caller with another view: viewers do not see comments, and the tag of
// the page is the same.
func TestAPageOfEventsIsRememberedForWhoSeesItSo(t *testing.T) {
	t.Parallel()
	const viewer = "org1.vic.viewer"
	h := start(t)
	id := record.EventID(strings.TrimPrefix(h.event(), "/events/"))
	e, err := h.store.Event(t.Context(), "org1", id)
	if err != nil {
		t.Fatal(err)
	}
	e.Rev, e.Gate.Epoch, e.Editions = 2, 2, []record.Edition{{Edition: 1, Revision: 1, Withdrawn: &record.Withdrawal{Comment: "between us"}}}
	if err := h.store.ReplaceEvent(t.Context(), "org1", e, 1); err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]string{{planck, viewer}, {viewer, planck}} {
		fresh := h.through(h.store)
		for range 3 { // a page is cached from the second read on
			for _, as := range order {
				got := fresh.send(as, http.MethodGet, "/events", "").want(http.StatusOK, "")
				if told := strings.Contains(got.body, "between us"); told != (as == planck) {
					t.Errorf("as %s, after %s: a comment is there: %t\n%.600s", as, order[0], told, got.body)
				}
			}
		}
	}
}

func TestADeletionDoesNotFollowARecordThatGivesUpTheReference(t *testing.T) {
	t.Parallel()
	const body = `{"wasteType":"residual","weightKg":1,"treatment":"landfill","externalReference":"A"}`
	for name, c := range map[string]struct {
		after  func(h *harness, at, first string)
		status int
		code   string
		left   string // reference of the record that is left; none: no record is left
	}{
		"given up": {status: http.StatusNotFound, code: "RECORD_NOT_FOUND", left: "B", after: func(h *harness, at, first string) {
			h.send(ada, http.MethodPatch, at+"/"+first, `{"externalReference":"B"}`).want(http.StatusOK, "")
		}},
		"passed on": {status: http.StatusOK, left: "B", after: func(h *harness, at, first string) {
			h.send(ada, http.MethodPatch, at+"/"+first, `{"externalReference":"B"}`).want(http.StatusOK, "")
			h.send(ada, http.MethodPost, at, body).want(http.StatusCreated, "")
		}},
		"deleted and made again": {status: http.StatusOK, after: func(h *harness, at, first string) {
			h.send(ada, http.MethodDelete, at+"/"+first, "").want(http.StatusOK, "")
			h.send(ada, http.MethodPost, at, body).want(http.StatusCreated, "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			at := h.event() + "/waste"
			first := h.send(ada, http.MethodPost, at, body).want(http.StatusCreated, "").text("_id")
			store := &crossed{Store: h.store}
			store.after = func(look int) {
				if look == 1 {
					c.after(h, at, first)
				}
			}
			h.through(store).send(ada, http.MethodDelete, at+"/by-reference/A", "").want(c.status, c.code)
			h.send(ada, http.MethodGet, at+"/by-reference/A", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
			if c.left != "" {
				h.send(ada, http.MethodGet, at+"/by-reference/"+c.left, "").want(http.StatusOK, "")
			}
		})
	}
}
