package locations

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Entry is a place in the index that clients search.
type Entry struct {
	// Code is the IATA code of an airport, or a city code.
	Code string `json:"code"`
	// ICAO is the second code of an airport, where it has one.
	ICAO    string `json:"icao,omitempty"`
	Name    string `json:"name"`
	City    string `json:"city"`
	Country string `json:"country"`
	// Large marks the airports with most traffic, to list them first.
	Kind string `json:"kind"`
	// Large marks the airports most journeys begin at, to list them first.
	Large bool `json:"large,omitempty"`
}

// Entries returns all codes, sorted: airports, and the city codes that are not an airport's. The caller owns the
// slice.
func Entries() []Entry {
	t := places()
	out := make([]Entry, 0, len(t.airports)+len(t.cities))
	for i := range t.airports {
		l := &t.airports[i]
		out = append(out, Entry{Code: l.Code, ICAO: l.ICAO, Name: l.Name, City: l.City, Country: l.Country, Kind: "airport", Large: l.Large})
	}
	for _, l := range t.cities {
		if _, ok := t.iata[l.Code]; !ok {
			out = append(out, Entry{Code: l.Code, Name: l.Name, City: l.City, Country: l.Country, Kind: "city", Large: l.Large})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Code, b.Code) })
	return out
}

type staticIndex struct {
	body []byte
	etag string
}

var index = sync.OnceValue(func() staticIndex {
	var answer struct {
		Success bool `json:"success"`
		Data    struct {
			Items []Entry `json:"items"`
		} `json:"data"`
	}
	answer.Success, answer.Data.Items = true, Entries()
	text, err := json.Marshal(answer)
	if err != nil {
		return staticIndex{} // strings and booleans cannot fail to encode
	}
	var b bytes.Buffer
	// Writing to memory does not fail.
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(text)
	_ = z.Close()
	sum := sha256.Sum256(text)
	return staticIndex{body: b.Bytes(), etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
})

// Index returns the whole index as the body of an answer, {"success": true,
// "data": {"items": [Entry …]}}, compressed with gzip once, and its strong
// entity tag, quotes included. The tag is that of the text: it stays the same
// until the table of places changes. The bytes are shared and must not be
// changed.
func Index() (gzipped []byte, etag string) {
	i := index()
	return i.body, i.etag
}
