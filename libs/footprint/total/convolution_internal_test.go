package total

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// lognormalPart returns the moments of a record of one line.
func lognormalPart(micrograms, billionths int64) wide {
	v := exponential(billionths)
	m := big.NewInt(micrograms)
	second := new(big.Int).Mul(new(big.Int).Sub(v, exponential(0)), m)
	third := new(big.Int).Mul(new(big.Int).Mul(skew(billionths, billionths, billionths), m), m)
	one := exponential(0)
	second.Quo(second.Mul(second, m), one)
	third.Quo(third.Mul(third, m), one)
	return wide{footprint.MassOf(micrograms), second, third}
}

// TestASurveyBesideWhatIsKnown is the example of the methodology: a survey of σ² = 1 with 30 kg and 70 kg that are
// known has the interval 72.56 to 199.18 kg.
func TestASurveyBesideWhatIsKnown(t *testing.T) {
	t.Parallel()
	const kilogram = 1_000_000_000
	w := lognormalPart(30*kilogram, 1_000_000_000)
	got := own{w.Variance, w.Third, []wide{w}}.interval(footprint.MassOf(100 * kilogram))
	for end, want := range map[footprint.Mass]int64{got.Low: 72_563_049_000, got.High: 199_178_786_000} {
		// The table approximates the distribution within a thousandth of the figure.
		if d := end.Sub(footprint.MassOf(want)); d.Cmp(footprint.MassOf(kilogram/10)) > 0 || d.Cmp(footprint.MassOf(-kilogram/10)) < 0 {
			t.Errorf("an end is %s, want %d", end, want)
		}
	}
}

// TestTheWidestPartsAreKept adds wide records in any order and grouping: the same six remain, and the stored form is decoded
// correctly.
func TestTheWidestPartsAreKept(t *testing.T) {
	t.Parallel()
	const seed = 61
	random := rand.New(rand.NewPCG(seed, 0))
	parts := make([]own, 9)
	for i := range parts {
		w := lognormalPart(int64(1+i%4)*1_000_000, 600_000_000+int64(i)*10_000_000)
		parts[i] = own{w.Variance, w.Third, []wide{w}}
	}
	var want own
	for _, p := range parts {
		want = want.add(p)
	}
	if len(want.Wide) != maxWide {
		t.Fatalf("%d wide records stay", len(want.Wide))
	}
	for range 20 {
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		at := 1 + random.IntN(len(parts)-1)
		var a, b own
		for i, p := range parts {
			if i < at {
				a = a.add(p)
			} else {
				b = b.add(p)
			}
		}
		if got := a.add(b); text(got, footprint.Engine5) != text(want, footprint.Engine5) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	var p entries
	p.start(text(want, footprint.Engine5))
	if got := p.own(footprint.Engine5); p.bad || !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, written %v", got, want)
	}
	if text := text(want, footprint.Engine4); text != fmt.Sprintf("%s|%s", want.Variance, want.Third) {
		t.Errorf("engine 2.2.0 stores %s", text)
	}
	for name, text := range map[string]string{"out of order": "9|9|1:2:3,2:3:4", "no mass": "9|9|0:2:3", "seven": "9|9|1:1:9,1:1:8,1:1:7,1:1:6,1:1:5,1:1:4,1:1:3", "a part less": "9|9|1:2"} {
		p := entries{}
		if p.start(text); !p.bad {
			if p.own(footprint.Engine5); !p.bad {
				t.Errorf("%s is read", name)
			}
		}
	}
}

// text returns the stored form of moments.
func text(o own, engine string) string { return string(o.appendText(nil, engine)) }
