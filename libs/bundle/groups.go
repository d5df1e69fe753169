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

// Group is the state that a bundle needs of some of its records after they have been written: the rows they use and
// their sum.
type Group struct {
	Count int
	Sum   total.Contribution
	rows  rows
}

// Part are records of a group with the factors that they use, and the state that Join needs.
type Part struct {
	Group
	Records []Record
	Factors []Factor
}

// PartOf calculates the records of a source, which may be a subset of an event's.
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

// WriteRecords writes records in the format of a bundle. The outputs for several
// groups are joined with commas.
func WriteRecords(w io.Writer, records []Record) error { return writeList(w, records) }

// WriteProvenance writes the provenance of some records, in order, as encoded in a bundle. The texts of several
// groups are joined as WriteRecords describes.
func WriteProvenance(w io.Writer, all []Provenance, records []Record) error {
	return writeList(w, inOrder(all, records))
}

// writeList writes the entries of a list, without its brackets.
func writeList[T any](w io.Writer, entries []T) error {
	for i, entry := range entries {
		text, err := encode(entry)
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

// Kept is a group of records with the text that WriteRecords wrote and, in a bundle of Format2, also WriteProvenance.
type Kept struct {
	Group
	Records, Provenance Text
}

// Joined is a bundle that was put together from groups of records. It has all that Bundle
// has but the records and their provenance, which are where they were written.
type Joined struct {
	Bundle
	Contribution total.Contribution
	// before is the text before the records, and between that between them and their provenance.
	before, between []byte
	// hashed is the state of a hash over everything up to the end of the texts.
	hashed              hash.Cloner
	records, provenance []Text
}

// Join puts a bundle together, without a signature, from groups of records in the order of a
// bundle. The source has no records, and the hash over the inputs of all of them.
func Join(s Source, groups []Kept) (*Joined, error) {
	if s.InputsHash == "" {
		return nil, errors.New("join a bundle: the hash of its inputs is missing")
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
		if g.Count == 0 {
			continue
		}
		j.records = append(j.records, g.Records)
		if s.Organization != nil {
			j.provenance = append(j.provenance, g.Provenance)
		}
	}
	j.Contribution = total.Sum(sums...)
	s.complete(&j.Bundle, set, all, j.Contribution)
	return j, j.hash()
}

const (
	// recordsMark is the position of the records in a bundle without any.
	recordsMark = `,"records":[],"failed":`
	// provenanceMark is the text before the provenance.
	provenanceMark = `,"provenance":[`
)

// rest returns the part after the texts.
func (j *Joined) rest() ([]byte, error) {
	b := j.Bundle
	one := []byte(nil)
	if len(j.provenance) > 0 {
		b.Provenance = make([]Provenance, 1) // a placeholder
		var err error
		if one, err = encode(b.Provenance[0]); err != nil {
			return nil, err
		}
	}
	text, err := encode(b)
	if err != nil {
		return nil, err
	}
	before, rest, ok := bytes.Cut(text, []byte(recordsMark))
	if !ok {
		return nil, errors.New("encode bundle: there is no place for its records")
	}
	j.before = slices.Concat(before, []byte(`,"records":[`))
	rest = slices.Concat([]byte(`],"failed":`), rest)
	if len(j.provenance) > 0 {
		between, after, ok := bytes.Cut(rest, slices.Concat([]byte(provenanceMark), one, []byte{']'}))
		if !ok {
			return nil, errors.New("encode bundle: there is no place for its provenance")
		}
		j.between = slices.Concat(between, []byte(provenanceMark))
		rest = slices.Concat([]byte{']'}, after)
	}
	return rest, nil
}

// listed returns texts with a comma between each two.
func listed(texts []Text) io.Reader {
	readers := make([]io.Reader, 0, 2*len(texts))
	for i, t := range texts {
		if i > 0 {
			readers = append(readers, bytes.NewReader([]byte{','}))
		}
		readers = append(readers, Texts(t))
	}
	return io.MultiReader(readers...)
}

// hashList adds a list to a hash, and returns the hash of the list only.
func hashList(content hash.Hash, texts []Text) (string, error) {
	alone := sha256.New()
	_, _ = alone.Write([]byte{'['})
	if _, err := io.Copy(io.MultiWriter(alone, content), listed(texts)); err != nil {
		return "", fmt.Errorf("hash bundle: %w", err)
	}
	_, _ = alone.Write([]byte{']'})
	return hex.EncodeToString(alone.Sum(nil)), nil
}

// hash calculates the hashes. The texts are read once for all of them.
func (j *Joined) hash() error {
	j.Hashes, j.Signature = Hashes{}, nil
	rest, err := j.rest()
	if err != nil {
		return err
	}
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
	content := sha256.New()
	_, _ = content.Write(j.before)
	if j.Hashes.Records, err = hashList(content, j.records); err != nil {
		return err
	}
	if j.Format != Format {
		_, _ = content.Write(j.between)
		if j.Hashes.Provenance, err = hashList(content, j.provenance); err != nil {
			return err
		}
	}
	j.hashed = content.(hash.Cloner)
	j.Hashes.Content, err = j.sumWith(rest)
	return err
}

// sumWith returns the hash over everything up to the end of the texts, and rest.
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

// Text returns the bytes of Bundle.Encode, and their number. It reads nothing but the stored texts.
func (j *Joined) Text() (io.Reader, int64, error) {
	rest, err := j.rest()
	if err != nil {
		return nil, 0, err
	}
	size := int64(len(j.before) + len(j.between) + len(rest))
	for _, texts := range [][]Text{j.records, j.provenance} {
		size += int64(max(len(texts)-1, 0))
		for _, t := range texts {
			size += t.size
		}
	}
	return io.MultiReader(bytes.NewReader(j.before), listed(j.records), bytes.NewReader(j.between), listed(j.provenance), bytes.NewReader(rest)), size, nil
}
