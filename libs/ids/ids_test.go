package ids_test

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/ids"
)

var form = regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{26}$`)

func TestNew(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]func() string{"New": ids.New, "NewRequest": ids.NewRequest} {
		seen := map[string]bool{}
		var used [26]map[byte]bool // the characters of each place
		for range 1000 {
			id := one()
			if !form.MatchString(id) || seen[id] {
				t.Fatalf("%s: %q is malformed or was made before", name, id)
			}
			seen[id] = true
			for i := range used {
				if used[i] == nil {
					used[i] = map[byte]bool{}
				}
				used[i][id[i]] = true
			}
		}
		for i := range used {
			if len(used[i]) != 32 {
				t.Errorf("%s: place %d has %d characters of 32", name, i, len(used[i]))
			}
		}
	}
}

// TestNewGrouped: groups of 64 begin alike, and nothing else of two identifiers does,
// also when many are made at once.
func TestNewGrouped(t *testing.T) {
	t.Parallel()
	const makers, each = 8, 800
	made := make([][]string, makers)
	var wg sync.WaitGroup
	for m := range makers {
		wg.Go(func() {
			for range each {
				made[m] = append(made[m], ids.NewGrouped())
			}
		})
	}
	wg.Wait()
	groups, own := map[string]int{}, map[string]bool{}
	for _, id := range slices.Concat(made...) {
		if !form.MatchString(id) || own[id[10:]] {
			t.Fatalf("%q is malformed, or its own part was made before", id)
		}
		groups[id[:10]]++
		own[id[10:]] = true
	}
	// The first and the last group may have fewer.
	if most := makers*each/64 + 1; len(groups) > most {
		t.Errorf("%d groups of %d identifiers, want at most %d", len(groups), makers*each, most)
	}
	for begin, n := range groups {
		if n > 64 {
			t.Errorf("%d identifiers begin with %s, want at most 64", n, begin)
		}
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
