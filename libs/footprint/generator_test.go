package footprint_test

import (
	"fmt"
	"math/big"
	"regexp"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

var burns = regexp.MustCompile(`at ([0-9.]+) % load burn ([0-9.]+) litres an hour, ([0-9.]+) litres in ([0-9.]+) hours`)

// The rate in a notice times the hours equals the litres in it.
func TestGeneratorRateTimesHoursIsTheLitres(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, load, rate string }{
		{`{"source":"diesel","generatorKVA":100,"hours":36}`, "35", "10.912"},
		{`{"source":"diesel","generatorKVA":100,"hours":1,"loadPercent":37.5}`, "37.5", ""},
		{`{"source":"diesel","generatorKVA":7,"hours":744}`, "35", ""},
		{`{"source":"diesel","generatorKVA":333.3,"hours":0.25,"loadPercent":61}`, "61", ""},
		{`{"source":"diesel","generatorKVA":1111,"hours":8760,"loadPercent":33.3}`, "33.3", ""},
	} {
		d, err := footprint.Decode("energy", []byte(c.body), book)
		if err != nil {
			t.Fatal(c.body, faults(t, "energy", c.body, book))
		}
		var said []string
		for _, n := range total.PreviewOf(&d.Evaluation, book.FactorSet).Notices {
			if n.Code == footprint.NoticeGenerator {
				said = burns.FindStringSubmatch(n.Message)
			}
		}
		if said == nil {
			t.Fatalf("%s: no such notice", c.body)
		}
		number := func(text string) *big.Rat {
			n, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatal(text)
			}
			return n
		}
		product := new(big.Rat).Mul(number(said[2]), number(said[4]))
		off := new(big.Rat).Abs(new(big.Rat).Sub(product, number(said[3])))
		if off.Cmp(big.NewRat(1, 2000)) > 0 || said[1] != c.load || c.rate != "" && said[2] != c.rate {
			t.Errorf("%s: %s; the product is %s", c.body, fmt.Sprint(said[0]), product.FloatString(6))
		}
	}
}
