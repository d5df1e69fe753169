package fields_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/fields"
)

// TestTruth: yes and no in every language whose headings are known.
func TestTruth(t *testing.T) {
	t.Parallel()
	for yes, no := range map[string]string{
		"Yes": "No", "Ja": "Nein", "Oui": "Non", "Sí": "no", "sim": "não", "tak": "nie", "ano": "ne", "kyllä": "ei",
		"Igen": "Nem", "Evet": "Hayır", "Da": "Nu", "Ναι": "Όχι", "はい": "いいえ", "あり": "なし",
	} {
		if value, known := fields.Truth(yes); !value || !known {
			t.Errorf("%s is %v, %v", yes, value, known)
		}
		if value, known := fields.Truth(no); value || !known {
			t.Errorf("%s is %v, %v", no, value, known)
		}
	}
}
