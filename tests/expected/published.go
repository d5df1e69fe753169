package expected

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// factor is a published figure as its table prints it.
type factor struct {
	perUnit string // kg CO2e per unit
	wtt     string // its well-to-tank part, kg CO2e per unit; empty if not published
	unit    string
}

type position struct{ latitude, longitude float64 }

// published has the parts of the reference tables that the example needs.
type published struct {
	factors  map[string]factor
	defaults map[string]string // figures such as the energy use of a kind of building
	airports map[string]position
}

// readPublished reads the reference tables in a folder.
func readPublished(folder string) (*published, error) {
	p := &published{factors: map[string]factor{}, defaults: map[string]string{}, airports: map[string]position{}}
	for _, name := range []string{"flights", "accommodation", "grid_electricity", "venue_energy", "waste"} {
		err := eachRow(filepath.Join(folder, name+".csv"), func(cell func(string) string) error {
			if cell("verified") == "yes" {
				p.factors[cell("factor_id")] = factor{cell("kgco2e_per_unit"), cell("wtt_kgco2e_per_unit"), cell("unit")}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := p.upstreamOf("FR", "2023", folder); err != nil {
		return nil, err
	}
	err := eachRow(filepath.Join(folder, "activity_defaults.csv"), func(cell func(string) string) error {
		p.defaults[cell("default_id")] = cell("value")
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachRow(filepath.Join(folder, "airports.csv"), func(cell func(string) string) error {
		latitude, err := strconv.ParseFloat(cell("lat"), 64)
		if err != nil {
			return err
		}
		longitude, err := strconv.ParseFloat(cell("lon"), 64)
		if err != nil {
			return err
		}
		p.airports[cell("iata")] = position{latitude, longitude}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// upstreamOf calculates how much the life-cycle figure of a country's grid exceeds the
// generation figure that the European Environment Agency publishes for the same year.
func (p *published) upstreamOf(country, year, folder string) (err error) {
	file, err := os.Open(filepath.Join(folder, "grid_by_year.csv.gz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	whole := ""
	if err := eachRowOf(plain, func(cell func(string) string) error {
		if cell("region") == country && cell("year") == year && strings.HasPrefix(cell("boundary"), "life cycle") {
			whole = cell("kgco2e_per_kwh")
		}
		return nil
	}); err != nil {
		return err
	}
	code := strings.ToLower(country)
	lifeCycle, err := rational(whole)
	if err != nil {
		return err
	}
	generation, err := rational(p.factors["elec."+code+".eea."+year].perUnit)
	if err != nil {
		return err
	}
	p.factors["elec."+code+".upstream."+year] = factor{perUnit: decimals(lifeCycle.Sub(lifeCycle, generation)), unit: "kWh"}
	return nil
}

// eachRow calls do with each row of a table; cell returns a cell by the name of its
// column, or "" if the table lacks the column.
func eachRow(path string, do func(cell func(string) string) error) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := eachRowOf(file, do); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func eachRowOf(from io.Reader, do func(cell func(string) string) error) error {
	rows, err := csv.NewReader(from).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("no header")
	}
	for i, row := range rows[1:] {
		cell := func(column string) string {
			for k, name := range rows[0] {
				if name == column {
					return row[k]
				}
			}
			return ""
		}
		if err := do(cell); err != nil {
			return fmt.Errorf("row %d: %w", i+2, err)
		}
	}
	return nil
}

// earthRadiusKm is the mean radius of the Earth (IUGG).
const earthRadiusKm = 6371.0088

// metres returns the great-circle distance by the haversine formula, not rounded. The
// conversions to float64 prevent fused operations on every platform.
func metres(a, b position) float64 {
	const radians = math.Pi / 180
	north := math.Sin(float64(float64(b.latitude-a.latitude) * radians / 2))
	east := math.Sin(float64(float64(b.longitude-a.longitude) * radians / 2))
	parallels := float64(math.Cos(float64(a.latitude*radians)) * math.Cos(float64(b.latitude*radians)))
	h := float64(north*north) + float64(parallels*float64(east*east))
	return float64(2*earthRadiusKm*1000) * math.Asin(math.Sqrt(min(1, h)))
}

// kilometres returns the distance between two airports, rounded half to even to whole
// metres.
func (p *published) kilometres(from, to string) (*big.Rat, error) {
	a, ok := p.airports[from]
	if !ok {
		return nil, fmt.Errorf("no airport %s", from)
	}
	b, ok := p.airports[to]
	if !ok {
		return nil, fmt.Errorf("no airport %s", to)
	}
	return big.NewRat(int64(math.RoundToEven(metres(a, b))), 1000), nil
}
