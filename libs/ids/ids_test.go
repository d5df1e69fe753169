package ids_test

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strconv"
	"testing"

	"github.com/eventcarbon/ecf/libs/ids"
)

var form = regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{26}$`)

func TestNew(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := ids.New()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("%q is malformed or was made before", id)
		}
		seen[id] = true
	}
}

// TestDerive: identifiers are stored, so what a text gives must never change.
func TestDerive(t *testing.T) {
	t.Parallel()
	encoding := base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	for i := range 100 {
		text := "id\x00seed\x00" + strconv.Itoa(i)
		sum := sha256.Sum256([]byte(text))
		if got, want := ids.Derive(text), encoding.EncodeToString(sum[:])[:26]; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
