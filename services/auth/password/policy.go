package password

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The length of a new password in characters, after NFC (NIST SP 800-63B-4: at least 15
// if the password is the only factor; a maximum of at least 64).
const (
	MinLength = 15
	MaxLength = 128
)

// Codes of the faults of a new password. They are part of the API.
const (
	TooShort = "TOO_SHORT"
	TooLong  = "TOO_LONG"
	Common   = "COMMON_PASSWORD"
)

// Fault is why a new password is refused. Its message never holds the password.
type Fault struct{ Code, Message string }

// Error implements error.
func (f *Fault) Error() string { return f.Message }

// Policy knows the passwords that everybody tries first.
type Policy struct{ words map[string]bool }

// words.txt has the parts of which guessed passwords are made: the most used passwords,
// keyboard walks, first names, months, seasons, and the name of this product. One per
// line, in lower case.
//
//go:embed words.txt
var wordList string

// NewPolicy reads the list in the binary.
func NewPolicy() *Policy {
	p := &Policy{words: map[string]bool{}}
	for line := range strings.Lines(wordList) {
		if w := strings.TrimSpace(line); w != "" && !strings.HasPrefix(w, "#") {
			p.words[w], p.words[plain(w)] = true, true
		}
	}
	return p
}

// minOwn is how many characters of a password must not be part of common words or
// patterns.
const minOwn = 6

// Check returns nil for a password that may be set. There are no rules of
// composition: any characters do, if they are long enough and not what
// everybody tries first. Parts of the account (its email, its name) count as
// that, too.
func (p *Policy) Check(password string, account ...string) *Fault {
	text := norm.NFC.String(password)
	switch n := utf8.RuneCountInString(text); {
	case n < MinLength:
		return &Fault{TooShort, fmt.Sprintf("The password must have at least %d characters; it has %d.", MinLength, n)}
	case n > MaxLength:
		return &Fault{TooLong, fmt.Sprintf("The password may have at most %d characters; it has %d.", MaxLength, n)}
	}
	own := map[string]bool{}
	for _, a := range account {
		whole := strings.ToLower(norm.NFC.String(a))
		parts := strings.FieldsFunc(whole, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, part := range append(parts, whole) {
			if len(part) >= 4 {
				own[part], own[plain(part)] = true, true
			}
		}
	}
	lower := strings.ToLower(text)
	if min(p.unguessable(lower, own), p.unguessable(plain(lower), own)) < minOwn {
		return &Fault{Common, "The password is one of those that are tried first: common words, repetitions, rows of keys, or parts of the account. Take another."}
	}
	return nil
}

// plain undoes common substitutions in words: characters that look like letters.
func plain(lower string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', '!':
			return 'i'
		case '3', '€':
			return 'e'
		case '4', '@':
			return 'a'
		case '5', '$':
			return 's'
		case '7':
			return 't'
		}
		return r
	}, lower)
}

// maxWord is longer than any entry of the list, in characters.
const maxWord = 32

// unguessable counts the characters of s that remain when it is covered as far as
// possible by listed words, by repetitions of earlier parts, and by sequences (abc,
// 321, aaa).
func (p *Policy) unguessable(text string, own map[string]bool) int {
	s := []rune(text)
	least := make([]int, len(s)+1) // least[i]: of the first i characters
	for i := 1; i <= len(s); i++ {
		least[i] = least[i-1] + 1
		for j := max(0, i-MaxLength); j <= i-3; j++ {
			part := s[j:i]
			cost := least[j]
			switch {
			case len(part) <= maxWord && p.words[string(part)], own[string(part)]:
			case follows(part):
			case j >= len(part) && occurs(s[:j], part):
			default:
				continue
			}
			least[i] = min(least[i], cost)
		}
	}
	return least[len(s)]
}

// follows reports whether the characters ascend, descend or stay the same, one by one.
func follows(s []rune) bool {
	step := s[1] - s[0]
	if step < -1 || step > 1 {
		return false
	}
	for i := 2; i < len(s); i++ {
		if s[i]-s[i-1] != step {
			return false
		}
	}
	return true
}

func occurs(in, part []rune) bool {
	return strings.Contains(string(in), string(part))
}
