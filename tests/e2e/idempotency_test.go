package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
)

// scene is a request with an idempotency key, made in a new organization.
type scene struct {
	name string
	// prepare brings the organization to the state in which the request is made and
	// returns the request: caller, path, body.
	prepare func(s *stage) (as, path, body string)
	method  string // POST if empty
	status  int
	// meanwhile, if set, is what others do between the death of the process and the repetition.
	meanwhile func(s *stage)
	// check verifies the effects of the request, which happened once, and its response.
	check func(s *stage, a *answer)
}

// stage is an organization for one run of a scene, seen from a process that does not
// die.
type stage struct {
	*pair
	store         record.Store
	org           string
	event         string
	ids           []string
	user, manager string
}

func (s *stage) create(n int) {
	s.t.Helper()
	s.event = s.ask(s.manager, http.MethodPost, "/events", `{"title":"Scene","country":"GB"}`).want(http.StatusCreated).str("_id")
	for i := range n {
		body := fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, i+1)
		s.ids = append(s.ids, s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", body).want(http.StatusCreated).str("_id"))
	}
}

func (s *stage) move(as, id, move string) {
	s.t.Helper()
	s.ask(as, http.MethodPost, "/events/"+s.event+"/waste/"+id+"/"+move, "").want(http.StatusOK)
}

func (s *stage) idList() string { return `{"ids":["` + strings.Join(s.ids, `","`) + `"]}` }

// wantMoves verifies how often each record has made a move.
func (s *stage) wantMoves(move string, times int) {
	s.t.Helper()
	for _, id := range s.ids {
		history := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/"+id+"/history?limit=100", "").want(http.StatusOK)
		n := 0
		for i := range history.data("items").([]any) {
			if history.str("items", i, "action") == move {
				n++
			}
		}
		if n != times {
			s.t.Errorf("%s made %s %d times, not %d: %s", id, move, n, times, history.body)
		}
	}
}

func (s *stage) wantTotal(path, total string) *answer {
	s.t.Helper()
	list := s.ask(s.user, http.MethodGet, path, "").want(http.StatusOK)
	if got := list.number("pagination", "total"); got != total {
		s.t.Errorf("%s holds %s, not %s: %s", path, got, total, list.body)
	}
	return list
}

func scenes() []scene {
	moves := func(typ, move string, as func(*stage) string, first ...[2]string) scene {
		return scene{
			name: move, status: http.StatusOK,
			prepare: func(s *stage) (string, string, string) {
				s.create(1)
				for _, f := range first {
					who := s.user
					if f[0] == "manager" {
						who = s.manager
					}
					s.move(who, s.ids[0], f[1])
				}
				body := `{"comment":"Because."}`
				if move == "submit" || move == "withdraw" {
					body = ""
				}
				return as(s), "/events/" + s.event + "/" + typ + "/" + s.ids[0] + "/" + move, body
			},
			check: func(s *stage, a *answer) {
				times := 1
				for _, f := range first {
					if f[1] == move {
						times++
					}
				}
				s.wantMoves(move, times)
				if a.str("_id") != s.ids[0] {
					s.t.Errorf("answer: %s", a.body)
				}
			},
		}
	}
	user, manager := func(s *stage) string { return s.user }, func(s *stage) string { return s.manager }
	submitted := [2]string{"user", "submit"}
	return []scene{
		{
			name: "create an event, the last of the plan", status: http.StatusCreated,
			prepare: func(s *stage) (string, string, string) { return s.manager, "/events", `{"title":"Only one"}` },
			check: func(s *stage, a *answer) {
				if list := s.wantTotal("/events", "1"); list.str("items", 0, "_id") != a.str("_id") {
					s.t.Errorf("answer %s, list %s", a.body, list.body)
				}
				if used, err := s.store.UsedSlots(s.t.Context(), record.OrgID(s.org)); err != nil || used != 1 {
					s.t.Errorf("%d slots used, %v", used, err)
				}
			},
		},
		{
			name: "create a record", status: http.StatusCreated,
			prepare: func(s *stage) (string, string, string) {
				s.create(0)
				return s.user, "/events/" + s.event + "/waste", `{"treatment":"landfill","weightKg":1,"externalReference":"w-1"}`
			},
			check: func(s *stage, a *answer) {
				if list := s.wantTotal("/events/"+s.event+"/waste", "1"); list.str("items", 0, "_id") != a.str("_id") {
					s.t.Errorf("answer %s, list %s", a.body, list.body)
				}
			},
		},
		{
			name: "create a batch", status: http.StatusOK,
			prepare: func(s *stage) (string, string, string) {
				s.create(0)
				var all []string
				for i := range 6 {
					all = append(all, fmt.Sprintf(`{"treatment":"landfill","weightKg":%d,"externalReference":"w-%d"}`, i+1, i%5))
				}
				all[2] = `{"treatment":"landfil","weightKg":-1}`
				return s.user, "/events/" + s.event + "/waste/batch", `{"items":[` + strings.Join(all, ",") + `]}`
			},
			check: func(s *stage, a *answer) {
				list := s.wantTotal("/events/"+s.event+"/waste", "4")
				for place, item := range []int{4, 3, 1, 0} {
					if list.str("items", place, "_id") != a.str("items", item, "record", "_id") {
						s.t.Errorf("answer %s, list %s", a.body, list.body)
					}
				}
				if a.number("succeeded") != "4" || a.number("failed") != "2" || a.str("items", 2, "error", "code") != "VALIDATION_ERROR" ||
					a.str("items", 2, "error", "details", 0, "field") != "items[2].treatment" || a.str("items", 5, "error", "code") != "DUPLICATE_REFERENCE" {
					s.t.Errorf("answer %s", a.body)
				}
			},
		},
		{
			name: "submit many", status: http.StatusOK,
			prepare: func(s *stage) (string, string, string) {
				s.create(3)
				return s.user, "/events/" + s.event + "/waste/submit", s.idList()
			},
			check: func(s *stage, a *answer) {
				s.wantMoves("submit", 1)
				if a.number("succeeded") != "3" || a.str("items", 2, "record", "_id") != s.ids[2] {
					s.t.Errorf("answer %s", a.body)
				}
			},
		},
		{
			name: "delete many", status: http.StatusOK,
			prepare: func(s *stage) (string, string, string) {
				s.create(3)
				return s.user, "/events/" + s.event + "/waste/delete", s.idList()
			},
			check: func(s *stage, a *answer) {
				s.wantTotal("/events/"+s.event+"/waste", "0")
				if a.number("succeeded") != "3" || a.number("failed") != "0" || a.str("items", 2, "record", "_id") != s.ids[2] {
					s.t.Errorf("answer %s", a.body)
				}
			},
		},
		{
			name: "approve many", status: http.StatusOK,
			prepare: func(s *stage) (string, string, string) {
				s.create(3)
				for _, id := range s.ids {
					s.move(s.user, id, "submit")
				}
				return s.manager, "/events/" + s.event + "/review/approve", s.idList()
			},
			check: func(s *stage, a *answer) {
				s.wantMoves("approve", 1)
				if a.number("succeeded") != "3" || a.str("items", 0, "record", "status") != "approved" {
					s.t.Errorf("answer %s", a.body)
				}
			},
		},
		deletionOfRecord(func(s *stage) string { return s.ids[0] }),
		deletionOfRecord(func(*stage) string { return "by-reference/w-1" }),
		changeOfOrganization(),
		changeOfSupplierFactor(),
		decisionOnSupplierFactor(),
		moves("waste", "submit", user),
		moves("waste", "submit", user, submitted, [2]string{"user", "withdraw"}),
		moves("waste", "withdraw", user, submitted),
		moves("waste", "review", manager, submitted),
		moves("waste", "approve", manager, submitted),
		moves("waste", "reject", manager, submitted),
		moves("waste", "request-changes", manager, submitted),
		moves("waste", "reopen", manager, submitted, [2]string{"manager", "approve"}),
	}
}

// TestARequestWithAKeyHappensOnce kills a process at every write of a request, before,
// within and after it, and repeats the request with another process: it must have
// happened once, and the response must be that of the request (statement 33).
func TestARequestWithAKeyHappensOnce(t *testing.T) {
	t.Parallel()
	for n, sc := range scenes() {
		t.Run(fmt.Sprint(n, " ", sc.name), func(t *testing.T) {
			t.Parallel()
			onBothStores(t, func(t *testing.T, open func() record.Store) {
				store, clock := open(), newMovable()
				deaths := []death{before, halfway, after}
				if slowEngine(store) {
					// The test engine reads whole collections; differences between the
					// engines show after a write, and in the middle of one of many.
					if deaths = []death{halfway}; n > 5 {
						return
					}
				}
				for _, how := range deaths {
					for fatal, alive := 0, false; !alive; fatal++ {
						alive = sc.play(t, store, clock, how, fatal)
						if t.Failed() {
							t.Fatalf("dying %s write %d", deathName(how), fatal)
						}
					}
				}
			})
		})
	}
}

// slowEngine reports whether a store uses the MongoDB engine for tests.
func slowEngine(store record.Store) bool {
	_, mongo := store.(*mongostore.Store)
	return mongo && os.Getenv("ECF_MONGODB_URI") == ""
}

// play makes the request in a new organization with a process that dies at a write, and
// repeats it with another process. It reports whether the first survived.
func (sc scene) play(t *testing.T, store record.Store, clock *movable, how death, fatal int) (alive bool) {
	t.Helper()
	org, plan := fmt.Sprintf("org-%d-%d", how, fatal), "team"
	if strings.Contains(sc.name, "the last of the plan") {
		plan = "free"
	}
	if err := store.InsertOrganization(t.Context(), record.Organization{ID: record.OrgID(org), Name: "Org", Plan: plan, Rev: 1, CreatedAt: clock.now()}); err != nil {
		t.Fatal(err)
	}
	s := &stage{pair: newPair(t, store, clock), store: store, org: org, user: org + "/ann/user", manager: org + "/mia/manager"}
	as, path, body := sc.prepare(s)
	method := cmp.Or(sc.method, http.MethodPost)
	repeat := func(body string) *answer { return s.ask(as, method, path, body, "Idempotency-Key", "the key") }

	process := &mortal{Store: store, left: fatal, how: how}
	first := newPair(t, process, clock).ask(as, method, path, body, "Idempotency-Key", "the key")
	if !process.dead {
		first.want(sc.status)
	}
	if process.dead && process.writes > 1 {
		if early := repeat(body); early.status != http.StatusConflict && early.header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("while the lease lasts: %d: %s", early.status, early.body)
		}
	}
	clock.ms.Add((20 * time.Second).Milliseconds())
	if sc.meanwhile != nil {
		sc.meanwhile(s)
	}
	second := repeat(body).want(sc.status)
	sc.check(s, second)
	if !process.dead && string(second.body) != string(first.body) {
		t.Errorf("replayed %s\nwant %s", second.body, first.body)
	}
	third := repeat(body).want(sc.status)
	if third.header.Get("Idempotent-Replayed") != "true" || string(third.body) != string(second.body) ||
		third.header.Get("ETag") != second.header.Get("ETag") || third.header.Get("Location") != second.header.Get("Location") {
		t.Errorf("replayed %v %s\nwant %s", third.header, third.body, second.body)
	}
	repeat(body+" ").wantError(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	sc.check(s, second)
	return !process.dead
}

func deathName(how death) string { return [...]string{"before", "within", "after"}[how] }

// TestARepetitionDoesNotUndoWhatCameSince verifies that what others did between a crash
// and the repetition is not undone: the move is not made a second time.
func TestARepetitionDoesNotUndoWhatCameSince(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store := open()
		clock := newMovable()
		s := &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/ann/user", manager: "org/mia/manager"}
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: clock.now()}); err != nil {
			t.Fatal(err)
		}
		s.create(1)
		// Reservation, history entry, move: it dies when storing the response.
		process := &mortal{Store: store, left: 3, how: before}
		path := "/events/" + s.event + "/waste/" + s.ids[0] + "/submit"
		newPair(t, process, clock).ask(s.user, http.MethodPost, path, "", "Idempotency-Key", "k")
		if !process.dead {
			t.Fatal("the process is alive")
		}
		s.wantMoves("submit", 1)
		s.move(s.user, s.ids[0], "withdraw")
		clock.ms.Add((20 * time.Second).Milliseconds())
		again := s.ask(s.user, http.MethodPost, path, "", "Idempotency-Key", "k").want(http.StatusOK)
		if again.str("status") != "unsubmitted" {
			t.Errorf("answer %s", again.body)
		}
		s.wantMoves("submit", 1)
	})
}

// TestASlowProcessDoesNotDoItAgain verifies that a process that was slow, not dead,
// does not repeat the request after another process has taken over, even if it wakes up
// in the middle.
func TestASlowProcessDoesNotDoItAgain(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store := open()
		clock := newMovable()
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "free", Rev: 1, CreatedAt: clock.now()}); err != nil {
			t.Fatal(err)
		}
		s := &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/ann/user", manager: "org/mia/manager"}
		for _, step := range []func() (as, path, body string, status int){
			func() (string, string, string, int) {
				return s.manager, "/events", `{"title":"Slow","country":"GB"}`, http.StatusCreated
			},
			func() (string, string, string, int) {
				s.event = s.ask(s.user, http.MethodGet, "/events", "").str("items", 0, "_id")
				return s.user, "/events/" + s.event + "/waste", `{"treatment":"landfill","weightKg":1}`, http.StatusCreated
			},
			func() (string, string, string, int) {
				return s.user, "/events/" + s.event + "/waste/batch", `{"items":[{"treatment":"landfill","weightKg":1},{"treatment":"landfill","weightKg":2}]}`, http.StatusOK
			},
			func() (string, string, string, int) {
				list := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste", "")
				s.ids = []string{list.str("items", 0, "_id")}
				return s.user, "/events/" + s.event + "/waste/" + s.ids[0] + "/submit", "", http.StatusOK
			},
			func() (string, string, string, int) {
				return s.manager, "/supplier-factors", `{"name":"Green Power","kgCO2ePerUnit":0.5,"unit":"kWh","source":"Disclosure","evidence":[{"sha256":"` + strings.Repeat("ab", 32) + `"}]}`, http.StatusCreated
			},
		} {
			as, path, body, status := step()
			sleeper := &sleeping{Store: store, asleep: make(chan struct{}), wake: make(chan struct{})}
			slow := newPair(t, sleeper, clock)
			late := make(chan *answer, 1)
			go func() { late <- slow.ask(as, http.MethodPost, path, body, "Idempotency-Key", "k") }()
			<-sleeper.asleep
			clock.ms.Add((20 * time.Second).Milliseconds())
			taken := s.ask(as, http.MethodPost, path, body, "Idempotency-Key", "k").want(status)
			if strings.HasSuffix(path, "/submit") {
				// The move would be possible again.
				s.move(s.user, s.ids[0], "withdraw")
			}
			close(sleeper.wake)
			(<-late).want(status)
			again := s.ask(as, http.MethodPost, path, body, "Idempotency-Key", "k").want(status)
			if string(again.body) != string(taken.body) {
				t.Errorf("%s: %s\nwant %s", path, again.body, taken.body)
			}
		}
		s.wantTotal("/events", "1")
		s.wantTotal("/events/"+s.event+"/waste", "3")
		s.wantMoves("submit", 1)
		if factors := s.ask(s.manager, http.MethodGet, "/supplier-factors", "").want(http.StatusOK); factors.number("pagination", "total") != "1" {
			t.Errorf("%s", factors.body)
		}
	})
}
