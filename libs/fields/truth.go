package fields

import (
	"maps"
	"strings"
)

// truths are the words, in small letters, that people write for true and false in
// English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Danish, Swedish,
// Norwegian, Finnish, Czech, Hungarian, Turkish, Romanian, Greek and Japanese.
var truths = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "x": true, "✓": true, "wahr": true, "ja": true, "j": true, "oui": true, "vrai": true, "sí": true, "sì": true, "si": true, "sim": true, "tak": true, "ano": true, "kyllä": true,
	"igen": true, "evet": true, "da": true, "ναι": true, "はい": true, "有": true, "あり": true,
	"false": false, "no": false, "n": false, "0": false, "-": false, "falsch": false, "nein": false, "non": false, "faux": false, "não": false, "nee": false, "nej": false, "nie": false, "nei": false, "ne": false, "ei": false,
	"nem": false, "hayır": false, "hayir": false, "nu": false, "όχι": false, "いいえ": false, "無": false, "なし": false,
}

// Truths returns the words for true and false, in small letters, with their meaning.
func Truths() map[string]bool { return maps.Clone(truths) }

// Truth returns the meaning of a word for true or false; known is false for any other text.
func Truth(word string) (value, known bool) {
	value, known = truths[strings.ToLower(strings.TrimSpace(word))]
	return value, known
}
