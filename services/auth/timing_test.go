package auth_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// Statement 1: that an email has no account, that its password is wrong, and
// that its user is disabled take the same time. The distributions are compared
// by ranks, so that a few slow answers on a busy machine decide nothing, and the
// three kinds take turns, so that each meets the same load.
func TestRefusedLoginsTakeTheSameTime(t *testing.T) {
	// Not parallel: it measures time.
	hasher, err := password.New(password.Options{Params: password.Params{MemoryKiB: 4 << 10, Time: 1, Threads: 1}, Slots: 1, Queue: 9, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := setupWith(t, openSQLite(t), hasher)
	off := b.user("o2", "off@example.org", "", identity.User)
	if err := b.service.DisableUser(t.Context(), "o2", off.ID); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"ada@example.com", "nobody@example.com", "off@example.org"}
	const rounds = 200
	var taken [3][]float64
	for round := range rounds + 10 {
		if round%25 == 0 {
			b.clock.Advance(16 * time.Minute) // or the limit per account would answer
		}
		for turn := range kinds {
			kind := (turn + round) % len(kinds)
			began := time.Now()
			a := b.do("POST", "/api/v2/auth/login", "", `{"email":"`+kinds[kind]+`","password":"wrong"}`)
			took := time.Since(began)
			b.want(a, http.StatusUnauthorized, "UNAUTHENTICATED")
			if round >= 10 { // the first ones open connections and prepare statements
				taken[kind] = append(taken[kind], took.Seconds())
			}
		}
	}
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		x, y := taken[pair[0]], taken[pair[1]]
		if z := rankDifference(x, y); math.Abs(z) > 5 {
			t.Errorf("%s and %s differ: z = %.1f, medians %s and %s", kinds[pair[0]], kinds[pair[1]], z, median(x), median(y))
		}
	}
	// That the comparison can fail.
	slower := slices.Clone(taken[0])
	for i := range slower {
		slower[i] *= 1.5
	}
	if z := rankDifference(taken[0], slower); math.Abs(z) < 5 {
		t.Errorf("the comparison does not see answers that take half as long again: z = %.1f", z)
	}
}

// rankDifference is the z of the rank sum test of Mann and Whitney: how many
// standard deviations the ranks of x are from those of an equal distribution.
func rankDifference(x, y []float64) float64 {
	above := 0.0
	for _, a := range x {
		for _, b := range y {
			switch {
			case a > b:
				above++
			case a == b:
				above += 0.5
			}
		}
	}
	n, m := float64(len(x)), float64(len(y))
	return (above - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}

func median(x []float64) string {
	sorted := slices.Sorted(slices.Values(x))
	return fmt.Sprintf("%.2f ms", 1000*sorted[len(sorted)/2])
}
