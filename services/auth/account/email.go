package account

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/eventcarbon/ecf/libs/fields"
)

// maxEmail is the length of the longest deliverable address (RFC 5321 §4.5.3.1).
const maxEmail = 254

// EmailKey returns what an address is found by: without surrounding space, in
// NFC, case-folded, with its domain as it is displayed. Two addresses that people take
// for the same have one key, and so have the two spellings of an internationalized domain,
// bücher.example and xn--bcher-kva.example, which are one mailbox.
func EmailKey(email string) string {
	key := folded(email)
	at := strings.LastIndexByte(key, '@') + 1
	if at == 0 || len(key) > maxEmail {
		return key
	}
	if shown, err := displayed(key[at:]); err == nil {
		return key[:at] + folded(shown)
	}
	return key
}

// EmailKeys returns the keys of the accounts that an address may have: EmailKey and, for an
// internationalized domain, the key that release 2.0 stored for the encoded spelling.
// It is still that of an account which that release created beside another of the same mailbox.
func EmailKeys(email string) []string {
	key := EmailKey(email)
	at := strings.LastIndexByte(key, '@') + 1
	if encoded, err := domains.ToASCII(key[at:]); err == nil && encoded != key[at:] && len(key) <= maxEmail {
		return []string{key, key[:at] + encoded}
	}
	return []string{key}
}

// folded returns a text without surrounding space, in NFC, case-folded.
func folded(text string) string {
	text = cases.Fold().String(norm.NFC.String(strings.TrimSpace(text)))
	// Case folding alone swaps the cases of some Cherokee letters.
	return norm.NFC.String(strings.ToLower(text))
}

// CheckEmail normalizes an address for storage. It asks for what every address has, as
// only the mail server knows more, and that an internationalized one cannot pass for
// another: no invisible characters, one spelling of the domain, and one script in each
// part. The error is an [EmailError].
func CheckEmail(email string) (string, error) {
	e := norm.NFC.String(strings.TrimSpace(email))
	at := strings.LastIndexByte(e, '@')
	switch {
	case !utf8.ValidString(e), len(e) > maxEmail, at < 1, at > 64, at == len(e)-1, strings.Contains(e[:at], "@"):
		return "", errNoEmail
	}
	for _, r := range e {
		switch {
		case fields.Invisible(r) && !unicode.IsSpace(r) && !unicode.IsControl(r):
			return "", &EmailError{Message: fmt.Sprintf("email contains the invisible character %U; write it without.", r)}
		case unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>(),;:\"[]`, r):
			return "", errNoEmail
		}
	}
	domain := e[at+1:]
	if strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return "", errNoEmail
	}
	return e, checkScripts(e[:at], domain)
}

// EmailError is the reason why a text is not accepted as an email address.
type EmailError struct {
	// Message is a sentence about the field email.
	Message string
	// Mixed: the address mixes scripts.
	Mixed bool
}

func (e *EmailError) Error() string { return "account: " + e.Message }

// errNoEmail is the error of a text that is no email address.
var errNoEmail = &EmailError{Message: "email must be an email address, such as name@example.org."}

// domains maps internationalized domain names to the form in which they are displayed.
var domains = idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.BidiRule())

// displayed returns a domain as it is displayed: bücher.example for xn--bcher-kva.example.
func displayed(domain string) (string, error) {
	if !isEncoded(domain) && isASCII(domain) {
		return domain, nil
	}
	return domains.ToUnicode(domain)
}

// isEncoded reports whether a domain has a label that is the encoded form of another text. It
// is the form that browsers send.
func isEncoded(domain string) bool {
	lower := strings.ToLower(domain)
	return strings.HasPrefix(lower, "xn--") || strings.Contains(lower, ".xn--")
}

// checkScripts returns an error for an address that is not ASCII and spells its domain or a
// letter differently from how mail servers read it, or mixes scripts within a part.
func checkScripts(local, domain string) error {
	if i := strings.IndexFunc(local, isCompatible); i >= 0 {
		r, _ := utf8.DecodeRuneInString(local[i:])
		return &EmailError{Message: fmt.Sprintf("email contains %c (%U), which is another form of %q; write that instead.", r, r, norm.NFKC.String(string(r)))}
	}
	shown, err := displayed(domain)
	if err != nil {
		return &EmailError{Message: "email has a domain that is not a valid internationalized domain name."}
	}
	if !isASCII(domain) && !isEncoded(domain) && shown != norm.NFC.String(strings.ToLower(domain)) {
		return &EmailError{Message: fmt.Sprintf("email must have its domain as %q.", shown)}
	}
	for _, part := range append([]string{local}, strings.Split(shown, ".")...) {
		if names := scriptsOf(part); !together(names) {
			return &EmailError{Mixed: true, Message: fmt.Sprintf("email mixes letters of the scripts %s in %q, so that it can pass for another address: %s. Write each part in one script.",
				strings.Join(names, " and "), part, strings.Join(notASCII(part), ", "))}
		}
	}
	return nil
}

// isCompatible reports whether a character is a variant of others, such as a full-width letter.
func isCompatible(r rune) bool {
	return r > unicode.MaxASCII && !norm.NFKC.IsNormalString(string(r))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// scriptsOf returns the names of the scripts of the letters of a text, sorted.
func scriptsOf(text string) (names []string) {
	for _, r := range text {
		if name := scriptOf(r); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// scriptOf returns the name of the script of a character; empty for one of several scripts.
func scriptOf(r rune) string {
	if r <= unicode.MaxASCII {
		if unicode.IsLetter(r) {
			return "Latin"
		}
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Common" || name == "Inherited" {
				return ""
			}
			return name
		}
	}
	return ""
}

// usedTogether are the scripts that are written together: the highly restrictive level of
// Unicode Technical Standard #39, section 5.2.
var usedTogether = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
}

// together reports whether scripts are written together.
func together(names []string) bool {
	return len(names) < 2 || slices.ContainsFunc(usedTogether, func(set []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(set, name) })
	})
}

// notASCII describes the characters of a text that are not ASCII, each once.
func notASCII(text string) (all []string) {
	for _, r := range text {
		if r <= unicode.MaxASCII {
			continue
		}
		name := scriptOf(r)
		if name != "" {
			name = ", " + name
		}
		if d := fmt.Sprintf("%c (%U%s)", r, r, name); !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

// mostNamed is the number of characters that LookAlikes names.
const mostNamed = 12

// LookAlikes names the characters of an address that are not ASCII as it is displayed, since
// each may look like another one; the empty string for none.
func LookAlikes(email string) string {
	at := strings.LastIndexByte(email, '@') + 1
	if shown, err := displayed(email[at:]); err == nil {
		email = email[:at] + shown
	}
	all := notASCII(email)
	if rest := len(all) - mostNamed; rest > 0 {
		all = append(all[:mostNamed], fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(all, ", ")
}
