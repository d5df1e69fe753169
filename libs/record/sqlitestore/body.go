package sqlitestore

import (
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/plainjson"
)

// A record's body is decoded for every record of a list or an export, and decoding by reflection took a quarter of an
// export. So bodies in exactly the form that is written are parsed here; others, for instance with a notice or an
// escaped character, are decoded by encoding/json.

// decodeBody reads the body of a record.
func decodeBody(text []byte) (b recordBody, err error) {
	if c, ok := newCursor(text); ok && c.body(&b) && c.Ended() {
		return b, nil
	}
	b = recordBody{}
	err = json.Unmarshal(text, &b)
	return b, err
}

// decodeActor reads an actor.
func decodeActor(text []byte) (a actorJSON, err error) {
	if c, ok := newCursor(text); ok && c.actor(&a) && c.Ended() {
		return a, nil
	}
	a = actorJSON{}
	err = json.Unmarshal(text, &a)
	return a, err
}

// cursor parses the text of a body.
type cursor struct{ plainjson.Reader }

func newCursor(text []byte) (cursor, bool) {
	r, ok := plainjson.NewReader(text)
	return cursor{r}, ok
}

func (c *cursor) body(b *recordBody) bool {
	if !c.Is(`{"editedBy":`) || !c.actor(&b.EditedBy) || !c.Is(`,"submitted":`) || !c.stamp(&b.Submitted) || !c.Is(`,"reviewed":`) || !c.stamp(&b.Reviewed) {
		return false
	}
	if c.Is(`,"reviewComment":"`) && !c.String(&b.ReviewComment) {
		return false
	}
	return c.Is(`,"last":`) && c.entry(&b.Last) && c.Is("}")
}

func (c *cursor) actor(a *actorJSON) bool {
	return c.Is(`{"id":"`) && c.String(&a.ID) &&
		(!c.Is(`,"name":"`) || c.String(&a.Name)) &&
		(!c.Is(`,"role":"`) || c.String(&a.Role)) && c.Is("}")
}

func (c *cursor) stamp(s *stampJSON) bool {
	if !c.Is("{") {
		return false
	}
	by := `"by":`
	if c.Is(`"at":`) {
		s.At = new(int64)
		if !c.Number(s.At) {
			return false
		}
		by = `,"by":`
	}
	if c.Is(by) {
		s.By = new(actorJSON)
		if !c.actor(s.By) {
			return false
		}
	}
	return c.Is("}")
}

func (c *cursor) entry(e *entryJSON) bool {
	if !c.Is(`{"rev":`) || !c.Number(&e.Rev) || !c.Is(`,"move":"`) || !c.String(&e.Move) || c.Is(`,"from":"`) && !c.String(&e.From) ||
		!c.Is(`,"to":"`) || !c.String(&e.To) || !c.Is(`,"by":`) || !c.actor(&e.By) || !c.Is(`,"at":`) || !c.Number(&e.At) ||
		c.Is(`,"comment":"`) && !c.String(&e.Comment) || c.Is(`,"changed":["`) && !c.Strings(&e.Changed) {
		return false
	}
	for _, m := range []struct {
		name string
		to   *string
	}{{`,"input":"`, &e.Input}, {`,"once":"`, &e.Once}} {
		if c.Is(m.name) && !c.String(m.to) {
			return false
		}
	}
	e.FourEyes = c.Is(`,"fourEyes":true`)
	if c.Is(`,"policyRev":`) && !c.Number(&e.PolicyRev) {
		return false
	}
	for _, m := range []struct {
		name string
		to   *string
	}{{`,"salt":"`, &e.Salt}, {`,"prev":"`, &e.Prev}, {`,"hash":"`, &e.Hash}} {
		if c.Is(m.name) && !c.String(m.to) {
			return false
		}
	}
	return c.Is("}")
}

// append appends the text of a body without notices and counts of origins, as
// encoding/json writes it.
func (b *recordBody) append(to []byte) []byte {
	to = b.EditedBy.append(plainjson.AppendName(append(to, '{'), "editedBy"))
	to = b.Submitted.append(plainjson.AppendName(to, "submitted"))
	to = b.Reviewed.append(plainjson.AppendName(to, "reviewed"))
	to = plainjson.AppendMemberUnlessEmpty(to, "reviewComment", b.ReviewComment)
	return append(b.Last.append(plainjson.AppendName(to, "last")), '}')
}

func (a *actorJSON) append(to []byte) []byte {
	to = plainjson.AppendMember(append(to, '{'), "id", a.ID)
	to = plainjson.AppendMemberUnlessEmpty(to, "name", a.Name)
	return append(plainjson.AppendMemberUnlessEmpty(to, "role", a.Role), '}')
}

func (s *stampJSON) append(to []byte) []byte {
	to = append(to, '{')
	if s.At != nil {
		to = plainjson.AppendNumber(to, "at", *s.At)
	}
	if s.By != nil {
		to = s.By.append(plainjson.AppendName(to, "by"))
	}
	return append(to, '}')
}

func (e *entryJSON) append(to []byte) []byte {
	to = plainjson.AppendNumber(append(to, '{'), "rev", e.Rev)
	to = plainjson.AppendMember(to, "move", e.Move)
	to = plainjson.AppendMemberUnlessEmpty(to, "from", e.From)
	to = plainjson.AppendMember(to, "to", e.To)
	to = e.By.append(plainjson.AppendName(to, "by"))
	to = plainjson.AppendNumber(to, "at", e.At)
	to = plainjson.AppendMemberUnlessEmpty(to, "comment", e.Comment)
	to = plainjson.AppendList(to, "changed", e.Changed)
	to = plainjson.AppendMemberUnlessEmpty(to, "input", e.Input)
	to = plainjson.AppendMemberUnlessEmpty(to, "once", e.Once)
	if e.FourEyes {
		to = append(plainjson.AppendName(to, "fourEyes"), "true"...)
	}
	if e.PolicyRev != 0 {
		to = plainjson.AppendNumber(to, "policyRev", e.PolicyRev)
	}
	to = plainjson.AppendMemberUnlessEmpty(to, "salt", e.Salt)
	to = plainjson.AppendMemberUnlessEmpty(to, "prev", e.Prev)
	return append(plainjson.AppendMember(to, "hash", e.Hash), '}')
}
