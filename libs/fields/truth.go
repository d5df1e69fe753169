package fields

import "strings"

// truths are the words, in small letters, that people write for true and false in
// English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Danish and Swedish.
var truths = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "x": true, "✓": true, "wahr": true, "ja": true, "j": true, "oui": true, "vrai": true, "sí": true, "sì": true, "sim": true, "tak": true,
	"false": false, "no": false, "n": false, "0": false, "-": false, "falsch": false, "nein": false, "non": false, "faux": false, "não": false, "nee": false, "nej": false, "nie": false,
}

// Truth returns the meaning of a word for true or false; known is false for any other text.
func Truth(word string) (value, known bool) {
	value, known = truths[strings.ToLower(strings.TrimSpace(word))]
	return value, known
}
