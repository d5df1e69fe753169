package locations

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// haversine is the textbook formula with the functions of package math.
func haversine(a, b Location) float64 {
	const rad = math.Pi / 180
	x, y := math.Sin((b.Latitude-a.Latitude)*rad/2), math.Sin((b.Longitude-a.Longitude)*rad/2)
	return 2 * EarthRadius * math.Asin(math.Min(1, math.Sqrt(x*x+math.Cos(a.Latitude*rad)*math.Cos(b.Latitude*rad)*y*y)))
}

func TestDistanceIsThatOfTheTextbook(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Location {
			return Location{Latitude: rapid.Float64Range(-90, 90).Draw(t, name), Longitude: rapid.Float64Range(-180, 180).Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		// Opposite places are known to a few tenths of a metre only, by any way
		// to compute the arcsine.
		if got, want := float64(GreatCircleMetres(a, b)), haversine(a, b); math.Abs(got-want) > 0.5001+math.Max(0, want-20_000_000)/10_000 {
			t.Fatalf("%v %v are %v m apart, want %v", a, b, got, want)
		}
	})
}

// TestDistancesArePinned holds the distances between all large airports to what
// they were when first published, on every platform.
func TestDistancesArePinned(t *testing.T) {
	t.Parallel()
	hash := sha256.New()
	var large []Location
	for _, l := range Airports() {
		if l.Large {
			large = append(large, l)
		}
	}
	differ := 0
	for i, a := range large {
		for _, b := range large[i+1:] {
			d := GreatCircleMetres(a, b)
			if float64(d) != math.RoundToEven(haversine(a, b)) {
				differ++
			}
			hash.Write(binary.BigEndian.AppendUint64(nil, uint64(d)))
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != "523230814dee3fed15c3b7113183499972620851884bd331756434cb5ec930d7" {
		t.Errorf("the distances of %d airports have the hash %s", len(large), got)
	}
	if differ > 3 {
		t.Errorf("%d distances differ from the textbook", differ)
	}
}
