package sqlitestore

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// A record's body is read with every record of every list and export, and decoding it by
// reflection took a quarter of an export. So that it is read in the very form in which it is
// written; anything else, a notice or an escaped character among it, goes to encoding/json.

// decodeBody reads the body of a record.
func decodeBody(text []byte) (b recordBody, err error) {
	if c := (cursor{text: text}); plain(text) && c.body(&b) && len(c.text) == 0 {
		return b, nil
	}
	b = recordBody{}
	return b, json.Unmarshal(text, &b)
}

// decodeActor reads an actor.
func decodeActor(text []byte) (a actorJSON, err error) {
	if c := (cursor{text: text}); plain(text) && c.actor(&a) && len(c.text) == 0 {
		return a, nil
	}
	a = actorJSON{}
	return a, json.Unmarshal(text, &a)
}

// plain reports whether the texts of what is stored are what they stand for: nothing is
// escaped, nor would have to be.
func plain(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// cursor goes through a text that has no escaped characters.
type cursor struct{ text []byte }

// is passes what comes next, if it is that.
func (c *cursor) is(next string) bool {
	if len(c.text) < len(next) || string(c.text[:len(next)]) != next {
		return false
	}
	c.text = c.text[len(next):]
	return true
}

// string reads the rest of a text whose first quotation mark has been passed.
func (c *cursor) string(to *string) bool {
	end := bytes.IndexByte(c.text, '"')
	if end < 0 {
		return false
	}
	*to, c.text = string(c.text[:end]), c.text[end+1:]
	return true
}

func (c *cursor) number(to *int64) bool {
	end := 0
	for end < len(c.text) && (c.text[end] == '-' || c.text[end] >= '0' && c.text[end] <= '9') {
		end++
	}
	if digits := bytes.TrimPrefix(c.text[:end], []byte("-")); len(digits) > 1 && digits[0] == '0' {
		return false
	}
	n, err := strconv.ParseInt(string(c.text[:end]), 10, 64)
	*to, c.text = n, c.text[end:]
	return err == nil
}

func (c *cursor) body(b *recordBody) bool {
	if !c.is(`{"editedBy":`) || !c.actor(&b.EditedBy) || !c.is(`,"submitted":`) || !c.stamp(&b.Submitted) || !c.is(`,"reviewed":`) || !c.stamp(&b.Reviewed) {
		return false
	}
	if c.is(`,"reviewComment":"`) && !c.string(&b.ReviewComment) {
		return false
	}
	return c.is(`,"last":`) && c.entry(&b.Last) && c.is("}")
}

func (c *cursor) actor(a *actorJSON) bool {
	return c.is(`{"id":"`) && c.string(&a.ID) &&
		(!c.is(`,"name":"`) || c.string(&a.Name)) &&
		(!c.is(`,"role":"`) || c.string(&a.Role)) && c.is("}")
}

func (c *cursor) stamp(s *stampJSON) bool {
	if !c.is("{") {
		return false
	}
	by := `"by":`
	if c.is(`"at":`) {
		s.At = new(int64)
		if !c.number(s.At) {
			return false
		}
		by = `,"by":`
	}
	if c.is(by) {
		s.By = new(actorJSON)
		if !c.actor(s.By) {
			return false
		}
	}
	return c.is("}")
}

func (c *cursor) entry(e *entryJSON) bool {
	if !c.is(`{"rev":`) || !c.number(&e.Rev) || !c.is(`,"move":"`) || !c.string(&e.Move) || c.is(`,"from":"`) && !c.string(&e.From) ||
		!c.is(`,"to":"`) || !c.string(&e.To) || !c.is(`,"by":`) || !c.actor(&e.By) || !c.is(`,"at":`) || !c.number(&e.At) ||
		c.is(`,"comment":"`) && !c.string(&e.Comment) || c.is(`,"changed":["`) && !c.strings(&e.Changed) {
		return false
	}
	for _, m := range []struct {
		name string
		to   *string
	}{{`,"input":"`, &e.Input}, {`,"once":"`, &e.Once}} {
		if c.is(m.name) && !c.string(m.to) {
			return false
		}
	}
	e.FourEyes = c.is(`,"fourEyes":true`)
	if c.is(`,"policyRev":`) && !c.number(&e.PolicyRev) {
		return false
	}
	for _, m := range []struct {
		name string
		to   *string
	}{{`,"salt":"`, &e.Salt}, {`,"prev":"`, &e.Prev}, {`,"hash":"`, &e.Hash}} {
		if c.is(m.name) && !c.string(m.to) {
			return false
		}
	}
	return c.is("}")
}

// strings reads the rest of a list of texts after its first quotation mark.
func (c *cursor) strings(to *[]string) bool {
	for {
		var s string
		if !c.string(&s) {
			return false
		}
		*to = append(*to, s)
		if c.is("]") {
			return true
		}
		if !c.is(`,"`) {
			return false
		}
	}
}
