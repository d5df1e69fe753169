package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fault is one fault of a pack.
type Fault struct {
	// Where is a path into the document: "rows[12].unit".
	Where   string
	Message string
}

func (f Fault) String() string { return f.Where + ": " + f.Message }

// Faults is the error for an invalid pack: all its faults.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// maxFaults bounds the list of a Faults.
const maxFaults = 200

// Read parses and validates a pack. An error other than Faults means that data is not a pack. notes are warnings for
// an operator.
func Read(data []byte) (d *Document, notes []Fault, err error) {
	return read(data, false)
}

// ReadExcerpt reads the excerpt of a pack, which may have no rows.
func ReadExcerpt(data []byte) (*Document, error) {
	d, _, err := read(data, true)
	return d, err
}

func read(data []byte, excerpt bool) (*Document, []Fault, error) {
	c, err := decode(data)
	if err != nil {
		return nil, nil, err
	}
	c.excerpt = excerpt
	c.document()
	c.rows()
	c.defaults()
	c.pedigree()
	if len(c.faults) > 0 {
		return nil, c.notes, c.faults
	}
	return &c.d, c.notes, nil
}

type checker struct {
	d       Document
	excerpt bool
	faults  Faults
	notes   []Fault
	// broken are the rows that could not be decoded.
	broken map[int]bool
}

func (c *checker) fault(where, format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, Fault{where, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) note(where, format string, args ...any) {
	if len(c.notes) < maxFaults {
		c.notes = append(c.notes, Fault{where, fmt.Sprintf(format, args...)})
	}
}

// decode reads the form of a pack: every row by itself, so that a fault names it.
func decode(data []byte) (*checker, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("this is no factor pack: it has more than %d MiB", MaxBytes>>20)
	}
	var format struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(data, &format); err != nil {
		return nil, fmt.Errorf("this is no factor pack: %w", err)
	}
	if format.Format != Format {
		return nil, fmt.Errorf("this is no factor pack of the format %s: its format is %q", Format, format.Format)
	}
	c := &checker{broken: map[int]bool{}}
	if where, err := twice(data); err != nil {
		return nil, fmt.Errorf("this is no factor pack: %w", err)
	} else if where != "" {
		c.fault(where, "the member is there twice")
	}
	var parts struct {
		Document
		Rows []json.RawMessage `json:"rows"`
	}
	if err := strictly(data, &parts); err != nil {
		return nil, fmt.Errorf("this is no factor pack: %w", err)
	}
	c.d = parts.Document
	c.d.Rows = make([]Row, len(parts.Rows))
	for i, text := range parts.Rows {
		if i > MaxRows {
			break
		}
		if err := strictly(text, &c.d.Rows[i]); err != nil {
			c.fault(fmt.Sprintf("rows[%d]", i), "%s", strings.TrimPrefix(err.Error(), "json: "))
			c.broken[i] = true
		}
	}
	return c, nil
}

func strictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows it")
	}
	return nil
}

// twice returns the path of the first member that an object has twice.
func twice(data []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return walk(decoder, "")
}

func walk(decoder *json.Decoder, path string) (string, error) {
	token, err := decoder.Token()
	if err != nil {
		return "", err
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return "", err
			}
			// Members are found without regard to case.
			key := strings.ToLower(fmt.Sprint(name))
			at := strings.TrimPrefix(fmt.Sprintf("%s.%v", path, name), ".")
			if seen[key] {
				return at, nil
			}
			seen[key] = true
			if found, err := walk(decoder, at); found != "" || err != nil {
				return found, err
			}
		}
		_, err = decoder.Token()
	case json.Delim('['):
		for i := 0; decoder.More(); i++ {
			if found, err := walk(decoder, fmt.Sprintf("%s[%d]", path, i)); found != "" || err != nil {
				return found, err
			}
		}
		_, err = decoder.Token()
	}
	return "", err
}
