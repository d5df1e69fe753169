package auth_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// BenchmarkRefusedLogin shows statement 1 in time: the three must be alike.
func BenchmarkRefusedLogin(b *testing.B) {
	service := benchService(b)
	for _, c := range []struct{ what, email string }{{"wrong password", "ada@example.com"}, {"unknown email", "nobody@example.com"}, {"disabled", "off@example.com"}} {
		b.Run(c.what, func(b *testing.B) {
			post(b, service, "login", fmt.Sprintf(`{"email":%q,"password":"wrong"}`, c.email), http.StatusUnauthorized)
		})
	}
}

// BenchmarkLogin and BenchmarkRefresh are what a client waits for.
func BenchmarkLogin(b *testing.B) {
	post(b, benchService(b), "login", `{"email":"ada@example.com","password":"`+goodPass+`"}`, http.StatusOK)
}

func BenchmarkRefresh(b *testing.B) {
	service := benchService(b)
	_, body := call(b, service, "login", `{"email":"ada@example.com","password":"`+goodPass+`"}`)
	_, rest, _ := strings.Cut(body, `"refreshToken":"`)
	token, _, _ := strings.Cut(rest, `"`)
	post(b, service, "refresh", `{"refreshToken":"`+token+`"}`, http.StatusOK)
}

func benchService(b *testing.B) *auth.Service {
	b.Helper()
	db, err := sqlitex.Open(b.Context(), filepath.Join(b.TempDir(), "auth.db"), sqlitestore.Schema()...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	keys, err := keyring.Open(keyring.Options{Dir: b.TempDir(), TokenLife: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	service, err := auth.New(auth.Config{Issuer: issuer, AccessTokenTTL: time.Hour, RefreshTokenTTL: time.Hour, AccountLimit: ratelimit.Rule{Limit: 1 << 20, Window: time.Second}}, auth.Deps{
		Store: sqlitestore.New(db), Keys: keys, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, email := range []string{"ada@example.com", "off@example.com"} {
		u, _, err := service.CreateUser(b.Context(), auth.NewUser{Org: "o1", Email: email, Role: identity.User, Password: goodPass})
		if err != nil {
			b.Fatal(err)
		}
		if strings.HasPrefix(email, "off") {
			if err := service.DisableUser(b.Context(), "o1", u.ID); err != nil {
				b.Fatal(err)
			}
		}
	}
	return service
}

func call(b *testing.B, service *auth.Service, route, body string) (int, string) {
	b.Helper()
	req := httptest.NewRequest(http.MethodPost, "/api/v2/auth/"+route, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	res, err := service.App().Test(req, -1)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text := make([]byte, 8192)
	n, _ := res.Body.Read(text)
	return res.StatusCode, string(text[:n])
}

func post(b *testing.B, service *auth.Service, route, body string, want int) {
	b.Helper()
	for b.Loop() {
		if status, answer := call(b, service, route, body); status != want {
			b.Fatalf("%d %s", status, answer)
		}
	}
}
