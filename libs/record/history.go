package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Entry is one line of a record's history. Entries are never changed; each
// carries the hash of the one before, so that a changed or missing entry shows.
type Entry struct {
	Rev     int64     `json:"revision" bson:"rev"`
	Move    Move      `json:"action" bson:"move"`
	From    Status    `json:"from,omitempty" bson:"from"`
	To      Status    `json:"to" bson:"to"`
	By      Actor     `json:"by" bson:"by"`
	At      time.Time `json:"at" bson:"at"`
	Comment string    `json:"comment,omitempty" bson:"comment"`
	// Changed names the input fields an edit changed.
	Changed []string `json:"changed,omitempty" bson:"changed"`
	// Input is the hash of the record's contents after the transition: its event, type
	// and input fields. Older entries have none.
	Input string `json:"inputHash,omitempty" bson:"input"`
	// Once identifies the request of the transition, if it had an idempotency key, so that a repeated request finds
	// it. It is neither served nor hashed, because it is not part of the history.
	Once string `json:"-" bson:"once"`
	// FourEyes and PolicyRev identify the policy of a decision. Entries
	// of other transitions, and older ones, have neither.
	FourEyes  bool  `json:"fourEyes,omitempty" bson:"fourEyes"`
	PolicyRev int64 `json:"policyRevision,omitempty" bson:"policyRev"`
	// Origins are the counts of attendee travel after a creation or an edit.
	Origins *footprint.OriginCounts `json:"origins,omitempty" bson:"origins,omitempty"`
	// Salt prevents guessing actor and comment from their commitment. Older entries have none: their hash covers both
	// directly.
	Salt string `json:"salt,omitempty" bson:"salt"`
	// Prev is the hash of the entry before; empty for the first.
	Prev string `json:"previousHash" bson:"prev"`
	Hash string `json:"hash" bson:"hash"`
}

// MarshalJSON encodes the entry as clients see it and as engines keep it, with
// the time in the API's one form.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry // without this method
	return json.Marshal(struct {
		plain
		At string `json:"at"`
	}{plain(e), stamp(e.At)})
}

// seal completes the entry: the hash of the record after the move, that of the previous entry and the one over
// everything else.
func (e Entry) seal(r Record, prev string) Entry {
	e.Input, e.Prev, e.Salt = inputHash(r), prev, newSalt()
	if e.Move == Create || e.Move == Edit {
		e.Origins = footprint.OriginCountsOf(r.Type, r.Fields)
	}
	e.Hash = e.digest(r.Org, r.ID)
	return e
}

// digest covers the tenant and the record too, so that an entry can not be
// moved to another record's history.
func (e Entry) digest(org OrgID, id ID) string {
	if e.Salt != "" {
		return e.digestWith(org, id, e.Commitment())
	}
	values := []string{
		string(org), string(id), strconv.FormatInt(e.Rev, 10), string(e.Move), string(e.From), string(e.To),
		e.By.ID, e.By.Name, e.By.Role.String(), e.At.UTC().Format(time.RFC3339Nano), e.Comment, e.Prev,
		strconv.Itoa(len(e.Changed)),
	}
	values = append(values, e.Changed...)
	if e.Input != "" {
		values = append(values, e.Input)
	}
	return hashOf(values...)
}

// Commitment is the hash by which the chain covers the actor and the
// comment, so that a chain can be verified if both are omitted. An entry
// without a salt has none.
func (e Entry) Commitment() string {
	if e.Salt == "" {
		return ""
	}
	return commitment(e.Salt, e.By, e.Comment)
}

// IntactWithout reports whether an entry whose actor and comment were left out is
// what was sealed, by their commitment.
func (e Entry) IntactWithout(org OrgID, id ID, committed string) bool {
	return e.Hash == e.digestWith(org, id, committed)
}

func (e Entry) digestWith(org OrgID, id ID, committed string) string {
	values := []string{
		"record", string(org), string(id), strconv.FormatInt(e.Rev, 10), string(e.Move), string(e.From), string(e.To),
		e.By.Role.String(), e.At.UTC().Format(time.RFC3339Nano), committed, e.Input,
		strconv.FormatBool(e.FourEyes), strconv.FormatInt(e.PolicyRev, 10), e.Prev, strconv.Itoa(len(e.Changed)),
	}
	values = append(values, e.Changed...)
	if o := e.Origins; o != nil {
		values = append(values, "origins", strconv.FormatInt(o.Rows, 10), strconv.FormatInt(o.People, 10), o.Hash)
	}
	return hashOf(values...)
}

func inputHash(r Record) string { return hashOf(string(r.Event), r.Type, string(r.Fields)) }

// hashOf hashes values, each prefixed with its length, so that different lists never have the same bytes.
func hashOf(values ...string) string {
	size := 0
	for _, v := range values {
		size += len(v) + len("1234567:")
	}
	var few [2 << 10]byte // more than most records have
	b := few[:0]
	if size > len(few) {
		b = make([]byte, 0, size)
	}
	for _, v := range values {
		b = append(strconv.AppendInt(b, int64(len(v)), 10), ':')
		b = append(b, v...)
	}
	sum := sha256.Sum256(b)
	var text [2 * len(sum)]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// VerifyHistory checks the chain of a record's whole history, oldest first. It
// returns an error that names the first revision that was changed or is
// missing.
func VerifyHistory(org OrgID, id ID, entries []Entry) error {
	prev := ""
	for i, e := range entries {
		if e.Rev != int64(i)+1 {
			return fmt.Errorf("record %s: revision %d of the history is missing", id, i+1)
		}
		if e.Prev != prev || e.Hash != e.digest(org, id) {
			return fmt.Errorf("record %s: revision %d of the history was changed", id, e.Rev)
		}
		prev = e.Hash
	}
	return nil
}
