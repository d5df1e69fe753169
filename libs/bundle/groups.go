package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// Group is what a bundle needs of some of its records once they have been written: the
// rows they use and their sum.
type Group struct {
	Count int
	Sum   total.Contribution
	rows  rows
}

// Part is records of a group with the factors that they use, and what Join needs of them.
type Part struct {
	Group
	Records []Record
	Factors []Factor
}

// PartOf calculates the records of a source, which may be some of an event's.
func PartOf(s Source) (Part, error) {
	set, err := s.factorSet()
	if err != nil {
		return Part{}, fmt.Errorf("bundle: %w", err)
	}
	records, parts, used, faults := s.calculate(set)
	if len(faults) > 0 {
		return Part{}, fmt.Errorf("bundle: %w", faults[0].err)
	}
	return Part{Group{Count: len(records), Sum: total.Sum(parts...), rows: used}, records, used.factors(set, footprint.HasAllRows(s.context().EngineVersion()))}, nil
}

// WriteRecords writes records as they stand in a bundle. What was written for several
// groups is put together with a comma between each two.
func WriteRecords(w io.Writer, records []Record) error {
	for i, r := range records {
		text, err := encode(r)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte{','}, text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// Joined is a bundle that was put together from groups of records. It has all that Bundle
// has but the records, which are where they were written.
type Joined struct {
	Bundle
	Contribution total.Contribution
	before       []byte
	// hashed is the state of a hash over everything up to the end of the records.
	hashed hash.Cloner
	texts  []Text
}

// Join puts a bundle of Format together, without a signature, from groups of records in the
// order of a bundle, and what WriteRecords has written of each. The source has no records,
// and the hash over the inputs of all of them.
func Join(s Source, groups []Group, texts []Text) (*Joined, error) {
	if s.Organization != nil || s.InputsHash == "" || len(groups) != len(texts) {
		return nil, errors.New("join a bundle: this one is made at once")
	}
	set, err := s.factorSet()
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	all := rows{used: map[string]bool{}, suppliers: map[string]factors.Factor{}, consulted: map[int]factors.Factor{}}
	j := &Joined{Bundle: s.head(set)}
	sums := make([]total.Contribution, len(groups))
	for i, g := range groups {
		sums[i] = g.Sum
		all.add(g.rows)
		if g.Count > 0 {
			j.texts = append(j.texts, texts[i])
		}
	}
	j.Contribution = total.Sum(sums...)
	s.complete(&j.Bundle, set, all, j.Contribution)
	return j, j.hash()
}

// recordsMark is where the records stand in a bundle that has none.
const recordsMark = `,"records":[],"failed":`

// rest returns what follows the records.
func (j *Joined) rest() ([]byte, error) {
	text, err := encode(j.Bundle)
	if err != nil {
		return nil, err
	}
	before, rest, ok := bytes.Cut(text, []byte(recordsMark))
	if !ok {
		return nil, errors.New("encode bundle: there is no place for its records")
	}
	j.before = slices.Concat(before, []byte(`,"records":[`))
	return slices.Concat([]byte(`],"failed":`), rest), nil
}

// records returns the text of all records.
func (j *Joined) records() io.Reader {
	if len(j.texts) == 0 {
		return bytes.NewReader(nil)
	}
	readers := []io.Reader{Texts(j.texts[0])}
	for _, t := range j.texts[1:] {
		readers = append(readers, bytes.NewReader([]byte{','}), Texts(t))
	}
	return io.MultiReader(readers...)
}

// hash fills in the hashes. The records are read once for all of them.
func (j *Joined) hash() error {
	j.Hashes, j.Signature = Hashes{}, nil
	rest, err := j.rest()
	if err != nil {
		return err
	}
	records, content := sha256.New(), sha256.New()
	_, _ = content.Write(j.before)
	_, _ = records.Write([]byte{'['})
	if _, err := io.Copy(io.MultiWriter(records, content), j.records()); err != nil {
		return fmt.Errorf("hash records: %w", err)
	}
	_, _ = records.Write([]byte{']'})
	j.hashed = content.(hash.Cloner)
	for _, p := range []struct {
		part any
		to   *string
	}{{j.Event, &j.Hashes.Event}, {j.Factors, &j.Hashes.Factors}, {j.Result, &j.Hashes.Result}} {
		text, err := encode(p.part)
		if err != nil {
			return err
		}
		*p.to = sum256(text)
	}
	j.Hashes.Records = hex.EncodeToString(records.Sum(nil))
	j.Hashes.Content, err = j.sumWith(rest)
	return err
}

// sumWith returns the hash over everything up to the end of the records, and what follows.
func (j *Joined) sumWith(rest []byte) (string, error) {
	h, err := j.hashed.Clone()
	if err != nil {
		return "", fmt.Errorf("hash bundle: %w", err)
	}
	_, _ = h.Write(rest)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Sign adds the signature that sign returns of the text that is signed.
func (j *Joined) Sign(sign func(text []byte) (Signature, error)) error {
	j.Signature = nil
	sum, err := j.Sum()
	if err != nil {
		return err
	}
	signature, err := sign([]byte(j.Format + "\n" + sum))
	if err == nil {
		j.Signature = &signature
	}
	return err
}

// Sum returns the SHA-256 of the bundle's text.
func (j *Joined) Sum() (string, error) {
	rest, err := j.rest()
	if err != nil {
		return "", err
	}
	return j.sumWith(rest)
}

// Text returns the bytes that Bundle.Encode would, and how many they are. Nothing but
// memory is read for them.
func (j *Joined) Text() (io.Reader, int64, error) {
	rest, err := j.rest()
	if err != nil {
		return nil, 0, err
	}
	size := int64(len(j.before)+len(rest)) + int64(max(len(j.texts)-1, 0))
	for _, t := range j.texts {
		size += t.size
	}
	return io.MultiReader(bytes.NewReader(j.before), j.records(), bytes.NewReader(rest)), size, nil
}
