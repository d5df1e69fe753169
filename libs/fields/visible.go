package fields

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// brailleBlank is the pattern of Braille without dots, a symbol that is no space.
const brailleBlank = '\u2800'

// Invisible reports whether there is nothing to be seen of a character by itself: spaces,
// control and format characters, and those that Unicode says to ignore where they cannot be
// displayed, such as the Hangul fillers and variation selectors.
func Invisible(c rune) bool {
	return unicode.IsSpace(c) || c == brailleBlank ||
		unicode.In(c, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isBlank reports whether there is nothing to be seen in a text.
func isBlank(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return !Invisible(c) }) < 0
}

// Misleading describes the first character of a text that would mislead those who read the text, or
// what is shown beside it; the empty string for none. Such characters change the direction of what
// follows, control what displays the text, or are never seen. Marks that affect only their
// neighbours, joiners, variation selectors and the tags of flags belong to writing.
func Misleading(text string) string {
	text = afterASCII(text)
	var seen reading
	for i, c := range text {
		if why := seen.next(c); why != "" {
			return why
		}
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return "bytes that are not UTF-8"
		}
	}
	return ""
}

// Legible returns a text with U+FFFD for each character that Misleading describes. It is for what is
// shown without having been checked: names of unknown fields, and texts that were stored before.
func Legible(text string) string {
	if Misleading(text) == "" {
		return text
	}
	var seen reading
	return strings.Map(func(c rune) rune {
		if seen.next(c) != "" {
			return utf8.RuneError
		}
		return c
	}, text)
}

// afterASCII returns the text from its first character that is not printable ASCII: most texts have none.
func afterASCII(text string) string {
	for text != "" && text[0] >= ' ' && text[0] < 0x7f {
		text = text[1:]
	}
	return text
}

// reading is a text that is read character by character.
type reading struct {
	flag bool // the tags of a flag may follow
}

// next describes the next character if it is misleading.
func (r *reading) next(c rune) string {
	flag := r.flag
	r.flag = c == blackFlag || flag && isTag(c)
	switch {
	case c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r' || c == nextLine:
		return ""
	case c == 0:
		return "the character NUL"
	case unicode.IsControl(c):
		return fmt.Sprintf("the control character %U", c)
	case setsDirection(c):
		return fmt.Sprintf("%U, which changes the direction of the text after it", c)
	case c >= '\u206a' && c <= '\u206f', c >= '\ufff9' && c <= '\ufffb', isTag(c) && !flag:
		return fmt.Sprintf("%U, which cannot be seen", c)
	}
	return ""
}

const (
	nextLine  = '\u0085'     // a line break
	blackFlag = '\U0001f3f4' // tags after it make the flag of a region
)

// setsDirection reports whether a character sets the direction of the text after it, also of what
// is not part of the same text: embeddings, overrides and isolates. Marks, which affect only what
// is beside them, do not, and the letters of any script have their own direction.
func setsDirection(c rune) bool {
	return c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069'
}

// isTag reports whether a character is a tag: a copy of an ASCII character that is never shown.
func isTag(c rune) bool { return c >= '\U000e0000' && c <= '\U000e007f' }
