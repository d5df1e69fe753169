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

// jar knows the cookie names of one origin. Over https they have the prefix __Host-,
// which no other host and no page over http can set. Over http only a loopback address
// has cookies; all its ports share them, so the names contain the port.
type jar struct {
	prefix string
	secure bool
}

// jarOf returns the jar of an origin, or false if it may not have cookies.
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

// read returns the value of a cookie, or the empty string if it occurs not exactly
// once.
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

// expired reports whether an access token has expired, according to its claims.
func expired(token string, now time.Time) bool {
	claims, ok := claimsOf(token)
	return !ok || now.Unix()+5 >= int64(claims.Exp)
}

// organizationOf returns the organization in the claims of an access token, or the
// empty string if they cannot be read.
func organizationOf(token string) string {
	claims, _ := claimsOf(token)
	return claims.Org
}

type claims struct {
	Exp float64 `json:"exp"`
	Org string  `json:"org"`
}

// claimsOf decodes the claims of an access token without verifying it; whoever accepts
// the token does that.
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
