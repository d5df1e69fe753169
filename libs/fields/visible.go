package fields

import (
	"strings"
	"unicode"
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
