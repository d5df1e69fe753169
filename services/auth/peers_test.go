package auth_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const peerSecret = "a-secret-of-services-that-is-long-enough"

// behindSecret is an auth service that accepts signed requests of services.
func behindSecret(t *testing.T, unsigned bool) *bundle {
	t.Helper()
	b := setupBehind(t, openSQLite(t), testHasher(t), func(now func() time.Time) *peer.Verifier {
		return peer.NewVerifier(peer.Secrets{peerSecret}, unsigned, now)
	})
	b.secrets = append(b.secrets, peerSecret)
	return b
}

// as returns a client that signs its requests as a service.
func (b *bundle) as(service string) *http.Client {
	return &http.Client{Transport: peer.NewSigner(service, peer.Secrets{peerSecret}, b.clock.Now).Transport(http.DefaultTransport)}
}

// by returns the same service with another client.
func (b *bundle) by(client *http.Client) *bundle {
	other := *b
	other.client = client
	return &other
}

// counted returns the numbers of entries without an organization and of the tests'
// organization.
func (b *bundle) counted() (nobody, org int64) {
	b.t.Helper()
	_, nobody, err := b.store.AuditPage(b.t.Context(), account.SystemOrg, 0, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	_, org, err = b.store.AuditPage(b.t.Context(), "o1", 0, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	return nobody, org
}

// forged are reports that a caller with a user's token, or without one, might forge.
func (b *bundle) forged() map[string]audit.Report {
	return map[string]audit.Report{
		"an action of somebody else": {Note: audit.Note{Action: "event.sign-off", ID: "e1/7", Actor: b.root.ID, Subject: "e1"}},
		"a change from an address":   {Note: audit.Note{Action: audit.Organization, Subject: "o1", Before: "fourEyes false", After: "fourEyes true"}, Address: "8.8.8.8"},
	}
}

func inventedLimits() map[string]audit.Report {
	hit := audit.Note{Action: audit.Limited, Refused: "RATE_LIMITED", Subject: "POST /auth/login"}
	with := func(change func(n *audit.Note)) audit.Report {
		n := hit
		change(&n)
		return audit.Report{Note: n, Address: "8.8.8.8", RequestID: "made up"}
	}
	return map[string]audit.Report{
		"subject":           with(func(n *audit.Note) { n.Subject = "Root, from home" }),
		"another operation": with(func(n *audit.Note) { n.Subject = "GET /users" }),
		"before":            with(func(n *audit.Note) { n.Before = "Root" }),
		"after":             with(func(n *audit.Note) { n.After = "Root, 2 times within an hour" }),
		"reason":            with(func(n *audit.Note) { n.Refused = "Root" }),
		"actor":             with(func(n *audit.Note) { n.Actor = "Root" }),
		"id":                with(func(n *audit.Note) { n.ID = "Root" }),
	}
}

// TestAuthAnswersServicesOnly verifies that with a secret, a report without a
// credential is not recorded, whoever's token it has, and a login without one is
// neither checked nor counted, whatever address it claims.
func TestAuthAnswersServicesOnly(t *testing.T) {
	t.Parallel()
	b := behindSecret(t, false)
	gateway := b.by(b.as("gateway"))
	const home, right, wrong = "203.0.113.7", `{"email":"ada@example.com","password":"` + goodPass + `"}`, `{"email":"ada@example.com","password":"wrong"}`
	b.want(gateway.do("POST", "/api/v2/auth/login", "", right, "X-Forwarded-For", home), http.StatusOK, "")
	bob := gateway.signIn("bob@example.com").access
	nobody, org := b.counted()
	for name, r := range b.forged() {
		if err := audit.NewRemote(b.base, nil).Record(t.Context(), bob, r); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, r := range inventedLimits() {
		if err := audit.NewRemote(b.base, nil).Record(t.Context(), "", r); err == nil {
			t.Errorf("a limit with an invented %s is accepted", name)
		}
	}
	for n := range 60 {
		a := b.do("POST", "/api/v2/auth/login", "", wrong, "X-Forwarded-For", home)
		if a.status != http.StatusUnauthorized || a.header.Get(peer.Refused) == "" {
			t.Fatalf("sign-in %d: %d %s", n, a.status, a.body)
		}
	}
	for _, path := range []string{members.OwnPath, members.Path + "?id=" + b.bob.ID, sessions.Path + "x", "/api/v2/auth/me", "/api/v2/nothing"} {
		if a := b.do("GET", path, bob, ""); a.status != http.StatusUnauthorized || a.header.Get(peer.Refused) == "" {
			t.Errorf("%s without a credential: %d %s", path, a.status, a.body)
		}
	}
	if n, o := b.counted(); n != nobody || o != org {
		t.Errorf("%d and %d entries without an actor", n-nobody, o-org)
	}
	if a := b.do("GET", members.Path+"?org=o1&id="+b.bob.ID, "", ""); a.status != http.StatusUnauthorized || a.header.Get(peer.Refused) == "" {
		t.Errorf("members without a credential, nor a token: %d %s", a.status, a.body)
	}
	// The owner's count is unaffected.
	b.want(gateway.do("POST", "/api/v2/auth/login", "", right, "X-Forwarded-For", home), http.StatusOK, "")
	b.want(b.do("GET", "/.well-known/jwks.json", "", ""), http.StatusOK, "")
	// Services are answered, and their reports about others recorded.
	remote := audit.NewRemote(b.base, b.as("records"))
	for name, r := range b.forged() {
		if err := remote.Record(t.Context(), bob, r); err != nil {
			t.Errorf("%s by a service: %v", name, err)
		}
	}
	if own, err := members.NewRemote(b.base, b.as("records")).Own(identity.WithToken(t.Context(), bob), "o1", b.bob.ID); err != nil || len(own) != 1 {
		t.Errorf("memberships: %v, %v", own, err)
	}
}

// transport is a function as an http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestASignedRequestCannotBeChanged changes signed requests over HTTP, as a man in the
// middle would.
func TestASignedRequestCannotBeChanged(t *testing.T) {
	t.Parallel()
	b := behindSecret(t, false)
	const body, from = `{"email":"ada@example.com","password":"wrong"}`, "203.0.113.7"
	var kept *http.Request
	record := transport(func(r *http.Request) (*http.Response, error) {
		kept = r.Clone(context.WithoutCancel(r.Context()))
		return http.DefaultTransport.RoundTrip(r)
	})
	signed := &http.Client{Transport: peer.NewSigner("gateway", peer.Secrets{peerSecret}, b.clock.Now).Transport(record)}
	if a := b.by(signed).do("POST", "/api/v2/auth/login", "", body, "X-Forwarded-For", from); a.status != http.StatusUnauthorized || a.header.Get(peer.Refused) != "" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	credential := kept.Header.Get(peer.Header)
	for name, c := range map[string]struct {
		body, from string
		later      time.Duration
		taken      bool
	}{
		"the same":          {body: body, from: from, taken: true},
		"a larger body":     {body: strings.Replace(body, "wrong", strings.Repeat("w", 100_000), 1), from: from},
		"another password":  {body: strings.Replace(body, "wrong", "wring", 1), from: from},
		"no body":           {from: from},
		"another address":   {body: body, from: "203.0.113.8"},
		"no address":        {body: body},
		"a minute later":    {body: body, from: from, later: time.Minute},
		"a minute too soon": {body: body, from: from, later: -time.Minute},
	} {
		headers := []string{peer.Header, credential}
		if c.from != "" {
			headers = append(headers, "X-Forwarded-For", c.from)
		}
		b.clock.Advance(c.later)
		a := b.do("POST", "/api/v2/auth/login", "", c.body, headers...)
		b.clock.Advance(-c.later)
		if a.status != http.StatusUnauthorized || (a.header.Get(peer.Refused) == "") != c.taken {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	long := b.do("POST", "/api/v2/auth/login", "", strings.Repeat(" ", 2<<20), peer.Header, credential, "X-Forwarded-For", from)
	b.want(long, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	// Nor is memory allocated for a body that is only announced.
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "POST /api/v2/auth/login HTTP/1.1\r\nHost: auth\r\nX-Forwarded-For: %s\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", from, peer.Header, credential, 1<<50, strings.Repeat(" ", 16<<10)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of a pebibyte that is announced: %d", res.StatusCode)
	}
}

// TestUpgradeTakesTheReleaseBefore verifies that requests of the previous release's
// services are accepted only if configured, and a credential with another secret never.
func TestUpgradeTakesTheReleaseBefore(t *testing.T) {
	t.Parallel()
	b := behindSecret(t, true)
	bob := b.signIn("bob@example.com").access
	for name, r := range b.forged() {
		if err := audit.NewRemote(b.base, nil).Record(t.Context(), bob, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.by(b.as("gateway")).signIn("ada@example.com")
	other := peer.NewSigner("gateway", peer.Secrets{strings.ToUpper(peerSecret)}, b.clock.Now)
	b.want(b.by(&http.Client{Transport: other.Transport(http.DefaultTransport)}).do("GET", "/api/v2/auth/me", bob, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
}

// TestWithoutASecretNobodyIsBelieved verifies that with neither a secret nor
// certificates a report counts for the token's user, or for no one, and without an
// address; and that the address of a login is that of the connection.
func TestWithoutASecretNobodyIsBelieved(t *testing.T) {
	t.Parallel()
	b := setupBehind(t, openSQLite(t), testHasher(t), func(now func() time.Time) *peer.Verifier { return peer.NewVerifier(nil, false, now) })
	bob, root := b.signIn("bob@example.com"), b.signIn("root@example.com")
	remote := audit.NewRemote(b.base, b.as("gateway")) // auth has no secret to verify it
	nobody, org := b.counted()
	if err := remote.Record(t.Context(), bob.access, b.forged()["an action of somebody else"]); err == nil {
		t.Error("an action of another person is accepted")
	}
	for name, r := range inventedLimits() {
		if err := remote.Record(t.Context(), "", r); err == nil {
			t.Errorf("a limit with an invented %s is accepted", name)
		}
	}
	if n, o := b.counted(); n != nobody || o != org {
		t.Errorf("%d and %d entries were made", n-nobody, o-org)
	}
	if err := remote.Record(t.Context(), bob.access, b.forged()["a change from an address"]); err != nil {
		t.Error(err)
	}
	if e := b.entries(root.access)[0]; e["actor"] != b.bob.ID || e["address"] != nil && e["address"] != "" {
		t.Errorf("the entry is %v", e)
	}
	for _, after := range []string{"", audit.Times(2)} {
		hit := audit.Report{Note: audit.Note{Action: audit.Limited, Refused: "RATE_LIMITED", Subject: "POST /auth/login", After: after}, Address: "8.8.8.8", RequestID: "Root"}
		if err := remote.Record(t.Context(), "", hit); err != nil {
			t.Error(err)
		}
	}
	if page, _, err := b.store.AuditPage(t.Context(), account.SystemOrg, 0, 1); err != nil || page[0].Address != "" || page[0].RequestID != "" {
		t.Errorf("the entry without an actor is %+v, %v", page, err)
	}
	// A forged event neither prevents the true entry nor counts as it.
	made := audit.Report{Note: audit.Note{Action: "event.sign-off", ID: "e1/8", Actor: b.bob.ID, Subject: "e1"}}
	genuine := audit.Report{Note: audit.Note{Action: "event.sign-off", ID: "e1/8", Actor: b.root.ID, Subject: "e1"}}
	for token, r := range map[string]audit.Report{bob.access: made, root.access: genuine} {
		if err := remote.Record(t.Context(), token, r); err != nil {
			t.Error(err)
		}
	}
	if all := b.entries(root.access); all[0]["action"] != "event.sign-off" || all[1]["action"] != "event.sign-off" || all[0]["actor"] == all[1]["actor"] {
		t.Errorf("the entries are %v and %v", all[0], all[1])
	}

	limited := 0
	for n := range 60 {
		a := b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":"wrong"}`, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", n))
		if a.status == http.StatusTooManyRequests {
			limited++
		}
	}
	page, _, err := b.store.AuditPage(t.Context(), "o1", 0, 5)
	if err != nil || limited < 29 {
		t.Errorf("%d of 60 attempts were refused, %v", limited, err)
	}
	for _, e := range page {
		if strings.HasPrefix(e.Address, "203.0.113.") {
			t.Errorf("an address that was chosen is in %+v", e)
		}
	}
}
