package session

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

const (
	accessCookie  = "access"
	refreshCookie = "refresh"
)

// jar knows the names of the cookies of one origin. Over https they have the
// prefix __Host-, which no other host and no page over http can set. Over http
// only a loopback address has cookies; they are shared by all its ports, so the
// port is in their names.
type jar struct {
	prefix string
	secure bool
}

// jarOf returns the jar of an origin; false where there is none.
func jarOf(scheme, host string) (jar, bool) {
	if scheme == "https" {
		return jar{prefix: "__Host-ecf-", secure: true}, true
	}
	if !isLoopback(host) {
		return jar{}, false
	}
	port := "80"
	if _, p, err := net.SplitHostPort(host); err == nil && p != "" {
		port = p
	}
	return jar{prefix: "ecf-" + port + "-"}, true
}

// read returns the value of a cookie; empty when it is not there, or is there
// more than once.
func (j jar) read(c *fiber.Ctx, name string) string {
	value, seen := "", 0
	for k, v := range c.Request().Header.Cookies() {
		if string(k) == j.prefix+name {
			value = string(v)
			seen++
		}
	}
	if seen != 1 {
		return ""
	}
	return value
}

func (j jar) set(c *fiber.Ctx, name, value string, age time.Duration) {
	c.Cookie(&fiber.Cookie{
		Name: j.prefix + name, Value: value, Path: "/", MaxAge: int(age.Seconds()),
		Secure: j.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode,
	})
}

func (j jar) clear(c *fiber.Ctx) {
	for _, name := range []string{accessCookie, refreshCookie} {
		c.Cookie(&fiber.Cookie{
			Name: j.prefix + name, Path: "/", Expires: time.Unix(1, 0),
			Secure: j.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode,
		})
	}
}

// expired reports whether an access token says that its time is over.
func expired(token string, now time.Time) bool {
	claims, ok := claimsOf(token)
	return !ok || now.Unix()+5 >= int64(claims.Exp)
}

// organizationOf returns the organization that an access token says it is for; empty
// where it cannot be read.
func organizationOf(token string) string {
	claims, _ := claimsOf(token)
	return claims.Org
}

type claims struct {
	Exp float64 `json:"exp"`
	Org string  `json:"org"`
}

// claimsOf reads what an access token says. It is not verified here; whoever takes it
// does that.
func claimsOf(token string) (claims, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return claims{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return claims{}, false
	}
	var said claims
	return said, json.Unmarshal(text, &said) == nil
}
