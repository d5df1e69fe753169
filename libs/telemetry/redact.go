package telemetry

import "regexp"

// What must never be logged, wherever an error text contains it: a database driver
// quotes the duplicate email address, a client the URL with its password.
var (
	redactURL   = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@]*@`)
	redactToken = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){1,2}|(?i:\bbearer)\s+[^\s"',;]+`)
	redactEmail = regexp.MustCompile(`[^\s"'<>(){}\[\]:,;=@/]+@[^\s"'<>(){}\[\]:,;=@/]+`)
)

// Redact removes passwords in URLs, signed tokens and email addresses from a text to be
// logged.
func Redact(s string) string {
	s = redactURL.ReplaceAllString(s, "${1}[redacted]@")
	s = redactToken.ReplaceAllString(s, "[token]")
	return redactEmail.ReplaceAllString(s, "[email]")
}
