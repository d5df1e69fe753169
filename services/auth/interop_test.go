package auth_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestStockClientTakesTheIDToken verifies that a standard OpenID Connect client accepts
// the discovery document, the key set and the ID token, and rejects the access token in
// its place (statement 9).
func TestStockClientTakesTheIDToken(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{identity.AlgEdDSA, identity.AlgES256} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			uri, name := testkit.MongoDB(t)
			base, e := process(t, map[string]string{"ECF_MONGODB_AUTH_URI": withDatabase(uri, name), "ECF_DATA_DIR": dir, "ECF_SIGNING_ALGORITHM": algorithm, "ECF_ISSUER": "http://ecf.test"})
			operator(t, e)
			b := &bundle{t: t, base: base}
			in := b.signIn("ada@example.com")

			// The client knows only the issuer's name; the dialer connects it to the
			// server.
			transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(base, "http://"))
			}}
			t.Cleanup(transport.CloseIdleConnections)
			ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: transport})
			provider, err := oidc.NewProvider(ctx, "http://ecf.test")
			if err != nil {
				t.Fatal(err)
			}
			token, err := provider.Verifier(&oidc.Config{ClientID: identity.ClientID}).Verify(ctx, in.id)
			if err != nil {
				t.Fatal(err)
			}
			var claims identity.IDClaims
			if err := token.Claims(&claims); err != nil {
				t.Fatal(err)
			}
			if token.Issuer != "http://ecf.test" || claims.Email != "ada@example.com" || claims.Org != "o1" || claims.Role != "admin" || claims.AuthTime == 0 {
				t.Errorf("%+v, %+v", token, claims)
			}
			for what, wrong := range map[string]string{"the access token": in.access, "a changed token": in.id[:len(in.id)-4] + "AAAA"} {
				if _, err := provider.Verifier(&oidc.Config{ClientID: identity.ClientID}).Verify(ctx, wrong); err == nil {
					t.Errorf("the client takes %s", what)
				}
			}
		})
	}
}
