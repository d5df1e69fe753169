package places

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the packed index
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Entry is a town in the index that clients search.
type Entry struct {
	// ID is the GeoNames id.
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
	Region  string `json:"region,omitempty"`
	// Population orders namesakes; 0 if unknown.
	Population int64 `json:"population,omitempty"`
	// Airport is the code of the airport its people are assumed to use.
	Airport string `json:"airport,omitempty"`
	// Text identifies the town in a record unambiguously, if its name and country do not.
	Text string `json:"text,omitempty"`
}

// indexedPeople is the population from which a town is in the index. Find also returns smaller ones, but they would
// double the size of the index for clients.
const indexedPeople = 15_000

//go:embed index.json.gz
var packedIndex []byte

//go:embed index.etag
var indexTag string

// PackIndex generates the files of the index from the image: the compressed response body, and its entity tag. The
// generator calls it; they are embedded.
func PackIndex() (gzipped []byte, etag string, err error) {
	var answer struct {
		Success bool `json:"success"`
		Data    struct {
			Items []Entry `json:"items"`
		} `json:"data"`
	}
	answer.Success, answer.Data.Items = true, entries()
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, "", err
	}
	if _, err := z.Write(text); err != nil {
		return nil, "", err
	}
	if err := z.Close(); err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	return b.Bytes(), `"` + hex.EncodeToString(sum[:16]) + `"`, nil
}

// entries returns the towns of the index, the largest first.
func entries() []Entry {
	im := loaded()
	var out []Entry
	for n := range im.places.len() {
		p := im.place(n)
		if p.Population < indexedPeople && p.Kind != "capital" || p.Kind == "district" {
			continue
		}
		e := Entry{ID: p.ID, Name: p.Name, Country: p.Country, Region: p.Region, Population: p.Population, Airport: p.Airport}
		if found, err := Find(p.Name+", "+p.Country, ""); err != nil || found.ID != p.ID {
			e.Text = p.String()
		}
		out = append(out, e)
	}
	return out
}

// Index returns the index of towns as the body of an answer, {"success": true,
// "data": {"items": [Entry …]}}, compressed with gzip when it was generated, and
// its strong entity tag, quotes included. The bytes are shared and must not be
// changed.
func Index() (gzipped []byte, etag string) { return packedIndex, strings.TrimSpace(indexTag) }
