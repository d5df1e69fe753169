package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// managers maps every member of an organization to manager.
type managers struct{}

func (managers) Roles(_ context.Context, _ string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	for _, id := range ids {
		roles[id] = identity.Manager
	}
	return roles, nil
}

func (managers) Invitation(context.Context, string) (members.Invitation, error) {
	return members.Invitation{}, members.ErrNoInvitation
}

func (managers) Own(context.Context, string, string) ([]members.Membership, error) { return nil, nil }

// sight is one request as the checker sees it: a change of the team that includes or
// excludes the member, or a read of the event by the member.
type sight struct {
	member  string
	set, in bool
}

// seen is the response: whether the member was shown the event; unknown after 503.
type seen struct{ event, unknown bool }

// teamModel specifies what a member may be shown sequentially: the effect of the last
// change of the team, from its response on.
func teamModel() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			of := map[string][]porcupine.Operation{}
			for _, o := range history {
				of[o.Input.(sight).member] = append(of[o.Input.(sight).member], o)
			}
			var parts [][]porcupine.Operation
			for _, part := range of {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() any { return false },
		Step: func(state, input, output any) (bool, any) {
			in, out := input.(sight), output.(seen)
			switch {
			case out.unknown: // nothing was done
				return true, state
			case in.set:
				return true, in.in
			}
			return out.event == state.(bool), state
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprint(state) },
	}
}

// watching is administrators who change a team while its members read the event.
type watching struct {
	event string
	begun time.Time

	mu      sync.Mutex
	history []porcupine.Operation
}

func (w *watching) note(client int, call time.Duration, out seen, all ...sight) {
	back := time.Since(w.begun).Nanoseconds()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, in := range all {
		w.history = append(w.history, porcupine.Operation{ClientId: client, Input: in, Call: call.Nanoseconds(), Output: out, Return: back})
	}
}

// change sets the team to the reviewer and some of the members.
func (w *watching) change(p *pair, client int, random *rand.Rand) {
	all := []sight{{"m1", true, random.IntN(2) == 0}, {"m2", true, random.IntN(2) == 0}}
	team := `{"userId":"m0","role":"reviewer"}`
	for _, s := range all {
		if s.in {
			team += fmt.Sprintf(`,{"userId":%q,"role":"contributor"}`, s.member)
		}
	}
	call := time.Since(w.begun)
	a := p.ask(fmt.Sprintf("acme/a%d/admin", client), http.MethodPatch, "/events/"+w.event, `{"team":{"members":[`+team+`]}}`)
	w.note(client, call, seen{unknown: a.status != http.StatusOK}, all...)
}

// look reads the event in one of several ways.
func (w *watching) look(t *testing.T, p *pair, client int, member string, random *rand.Rand) {
	path := "/events/" + w.event
	call := time.Since(w.begun)
	who := "acme/" + member + "/manager"
	var a *answer
	list := false
	switch random.IntN(4) {
	case 0:
		a = p.ask(who, http.MethodGet, path, "")
	case 1:
		a = p.ask(who, http.MethodPost, path+"/waste", `{"treatment":"landfill","weightKg":1}`)
	case 2:
		a = p.ask(who, http.MethodGet, path+"/waste", "")
	case 3:
		a, list = p.ask(who, http.MethodGet, "/events?limit=100", ""), true
	}
	out := seen{event: a.status <= 299, unknown: a.status >= 500}
	if list {
		out.event = strings.Contains(string(a.body), w.event)
	} else if a.status >= 300 && a.status != http.StatusNotFound && !out.unknown {
		t.Errorf("%d %s", a.status, a.body)
	}
	w.note(client, call, out, sight{member: member})
}

// TestTeamsAreLinearizable changes the team of an event while its members read it
// through two replicas, and verifies with a checker that the history is linearizable:
// no member is shown the event after the response that removed them from the team.
func TestTeamsAreLinearizable(t *testing.T) {
	t.Parallel()
	rounds := courses(t, 1)
	random := testkit.Rand(t)
	seed := random.Uint64()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choices
		first := open()
		if err := first.InsertOrganization(t.Context(), record.Organization{ID: "acme", Name: "Acme", Plan: "team", Rev: 1}); err != nil {
			t.Fatal(err)
		}
		clock := newMovable()
		replicas := []*pair{newPair(t, first, clock), newPair(t, open(), clock)}
		for range rounds {
			w := &watching{begun: time.Now()}
			w.event = replicas[0].ask("acme/m0/manager", http.MethodPost, "/events", `{"title":"Ours","team":{"members":[{"userId":"m0","role":"reviewer"}]}}`).
				want(http.StatusCreated).str("_id")
			var clients sync.WaitGroup
			for i := range 6 {
				own := rand.New(rand.NewPCG(random.Uint64(), uint64(i))) //nolint:gosec // a test's choices
				clients.Go(func() {
					for range 12 {
						if i < 2 {
							w.change(replicas[i%2], i, own)
						} else {
							w.look(t, replicas[i%2], i, fmt.Sprint("m", 1+i/4), own)
						}
					}
				})
			}
			clients.Wait()
			if result := porcupine.CheckOperationsTimeout(teamModel(), w.history, time.Minute); result != porcupine.Ok {
				t.Errorf("%s: the history is not linearizable:\n%+v", result, w.history)
			}
		}
	})
}

// TestSightAfterLeavingIsFound verifies that the checker can fail.
func TestSightAfterLeavingIsFound(t *testing.T) {
	t.Parallel()
	op := func(client int, call, back int64, in sight, out seen) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back}
	}
	joined := op(0, 0, 1, sight{"m1", true, true}, seen{})
	left := op(0, 2, 5, sight{"m1", true, false}, seen{})
	for name, c := range map[string]struct {
		look porcupine.Operation
		want porcupine.CheckResult
	}{
		"while leaving": {op(1, 3, 4, sight{member: "m1"}, seen{event: true}), porcupine.Ok},
		"after leaving": {op(1, 6, 7, sight{member: "m1"}, seen{event: true}), porcupine.Illegal},
		"not there yet": {op(1, 0, 2, sight{member: "m1"}, seen{}), porcupine.Ok},
	} {
		if got := porcupine.CheckOperationsTimeout(teamModel(), []porcupine.Operation{joined, left, c.look}, time.Minute); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
