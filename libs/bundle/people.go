package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// The variants of a bundle by what it says of people.
const (
	// NamesFull is the bundle as it is: with names, comments and free text.
	NamesFull = "full"
	// NamesRoles is the bundle without them. Pseudonyms, which are other ones in each
	// bundle, stand for people, and fixed words for free text.
	NamesRoles = "roles"
)

// Withheld stands for free text in the variant NamesRoles.
const Withheld = "withheld"

// Organization is whose event it is.
type Organization struct {
	ID   string `json:"_id"`
	Name string `json:"name"`
}

// Provenance is how one counted record came to be counted.
type Provenance struct {
	Record    string `json:"record"`
	Created   Stamp  `json:"created"`
	Submitted *Stamp `json:"submitted"`
	Approved  *Stamp `json:"approved"`
	// FourEyes reports whether nobody who approved the record had created, edited
	// or submitted it.
	FourEyes bool `json:"fourEyes"`
	// Evidence are the SHA-256 sums of the evidence that has one.
	Evidence []string `json:"evidence"`
	// History is the chain of entries, oldest first, up to the approval.
	History []record.Entry `json:"history"`
	// Commitments are, with NamesRoles, what the hashes of History are over in place
	// of people and comments; empty for entries from before there were any.
	Commitments []string `json:"commitments,omitempty"`
}

// Stamp is who did something, and when.
type Stamp struct {
	By record.Actor `json:"by"`
	At string       `json:"at"`
	// Policy marks an approval that the organization's policy made.
	Policy bool `json:"policy,omitempty"`
}

// SignOff is the signature of a person under the result.
type SignOff struct {
	Edition   int64           `json:"edition"`
	By        record.Actor    `json:"by"`
	At        string          `json:"at"`
	Statement string          `json:"statement"`
	FourEyes  bool            `json:"fourEyes"`
	Open      json.RawMessage `json:"open,omitempty"`
}

// NotCounted are the numbers of records that are not in the result.
type NotCounted struct {
	Waiting          int64 `json:"waiting"`
	ChangesRequested int64 `json:"changesRequested"`
	Rejected         int64 `json:"rejected"`
	Unsubmitted      int64 `json:"unsubmitted"`
}

const stampLayout = "2006-01-02T15:04:05.000Z"

// StampOf returns who did something, and when, in the API's form.
func StampOf(by record.Actor, at time.Time) Stamp {
	return Stamp{By: by, At: at.UTC().Format(stampLayout)}
}

// ProvenanceOf returns how a record came to be counted at a revision, from its
// whole history, oldest first.
func ProvenanceOf(id record.ID, revision int64, fields json.RawMessage, history []record.Entry) Provenance {
	p := Provenance{Record: string(id), Evidence: evidenceOf(fields), History: []record.Entry{}}
	hands := map[string]bool{}
	for _, e := range history {
		if e.Rev > revision {
			break
		}
		p.History = append(p.History, e)
		at := StampOf(e.By, e.At)
		switch e.Move {
		case record.Create:
			p.Created = at
			hands[e.By.ID] = true
		case record.Edit:
			hands[e.By.ID] = true
		case record.Submit:
			p.Submitted = &at
			hands[e.By.ID] = true
		case record.Approve, record.AutoApprove:
			at.Policy = e.Move == record.AutoApprove
			p.Approved, p.FourEyes = &at, !hands[e.By.ID] && !at.Policy
		default:
		}
	}
	return p
}

func evidenceOf(fields json.RawMessage) []string {
	var f struct {
		Evidence []struct {
			SHA256 string `json:"sha256"`
		} `json:"evidence"`
	}
	_ = json.Unmarshal(fields, &f) // what does not read has none
	sums := []string{}
	for _, e := range f.Evidence {
		if e.SHA256 != "" {
			sums = append(sums, e.SHA256)
		}
	}
	return sums
}

// Pseudonyms stand for the people of one bundle.
type Pseudonyms struct {
	random func() string
	known  map[string]string
}

// NewPseudonyms returns pseudonyms that random makes.
func NewPseudonyms(random func() string) *Pseudonyms {
	return &Pseudonyms{random, map[string]string{}}
}

// of returns who stands for a person.
func (names *Pseudonyms) of(a record.Actor) record.Actor {
	if a.ID == "" || a == record.System() {
		return a // nobody
	}
	if names.known[a.ID] == "" {
		names.known[a.ID] = "person-" + names.random()
	}
	return record.Actor{ID: names.known[a.ID], Role: a.Role}
}

// WithoutNames returns a source whose people are pseudonyms that random makes, and
// whose free text is withheld. It keeps what moves numbers, and the hashes, which
// then cannot be recomputed.
func WithoutNames(s Source, random func() string) Source {
	return NewPseudonyms(random).WithoutNames(s)
}

// WithoutNames is the function of this name for a source that has some of the records, or
// none, of a bundle that is put together from several.
func (names *Pseudonyms) WithoutNames(s Source) Source {
	s.Names = NamesRoles
	person := names.of
	s.Event.Title = Withheld
	s.Event.Boundary = withoutReasons(s.Event.Boundary)
	s.Records = slices.Clone(s.Records)
	for i := range s.Records {
		r := &s.Records[i]
		r.Hash = inputHash(*r)
		r.Fields = withoutText(r.Fields)
	}
	s.Provenance = slices.Clone(s.Provenance)
	for i := range s.Provenance {
		p := &s.Provenance[i]
		p.Created.By = person(p.Created.By)
		for _, at := range []**Stamp{&p.Submitted, &p.Approved} {
			if *at != nil {
				one := **at
				one.By = person(one.By)
				*at = &one
			}
		}
		p.History = slices.Clone(p.History)
		for n := range p.History {
			e := &p.History[n]
			p.Commitments = append(p.Commitments, e.Commitment())
			e.By, e.Comment, e.Salt = person(e.By), "", ""
		}
	}
	s.Policies = slices.Clone(s.Policies)
	for i := range s.Policies {
		x := &s.Policies[i]
		x.By = person(x.By)
		if x.ConfirmedBy != nil {
			by := person(*x.ConfirmedBy)
			x.ConfirmedBy = &by
		}
	}
	if s.SignOff != nil {
		signed := *s.SignOff
		signed.By, signed.Statement, signed.Open = person(signed.By), Withheld, nil
		s.SignOff = &signed
	}
	return s
}

// freeText are the fields of records that people write in their own words. No
// figure depends on them.
func freeText() []string {
	return []string{"description", "name", "site", "externalReference", "supplier", "factorSource", "notes"}
}

// withoutText replaces the free text in a record's fields.
func withoutText(fields json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(fields, &all) != nil {
		return fields
	}
	withheld := json.RawMessage(`"` + Withheld + `"`)
	for _, name := range freeText() {
		if _, ok := all[name]; ok {
			all[name] = withheld
		}
	}
	var evidence []map[string]json.RawMessage
	if json.Unmarshal(all["evidence"], &evidence) == nil && len(evidence) > 0 {
		for i, e := range evidence {
			kept := map[string]json.RawMessage{"name": withheld}
			if sum, ok := e["sha256"]; ok {
				kept["sha256"] = sum
			}
			evidence[i] = kept
		}
		if text, err := json.Marshal(evidence); err == nil {
			all["evidence"] = text
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fields
	}
	return text
}

func withoutReasons(boundary json.RawMessage) json.RawMessage {
	var b struct {
		Included []string `json:"included"`
		Excluded []struct {
			Type   string `json:"type"`
			Reason string `json:"reason,omitempty"`
		} `json:"excluded"`
	}
	if len(boundary) == 0 || json.Unmarshal(boundary, &b) != nil {
		return nil
	}
	for i := range b.Excluded {
		b.Excluded[i].Reason = ""
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil
	}
	return text
}

// checkPeople checks that every counted record was approved by somebody entitled,
// by its chain of entries, and states in words what was found.
func (v *Verdict) checkPeople(b Bundle) {
	if b.Format == Format {
		return
	}
	byRecord := make(map[string]Provenance, len(b.Provenance))
	for _, p := range b.Provenance {
		byRecord[p.Record] = p
	}
	var people, policy, fourEyes int
	for i, r := range b.Records {
		where := nameOf("records", i, r)
		p, ok := byRecord[r.ID]
		if !ok {
			v.add(where, "", "it has no provenance")
			continue
		}
		err := checkApproval(b, r, p)
		if err == nil {
			err = checkPolicy(b.Policies, p)
		}
		if err != nil {
			v.add(where, "", err.Error())
			continue
		}
		switch {
		case p.Approved.Policy:
			policy++
		default:
			people++
		}
		if p.FourEyes {
			fourEyes++
		}
	}
	if len(b.Provenance) != len(b.Records) {
		v.add("provenance", fmt.Sprint(len(b.Provenance), " records"), fmt.Sprint(len(b.Records), " counted records"))
	}
	v.say("%s approved by a manager or an administrator, and %d automatically by the organization's policy.", countOf(people, "counted record was", "counted records were"), policy)
	v.say("Four eyes held for %d of %d: they were approved by somebody who had not created, edited or submitted them.", fourEyes, len(b.Records))
	v.sayPolicies(b.Policies)
	if n := b.NotCounted; n != nil {
		v.say("Not counted: %d waiting for review, %d sent back to be changed, %d rejected, %d drafts.", n.Waiting, n.ChangesRequested, n.Rejected, n.Unsubmitted)
	}
	if s := b.SignOff; s != nil {
		v.say("Signed off as edition %d by %s on %s: %q.", s.Edition, personOf(s.By), s.At, s.Statement)
		if !s.By.Role.Holds(identity.Manager) {
			v.add("signOff.by", s.By.Role.String(), "a sign-off is a manager's")
		}
	} else {
		v.say("It is not signed off.")
	}
	if b.Names == NamesRoles {
		v.say("People are pseudonyms and free text is withheld. The hashes of inputs, and of histories without commitments, are not checkable without names.")
	}
}

// checkApproval checks the chain of one record: it is whole, it ends with an
// approval of what is counted, and somebody entitled made it.
func checkApproval(b Bundle, r Record, p Provenance) error {
	if len(p.History) == 0 || p.Approved == nil {
		return errors.New("it was never approved")
	}
	last := p.History[len(p.History)-1]
	again := ProvenanceOf(record.ID(r.ID), r.Revision, r.Fields, p.History)
	switch {
	case last.Rev != r.Revision || last.To != record.Approved || last.Move != record.Approve && last.Move != record.AutoApprove:
		return errors.New("its history does not end with an approval of what is counted")
	case !last.By.Role.Holds(identity.Manager):
		return fmt.Errorf("it was approved by the role %s, which may not", last.By.Role)
	case again.Approved == nil || *again.Approved != *p.Approved || again.Created != p.Created || again.FourEyes != p.FourEyes:
		return errors.New("who created and approved it is not what its history says")
	}
	if b.Names == NamesRoles {
		return checkCommitted(b, r, p)
	}
	if err := record.VerifyHistory(record.OrgID(b.Organization.ID), record.ID(r.ID), p.History); err != nil {
		return err
	}
	if last.Input != "" && last.Input != record.InputHash(record.EventID(b.Event.ID), r.Type, r.Fields) {
		return errors.New("what was approved is another input than what is counted")
	}
	return nil
}

// checkCommitted checks a chain without names by the commitments to them. Entries
// from before there were commitments are only checked for their order.
func checkCommitted(b Bundle, r Record, p Provenance) error {
	if len(p.Commitments) != len(p.History) {
		return errors.New("its history and its commitments are not of one length")
	}
	prev := ""
	for i, e := range p.History {
		if e.Rev != int64(i)+1 || e.Prev != prev {
			return fmt.Errorf("revision %d of its history is missing", i+1)
		}
		if c := p.Commitments[i]; c != "" && !e.IntactWithout(record.OrgID(b.Organization.ID), record.ID(r.ID), c) {
			return fmt.Errorf("revision %d of its history was changed", e.Rev)
		}
		prev = e.Hash
	}
	return nil
}

func personOf(a record.Actor) string {
	if a.Name == "" {
		return a.ID + " (" + a.Role.String() + ")"
	}
	return a.Name + " (" + a.Role.String() + ")"
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// say adds a sentence to what was found.
func (v *Verdict) say(format string, args ...any) {
	v.Statements = append(v.Statements, printable(strings.TrimSpace(fmt.Sprintf(format, args...))))
}
