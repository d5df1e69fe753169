package auth_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// The model: two people, three organizations, and which memberships, sessions and
// tokens are valid. It shares only names with the code.
type (
	modelMember struct {
		id       string
		role     identity.Role
		there    bool
		disabled bool
		ends     int // how often its tokens were invalidated
	}
	modelPerson struct {
		email, first, standard string
		in                     map[string]*modelMember
	}
	modelSession struct {
		of      *modelPerson
		org     string
		ends    int
		over    bool
		refresh string
	}
	modelToken struct {
		session *modelSession
		org     string
		role    identity.Role
		ends    int
		text    string
		until   time.Time
	}
)

func (m *modelMember) works() bool { return m != nil && m.there && !m.disabled }

func (k modelToken) holds(now time.Time) bool {
	m := k.session.of.in[k.org]
	return !k.session.over && m.works() && m.role == k.role && m.ends == k.ends && now.Before(k.until)
}

// peopleModel is one random course of moves.
type peopleModel struct {
	*bundle
	random   *rand.Rand
	people   []*modelPerson
	sessions []*modelSession
	tokens   []modelToken
}

var modelOrgs = []string{"m1", "m2", "m3"}

// TestTwoPeopleInThreeOrganizations makes random moves and compares every response with
// the model; each token ever issued is checked repeatedly.
func TestTwoPeopleInThreeOrganizations(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		rounds := 60
		if testkit.Long(t) {
			rounds = 1000
		}
		seed := testkit.Seed(t)
		k := &peopleModel{bundle: b, random: rand.New(rand.NewPCG(seed, 13))} //nolint:gosec // not for secrets
		for i, email := range []string{"one@example.com", "two@example.com"} {
			u := b.user(modelOrgs[i], email, "", identity.User)
			k.people = append(k.people, &modelPerson{email: email, first: u.Org, standard: u.Org, in: map[string]*modelMember{u.Org: {id: u.ID, role: u.Role, there: true}}})
		}
		moves := []func(*modelPerson, string){k.joins, k.joins, k.leaves, k.disabled, k.enabled, k.changesRole, k.signsIn, k.signsIn, k.refreshes, k.refreshes, k.refreshes, k.choosesDefault, k.signsOut}
		for range rounds {
			b.clock.Advance(40 * time.Second)
			moves[k.random.IntN(len(moves))](k.people[k.random.IntN(2)], modelOrgs[k.random.IntN(3)])
			k.look()
		}
	})
}

// look checks some tokens, including the newest.
func (k *peopleModel) look() {
	k.t.Helper()
	for i := range min(len(k.tokens), 4) {
		token := k.tokens[len(k.tokens)-1]
		if i > 0 {
			token = k.tokens[k.random.IntN(len(k.tokens))]
		}
		p, err := k.service.Verify(k.t.Context(), token.text)
		if want := token.holds(k.clock.Now()); (err == nil) != want || want && (p.Org != token.org || p.UserID != token.session.of.in[token.org].id) {
			k.t.Fatalf("%s in %s: %+v, %v; want valid: %t", token.session.of.email, token.org, p, err, want)
		}
	}
}

func (k *peopleModel) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *peopleModel) joins(p *modelPerson, org string) {
	role := identity.Roles()[k.random.IntN(3)] // never an admin, which the last-admin rule would keep
	m, err := k.enter(p, org, role)
	known := p.in[org]
	if known != nil && known.there {
		if err == nil {
			k.t.Fatalf("%s joined %s twice", p.email, org)
		}
		return
	}
	k.must(err)
	if known == nil {
		p.in[org] = &modelMember{id: m.ID, role: role, there: true}
		return
	}
	if m.ID != known.id {
		k.t.Fatalf("%s came back to %s as %s, was %s", p.email, org, m.ID, known.id)
	}
	known.role, known.there, known.disabled = role, true, false
	known.ends++
}

// enter makes a person a member: by the operator's command, or by accepting an
// invitation.
func (k *peopleModel) enter(p *modelPerson, org string, role identity.Role) (account.User, error) {
	ctx := k.t.Context()
	if k.random.IntN(2) == 0 {
		return k.service.Join(ctx, p.email, org, "", role)
	}
	made, err := k.service.Invite(ctx, auth.NewUser{Org: org, Email: p.email, Role: role})
	if apperr.CodeOf(err) == apperr.RateLimited {
		return k.service.Join(ctx, p.email, org, "", role)
	}
	if err != nil {
		return account.User{}, err
	}
	if k.loginTo(p.email, org).status == http.StatusOK {
		k.t.Fatalf("%s works in %s before accepting", p.email, org)
	}
	for from, m := range p.in {
		if m.there {
			return k.service.AcceptInvitation(ctx, from, m.id, made.SetupToken)
		}
	}
	return account.User{}, errors.New("a person of no organization")
}

func (k *peopleModel) leaves(p *modelPerson, org string) {
	m := p.in[org]
	if m == nil || !m.there || k.others(p, org) == 0 { // without a membership the person would be erased
		return
	}
	k.must(k.service.DeleteUser(k.t.Context(), org, m.id))
	m.there = false
	m.ends++
}

// others counts the other memberships of a person.
func (k *peopleModel) others(p *modelPerson, org string) int {
	n := 0
	for o, m := range p.in {
		if o != org && m.there {
			n++
		}
	}
	return n
}

func (k *peopleModel) disabled(p *modelPerson, org string) {
	m := p.in[org]
	if m == nil || !m.there || m.disabled {
		return
	}
	k.must(k.service.DisableUser(k.t.Context(), org, m.id))
	m.disabled = true
	m.ends++
	if org == p.first && k.others(p, org) == 0 {
		k.endAll(p)
	}
}

func (k *peopleModel) endAll(p *modelPerson) {
	for _, s := range k.sessions {
		s.over = s.over || s.of == p
	}
}

func (k *peopleModel) enabled(p *modelPerson, org string) {
	if m := p.in[org]; m != nil && m.there {
		k.must(k.service.EnableUser(k.t.Context(), org, m.id))
		m.disabled = false
	}
}

func (k *peopleModel) changesRole(p *modelPerson, org string) {
	if m := p.in[org]; m != nil && m.there {
		m.role = identity.Roles()[k.random.IntN(3)]
		_, err := k.service.UpdateUser(k.t.Context(), org, m.id, auth.Change{Role: &m.role})
		k.must(err)
	}
}

// took records the tokens of a response.
func (k *peopleModel) took(a answer, s *modelSession, org string) {
	m := s.of.in[org]
	k.tokens = append(k.tokens, modelToken{s, org, m.role, m.ends, a.text("accessToken"), k.clock.Now().Add(time.Hour - time.Second)})
}

func (k *peopleModel) signsIn(p *modelPerson, org string) {
	var a answer
	missing := http.StatusNotFound
	if k.random.IntN(2) == 0 {
		a, org, missing = k.login(p.email, goodPass), p.standard, http.StatusUnauthorized
	} else {
		a = k.loginTo(p.email, org)
	}
	if !p.in[org].works() {
		if a.status != missing {
			k.t.Fatalf("%s signs in to %s: %d %s", p.email, org, a.status, a.body)
		}
		return
	}
	k.want(a, http.StatusOK, "")
	s := &modelSession{of: p, org: org, ends: p.in[org].ends, refresh: a.text("refreshToken")}
	k.sessions = append(k.sessions, s)
	k.took(a, s, org)
}

func (k *peopleModel) refreshes(_ *modelPerson, org string) {
	if len(k.sessions) == 0 {
		return
	}
	s := k.sessions[k.random.IntN(len(k.sessions))]
	want := http.StatusOK
	var a answer
	if k.random.IntN(2) == 0 {
		a, org = k.refresh(s.refresh), s.org
		if m := s.of.in[org]; s.over || !m.works() || m.ends != s.ends {
			want = http.StatusUnauthorized
		}
	} else {
		a = k.refreshTo(s.refresh, org)
		switch {
		case s.over:
			want = http.StatusUnauthorized
		case !s.of.in[org].works():
			want = http.StatusNotFound
		}
	}
	if a.status != want {
		k.t.Fatalf("%s refreshes a session of %s for %s: %d %s, want %d", s.of.email, s.org, org, a.status, a.body, want)
	}
	if want == http.StatusOK {
		k.took(a, s, org)
	}
}

func (k *peopleModel) choosesDefault(p *modelPerson, org string) {
	for from, m := range maps.All(p.in) {
		if !m.there {
			continue
		}
		err := k.service.SetDefault(k.t.Context(), from, m.id, org)
		if (err == nil) != p.in[org].works() {
			k.t.Fatalf("%s makes %s the default: %v", p.email, org, err)
		}
		if err == nil {
			p.standard = org
		}
		return
	}
}

func (k *peopleModel) signsOut(p *modelPerson, _ string) {
	now := k.clock.Now()
	i := slices.IndexFunc(k.tokens, func(t modelToken) bool { return t.session.of == p && t.holds(now) })
	if i >= 0 {
		k.want(k.do("POST", "/api/v2/auth/logout", k.tokens[i].text, ""), http.StatusOK, "")
		k.tokens[i].session.over = true
	}
}
