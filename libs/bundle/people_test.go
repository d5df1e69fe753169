package bundle_test

import (
	"bytes"
	stdcontext "context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

type stdContext = stdcontext.Context

// sealed is a store of one record, so that histories are made by the workflow itself.
type sealed struct{ record record.Record }

func (s *sealed) Record(stdContext, record.OrgID, record.Key) (record.Record, error) {
	return s.record, nil
}
func (s *sealed) InsertRecord(_ stdContext, _ record.OrgID, r record.Record) (record.Record, error) {
	s.record = r
	return r, nil
}
func (s *sealed) ReplaceRecord(_ stdContext, _ record.OrgID, r record.Record, _ int64) error {
	s.record = r
	return nil
}

// RecordByReference implements record.References: no other record has one.
func (s *sealed) RecordByReference(stdContext, record.OrgID, record.Sub, string) (record.Record, error) {
	return record.Record{}, record.ErrNotFound
}
func (s *sealed) InsertEntry(stdContext, record.OrgID, record.EventID, record.ID, record.Entry) error {
	return nil
}

// Entries implements record.Workflow's History: there are no edits.
func (s *sealed) Entries(stdContext, record.OrgID, record.ID) ([]record.Entry, error) {
	return nil, nil
}

// RecordsByID implements record.Workflow's History: there are no deletions.
func (s *sealed) RecordsByID(stdContext, record.OrgID, []record.ID) ([]record.Record, error) {
	return nil, nil
}

var (
	ada    = record.Actor{ID: "u-ada", Name: "Ada Lovelace", Role: identity.User}
	planck = record.Actor{ID: "u-max", Name: "Max Planck", Role: identity.Manager}
)

// approvedBy returns the history of a record that ada entered and by approved.
func approvedBy(t *testing.T, in bundle.Input, by record.Actor) []record.Entry {
	t.Helper()
	return approvedUnder(t, in, by, record.Approve, record.Policy{})
}

// approvedUnder is approvedBy under a policy, by a move of its own.
func approvedUnder(t *testing.T, in bundle.Input, by record.Actor, move record.Move, policy record.Policy) []record.Entry {
	t.Helper()
	s := &sealed{}
	clock := time.Date(2026, 6, 11, 9, 0, 0, 0, time.UTC)
	w := record.Workflow{Store: s, History: s, Now: func() time.Time { clock = clock.Add(time.Minute); return clock }, NewMark: func() string { return "m" },
		Policy: func(stdContext, record.OrgID) (record.Policy, error) { return policy, nil }}
	r, err := w.Insert(t.Context(), "org1", record.Record{ID: record.ID(in.ID), Event: "event1", Type: in.Type, Fields: in.Fields}, ada)
	if err != nil {
		t.Fatal(err)
	}
	history := []record.Entry{r.Last}
	for _, m := range []record.Move{record.Submit, move} {
		who := ada
		if m == move {
			who = by
		}
		if r, err = w.Apply(t.Context(), record.Request{Org: "org1", Key: r.Key(), Move: m, By: who, Comment: "seen the invoice"}); err != nil {
			t.Fatal(err)
		}
		history = append(history, r.Last)
	}
	return history
}

func withPeople(t *testing.T, approver record.Actor) bundle.Source {
	t.Helper()
	s := source(t)
	s.Organization = &bundle.Organization{ID: "org1", Name: "Example Events"}
	s.NotCounted = &bundle.NotCounted{Waiting: 2}
	s.SignOff = &bundle.SignOff{Edition: 1, By: planck, At: "2026-06-12T10:00:00.000Z", Statement: "Complete and correct", FourEyes: true}
	for _, in := range s.Records {
		s.Provenance = append(s.Provenance, bundle.ProvenanceOf(record.ID(in.ID), in.Revision, in.Fields, approvedBy(t, in, approver)))
	}
	return s
}

func signedSource(t *testing.T, s bundle.Source) []byte {
	t.Helper()
	built, err := bundle.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := built.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var pieces bytes.Buffer
	cuts := 0
	if err := b.EncodeTo(&pieces, func() error { cuts++; return nil }); err != nil || !bytes.Equal(pieces.Bytes(), text) {
		t.Fatalf("written in pieces it is another bundle (%v): %.3000s", err, pieces.Bytes())
	}
	if cuts < 4 {
		t.Fatalf("only %d cuts", cuts)
	}
	return text
}

// TestBundleWithPeopleVerifies: with names and without them; the latter contains no name.
func TestBundleWithPeopleVerifies(t *testing.T) {
	t.Parallel()
	full := signedSource(t, withPeople(t, planck))
	n := 0
	s := withPeople(t, planck)
	s.InputsHash = s.Tree.Root(context(t), s.Records)
	roles := signedSource(t, bundle.NewPseudonyms(func() string { n++; return fmt.Sprint("x", n) }).WithoutNames(s))
	for name, text := range map[string][]byte{"full": full, "roles": roles} {
		v, err := bundle.Verify(text)
		if err != nil || len(v.Differences) > 0 || v.SignedBy == "" {
			t.Fatalf("%s: %v %v", name, err, v.Differences)
		}
		said := strings.Join(v.Statements, "\n")
		for _, want := range []string{"6 counted records were approved by a manager or an administrator, and 0 automatically", "Four eyes held for 6 of 6", "2 waiting", "Signed off as edition 1"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q: %s", name, want, said)
			}
		}
	}
	for _, secret := range []string{"Ada", "u-ada", "Max", "u-max", "invoice", "Äpfel", "conference", "Complete and correct"} {
		if bytes.Contains(roles, []byte(secret)) {
			t.Errorf("the bundle without names has %q", secret)
		}
	}
	if n != 2 {
		t.Errorf("%d pseudonyms for 2 people", n)
	}
	// Without names the chain still holds, by the commitments.
	for _, forged := range []struct{ old, with string }{{`"action":"approve"`, `"action":"auto-approve"`}, {`"revision":2,"action":"submit"`, `"revision":2,"action":"edit"`}} {
		v, err := bundle.Verify(bytes.Replace(roles, []byte(forged.old), []byte(forged.with), 1))
		if err != nil || !strings.Contains(fmt.Sprint(v.Differences), "was changed") && !strings.Contains(fmt.Sprint(v.Differences), "what its history says") {
			t.Errorf("%s: %v %v", forged.with, err, v.Differences)
		}
	}
}

// TestForgedApprovalIsFound changes the approver, and recomputes the hashes and the signature as a forger would.
func TestForgedApprovalIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forge func(*bundle.Source)
		want  string
	}{
		"another approver": {func(s *bundle.Source) { s.Provenance[0].History[2].By.Name = "Somebody" }, "who created and approved it"},
		"an approver throughout": {func(s *bundle.Source) {
			s.Provenance[0].History[2].By.Name = "X"
			s.Provenance[0].Approved.By.Name = "X"
		}, "was changed"},
		"an entry left out":   {func(s *bundle.Source) { s.Provenance[0].History = slices.Delete(s.Provenance[0].History, 1, 2) }, "is missing"},
		"two entries swapped": {func(s *bundle.Source) { h := s.Provenance[0].History; h[0], h[1] = h[1], h[0] }, "missing"},
		"no approval":         {func(s *bundle.Source) { s.Provenance[0].History = s.Provenance[0].History[:2] }, "does not end with an approval"},
		"no provenance":       {func(s *bundle.Source) { s.Provenance = s.Provenance[1:] }, "it has no provenance"},
		"four eyes claimed":   {func(s *bundle.Source) { s.Provenance[0].FourEyes = false }, "who created and approved it"},
		"what was approved": {func(s *bundle.Source) {
			s.Provenance[0].History, s.Provenance[1].History = s.Provenance[1].History, s.Provenance[0].History
		}, "was changed"},
		"signed off by a user": {func(s *bundle.Source) { s.SignOff.By = ada }, "a sign-off is a manager's"},
		"approved by a plain user": {func(s *bundle.Source) {
			s.Provenance[0].History[2].By.Role = identity.User
			s.Provenance[0].Approved.By.Role = identity.User
		}, "which may not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withPeople(t, planck)
			for i := range s.Provenance {
				p := &s.Provenance[i]
				p.History = slices.Clone(p.History)
				approved := *p.Approved
				p.Approved = &approved
			}
			c.forge(&s)
			v, err := bundle.Verify(signedSource(t, s))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(fmt.Sprint(v.Differences), c.want) {
				t.Errorf("found %v, want %q", v.Differences, c.want)
			}
		})
	}
}

// TestOtherEngineIsNotTampering: of a bundle by another engine everything is checked
// but the figures, and a changed byte in it is still found.
func TestOtherEngineIsNotTampering(t *testing.T) {
	t.Parallel()
	built, err := bundle.Build(withPeople(t, planck))
	if err != nil {
		t.Fatal(err)
	}
	b := built.Bundle
	b.EngineVersion = "0.9.0"
	if b, err = b.Rehash(); err != nil {
		t.Fatal(err)
	}
	if b, err = b.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))); err != nil {
		t.Fatal(err)
	}
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	v, err := bundle.Verify(text)
	if err != nil || v.OtherEngine != "0.9.0" || len(v.Differences) > 0 || v.SignedBy == "" {
		t.Fatalf("%v %+v", err, v)
	}
	// Its figures are those of an engine that is held, under another name.
	if v.RecomputedBy != footprint.Engine1 || len(v.OtherFigures) > 0 || !v.Intact || v.EventID == "" || v.CalculatedAt == "" || v.FactorSet == "" {
		t.Fatalf("%+v", v)
	}
	other := b
	other.Result.PerAttendeeKg = nil
	if other, err = other.Rehash(); err != nil {
		t.Fatal(err)
	}
	other.Signature = nil
	text2, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := bundle.Verify(text2); err != nil || len(v.OtherFigures) == 0 || len(v.Differences) > 0 || !v.Intact {
		t.Fatalf("another figure by another engine: %v %+v", err, v)
	}
	changed := bytes.Replace(text, []byte(`"passengers":3`), []byte(`"passengers":4`), 1)
	if v, err := bundle.Verify(changed); err != nil || len(v.Differences) == 0 || v.SignedBy != "" {
		t.Fatalf("a changed input was not found: %v %+v", err, v)
	}
	if !json.Valid(changed) {
		t.Fatal("the change is no JSON")
	}
}
