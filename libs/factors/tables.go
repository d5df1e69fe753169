package factors

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// read parses one embedded table; the generator documents its lines.
func read(path string) (*Set, error) {
	text, err := setFiles.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	s := &Set{
		Checksum: hex.EncodeToString(sum[:]),
		factors:  make([]Factor, 0, 1200),
		byID:     make(map[string]int, 1300),
		bySeries: make(map[string]int, 1300),
		defaults: make(map[string]Default),
		pedigree: make(map[pedigreeKey]decimal.Decimal),
	}
	p := parser{set: s, texts: make(map[string]string, 600)}
	for line := range strings.Lines(string(text)) {
		if err := p.line(strings.Split(strings.TrimSuffix(line, "\n"), "\t")); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, line, err)
		}
	}
	return s, nil
}

type parser struct {
	set   *Set
	texts map[string]string // kind + number → text
}

func (p *parser) line(c []string) error {
	s := p.set
	switch kind := c[0]; {
	case kind == "set" && len(c) == 3:
		year, err := strconv.Atoi(c[2])
		s.ID, s.Year = c[1], year
		return err
	case (kind == "source" || kind == "place" || kind == "licence") && len(c) == 3:
		p.texts[kind+c[1]] = c[2]
		return nil
	case kind == "factor" && len(c) == 18:
		return p.factor(c[1:])
	case kind == "default" && len(c) == 11:
		year, err := yearOf(c[7])
		if err != nil {
			return err
		}
		value, err := decimal.Parse(c[4])
		s.defaults[c[1]] = Default{ID: c[1], Quantity: c[2], Detail: c[3], Value: value, Unit: c[5], Region: c[6], Year: year,
			Source: p.texts["source"+c[8]], SourceLocation: p.texts["place"+c[9]], Licence: p.texts["licence"+c[10]]}
		return err
	case kind == "range" && len(c) == 4:
		return p.rangeOf(c[1:])
	case kind == "pedigree" && len(c) == 4:
		score, err := strconv.Atoi(c[2])
		if err != nil {
			return err
		}
		s.pedigree[pedigreeKey{c[1], score}], err = decimal.Parse(c[3])
		return err
	}
	return fmt.Errorf("a line of %d cells is no %s", len(c), c[0])
}

func (p *parser) factor(c []string) error {
	f := Factor{ID: c[0], Series: c[1], Category: c[2], Activity: c[3], Detail: c[4], Unit: c[5], Region: c[11],
		Source: p.texts["source"+c[13]], SourceLocation: p.texts["place"+c[14]], Licence: p.texts["licence"+c[15]],
		Fallback: c[16] != "", Index: len(p.set.factors)}
	var err error
	if f.KgCO2e, err = decimal.Parse(c[6]); err != nil {
		return err
	}
	for i, v := range []*Value{&f.CO2, &f.CH4, &f.N2O, &f.WTT} {
		if text := c[7+i]; text != "" {
			v.Published = true
			if v.Decimal, err = decimal.Parse(text); err != nil {
				return err
			}
		}
	}
	if f.Year, err = yearOf(c[12]); err != nil {
		return err
	}
	if f.BiogenicCO2, err = biogenic(f.Detail); err != nil {
		return err
	}
	p.set.byID[f.ID] = f.Index
	p.set.bySeries[f.Series] = f.Index
	p.set.factors = append(p.set.factors, f)
	return nil
}

// rangeOf reads the published range of a row that was read before.
func (p *parser) rangeOf(c []string) error {
	low, err := decimal.Parse(c[1])
	if err != nil {
		return err
	}
	high, err := decimal.Parse(c[2])
	if err != nil {
		return err
	}
	from, to := Value{Decimal: low, Published: true}, Value{Decimal: high, Published: true}
	if i, ok := p.set.byID[c[0]]; ok {
		p.set.factors[i].Low, p.set.factors[i].High = from, to
		return nil
	}
	d, ok := p.set.defaults[c[0]]
	if !ok {
		return fmt.Errorf("a range of the unknown row %s", c[0])
	}
	d.Low, d.High = from, to
	p.set.defaults[c[0]] = d
	return nil
}

func yearOf(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}

// biogenic reads the biogenic CO2 that the text of a biofuel's row states:
// "… outside of scopes: 2.43 kg CO2 per litre".
func biogenic(detail string) (Value, error) {
	_, text, ok := strings.Cut(detail, "outside of scopes")
	if !ok {
		return Value{}, nil
	}
	figure, _, ok := strings.Cut(strings.TrimLeft(text, ": "), " kg ")
	if !ok {
		return Value{}, fmt.Errorf("no biogenic CO2 in %q", detail)
	}
	d, err := decimal.Parse(figure)
	return Value{Decimal: d, Published: true}, err
}
