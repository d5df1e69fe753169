package sheet

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// guard is the prefix of a text that a spreadsheet would interpret as a formula.
const guard = '\''

// formula reports whether programs are known to execute or change cells that begin with r: formulas, also in
// full-width characters, and the prefix of Guard itself.
func formula(r rune) bool {
	switch r {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠', guard:
		return true
	}
	return false
}

// separates reports whether a cell may begin after r where a program takes another character than the comma for the
// separator: it knows no quotes then but those at the beginning of what it takes for a cell.
func separates(r rune) bool { return r == ';' || r == '\t' || r == '\r' || r == '\n' }

// Guard makes a text safe to open in a spreadsheet: if it begins with one of = + - @ tab, a line break, or an
// apostrophe, or consists of blanks, which would be read as an empty cell, it is prefixed with an apostrophe; and so is
// = + - @ or an apostrophe after a semicolon, a tab or a line break in it, where a program with another separator begins
// a cell. Unguard is the inverse.
func Guard(text string) string {
	inner := guardInner(text)
	if guarded(text) {
		return string(guard) + inner
	}
	return inner
}

func guarded(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (formula(r) || r != ';' && separates(r) || strings.TrimSpace(text) == "")
}

func guardInner(text string) string {
	return afterSeparators(text, func(r rune, _ string) (string, bool) { return string(guard) + string(r), formula(r) })
}

// afterSeparators returns a text with the characters after separators replaced, where replaced says so; rest is what
// follows the character.
func afterSeparators(text string, replaced func(r rune, rest string) (string, bool)) string {
	if !strings.ContainsAny(text, ";\t\r\n") {
		return text
	}
	var b strings.Builder
	for begins := false; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		other, replace := "", false
		if begins {
			other, replace = replaced(r, text[size:])
		}
		if !replace {
			other = text[:size]
		}
		b.WriteString(other)
		begins, text = separates(r), text[size:]
	}
	return b.String()
}

// Unguard is the inverse of Guard. A cell that Guard cannot have produced, such as 'tis, is unchanged.
func Unguard(cell string) string {
	text := afterSeparators(cell, func(r rune, rest string) (string, bool) {
		next, _ := utf8.DecodeRuneInString(rest)
		return "", r == guard && formula(next)
	})
	if rest, ok := strings.CutPrefix(text, string(guard)); ok && guarded(rest) {
		return rest
	}
	return text
}

// guardJSON makes a JSON value safe like Guard: a character that would begin a formula after a semicolon, the only
// separator that the text of a JSON value has, is written as its escape.
func guardJSON(value string) string {
	return afterSeparators(value, func(r rune, _ string) (string, bool) { return fmt.Sprintf(`\u%04x`, r), formula(r) })
}
