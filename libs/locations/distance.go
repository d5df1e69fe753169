package locations

import "math"

// EarthRadius is the mean radius of the earth in metres.
const EarthRadius = 6371008.8

// GreatCircleMetres is the length of the great circle between two places on a
// sphere of the mean earth radius, by the haversine formula, rounded half-even
// to whole metres.
//
// It is the same on every platform: a distance is the input of a footprint that
// others must be able to compute again. The functions of package math are not,
// because processors that fuse a multiplication with an addition round them
// differently. So sine, cosine and arctangent are worked out here, where every
// product is rounded by a conversion; only the square root, which the standard
// of floating point rounds exactly, is that of math.
func GreatCircleMetres(a, b Location) int64 {
	const rad = math.Pi / 180
	lat1, lat2 := float64(a.Latitude*rad), float64(b.Latitude*rad)
	_, cos1 := sinCos(lat1)
	_, cos2 := sinCos(lat2)
	sinLat, _ := sinCos(float64(float64(lat2-lat1) / 2))
	sinLon, _ := sinCos(float64(float64(float64(b.Longitude-a.Longitude)*rad) / 2))
	h := float64(sinLat*sinLat) + float64(float64(cos1*cos2)*float64(sinLon*sinLon))
	h = math.Min(1, h)
	return int64(math.RoundToEven(float64(2 * EarthRadius * angle(math.Sqrt(h), math.Sqrt(1-h)))))
}

// sinCos returns the sine and the cosine of an angle without their signs, for
// -π ≤ x ≤ π: the formula needs squares, and cosines of latitudes.
func sinCos(x float64) (sin, cos float64) {
	x = math.Abs(x)
	if x > math.Pi/2 {
		x = math.Pi - x
	}
	if x > math.Pi/4 {
		cos, sin = series(math.Pi/2 - x)
		return sin, cos
	}
	return series(x)
}

// series returns sine and cosine by their power series, for 0 ≤ x ≤ π/4, with a remainder below 10^-17.
func series(x float64) (sin, cos float64) {
	const terms = 18
	square := float64(x * x)
	sin, cos = 1, 1
	for n := terms; n > 0; n -= 2 {
		cos = 1 - float64(float64(square/float64(n*(n-1)))*cos)
		sin = 1 - float64(float64(square/float64(n*(n+1)))*sin)
	}
	return float64(x * sin), cos
}

// angle returns the angle between 0 and π/2 of a sine and a cosine.
func angle(sin, cos float64) float64 {
	if sin > cos {
		return math.Pi/2 - angle(cos, sin)
	}
	// Halve the angle three times, so that its series ends soon.
	x := float64(sin / cos)
	for range 3 {
		x = float64(x / (1 + math.Sqrt(1+float64(x*x))))
	}
	square := float64(x * x)
	sum := 0.0
	for n := 23; n > 0; n -= 2 {
		sum = 1/float64(n) - float64(square*sum)
	}
	return float64(8 * float64(x*sum))
}
