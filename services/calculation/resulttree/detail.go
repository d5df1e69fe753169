package resulttree

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The detail of a node is decoded and encoded with each approval below it, and most of it are its up to 512 children:
// by reflection they took a sixth of a recalculation. So they are decoded and encoded here exactly as by
// encoding/json, which handles everything else.

const childrenBegin = `{"holds":["`

// EncodeDetail returns the stored form of a detail.
func EncodeDetail(d Detail) ([]byte, error) {
	if len(d.Children) == 0 {
		return json.Marshal(d)
	}
	size := len(childrenBegin) + 256
	for _, c := range d.Children {
		size += len(c.Key) + len(c.Hash) + len(c.Value) + 5
	}
	text := append(make([]byte, 0, size), childrenBegin...)
	for i, c := range d.Children {
		if i > 0 {
			text = append(text, `","`...)
		}
		if !plain(c.Key) || !plain(c.Hash) || !plain(c.Value) {
			return json.Marshal(d)
		}
		text = append(append(append(append(append(text, c.Key...), '|'), c.Hash...), '|'), c.Value...)
	}
	text = append(text, `"]`...)
	d.Children = nil
	rest, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if len(rest) > len("{}") {
		text = append(text, ',')
	}
	return append(text, rest[1:]...), nil
}

// plain reports whether a text needs no escaping in JSON.
func plain(text string) bool {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&' {
			return false
		}
	}
	return true
}

// DecodeDetail reads the stored form of a detail.
func DecodeDetail(text []byte) (d Detail, err error) {
	if list, rest, ok := childrenOf(text); ok {
		if d.Children, ok = readChildren(list); ok {
			return d, json.Unmarshal(rest, &d)
		}
		d = Detail{}
	}
	return d, json.Unmarshal(text, &d)
}

// childrenOf returns the list of children in a detail. ok is false if it does not begin with one without escaped
// texts.
func childrenOf(text []byte) (list string, rest []byte, ok bool) {
	after, ok := bytes.CutPrefix(text, []byte(childrenBegin))
	if !ok {
		return "", nil, false
	}
	// A quotation mark within a text is escaped.
	children, rest, ok := bytes.Cut(after, []byte(`"]`))
	if !ok || !bytes.HasPrefix(rest, []byte(`,"`)) && string(rest) != "}" {
		return "", nil, false
	}
	list = string(children)
	for i := range len(list) {
		if list[i] < ' ' || list[i] >= utf8.RuneSelf || list[i] == '\\' {
			return "", nil, false
		}
	}
	return list, append([]byte{'{'}, bytes.TrimPrefix(rest, []byte(","))...), true
}

// readChildren reads a list of texts without the first and the last quotation mark.
func readChildren(list string) ([]Child, bool) {
	children := make([]Child, 0, strings.Count(list, `","`)+1)
	for more := true; more; {
		var entry string
		entry, list, more = strings.Cut(list, `","`)
		key, rest, ok := strings.Cut(entry, "|")
		hash, value, both := strings.Cut(rest, "|")
		if !ok || !both || strings.Contains(entry, `"`) {
			return nil, false
		}
		children = append(children, Child{Key: key, Hash: hash, Value: value})
	}
	return children, true
}
