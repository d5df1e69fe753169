package telemetry

import "regexp"

// What must never be in a log, wherever an error text brings it from: the
// driver quotes the duplicate email, a client quotes the address with its
// password.
var (
	redactURL   = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@]*@`)
	redactToken = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){1,2}|(?i:\bbearer)\s+[^\s"',;]+`)
	redactEmail = regexp.MustCompile(`[^\s"'<>(){}\[\]:,;=@/]+@[^\s"'<>(){}\[\]:,;=@/]+`)
)

// Redact takes passwords in addresses, signed tokens and emails out of a text
// that is about to be logged.
func Redact(s string) string {
	s = redactURL.ReplaceAllString(s, "${1}[redacted]@")
	s = redactToken.ReplaceAllString(s, "[token]")
	return redactEmail.ReplaceAllString(s, "[email]")
}
