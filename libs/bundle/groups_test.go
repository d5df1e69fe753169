package bundle_test

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/signature"
)

// memory keeps texts in memory.
type memory struct{ bytes.Buffer }

func (m *memory) Size() int { return m.Len() }

func (m *memory) Section(at, n int) io.Reader { return bytes.NewReader(m.Bytes()[at : at+n]) }

// kept keeps some records of a source as a group of them is kept.
func kept(t *testing.T, in bundle.Keeper, s bundle.Source) bundle.Kept {
	t.Helper()
	part, err := bundle.PartOf(s)
	if err != nil {
		t.Fatal(err)
	}
	k := bundle.Kept{Group: part.Group}
	if k.Records, err = bundle.TextOf(in, func(w io.Writer) error { return bundle.WriteRecords(w, part.Records) }); err != nil {
		t.Fatal(err)
	}
	if s.Organization != nil {
		if k.Provenance, err = bundle.TextOf(in, func(w io.Writer) error { return bundle.WriteProvenance(w, s.Provenance, part.Records) }); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// TestJoinGivesTheBytesOfBuild: a bundle that is put together from groups has the hashes,
// the signature and every byte of one that is made at once, however its records are divided,
// with people and without.
func TestJoinGivesTheBytesOfBuild(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	withRoles := withPeople(t, planck)
	withRoles.InputsHash = "that of the whole inputs"
	marks := withPeople(t, planck)
	marks.Failed = []string{`,"records":[],"failed":`}
	marks.SignOff.Statement, marks.SignOff.Open = `,"provenance":[{}]`, []byte(`{"a":1,"provenance":[{"record":""}],"hashes":{"event":""}}`)
	for variant, source := range map[string]bundle.Source{
		"without people": source(t), "with people": withPeople(t, planck), "with roles": bundle.NewPseudonyms(func() string { return "somebody" }).WithoutNames(withRoles), "what looks like a mark": marks,
	} {
		for _, records := range []int{0, 1, 6} {
			s := source
			s.Records = slices.Clone(s.Records[:records])
			slices.SortStableFunc(s.Records, func(a, b bundle.Input) int {
				return cmp.Or(cmp.Compare(slices.Index(footprint.Types(), a.Type), slices.Index(footprint.Types(), b.Type)), cmp.Compare(a.Seq, b.Seq))
			})
			built, err := bundle.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := built.Sign(key)
			if err != nil {
				t.Fatal(err)
			}
			want, err := whole.Encode()
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{1, 2, 6} {
				var groups []bundle.Kept
				in := new(memory)
				// An empty one among them, as of a segment whose records cannot be calculated.
				for _, some := range append(slices.Collect(slices.Chunk(s.Records, size)), nil) {
					one := s
					one.Records = some
					groups = append(groups, kept(t, in, one))
				}
				one := s
				one.Records, one.Provenance, one.InputsHash = nil, nil, built.Result.InputsHash
				joined, err := bundle.Join(one, groups)
				if err != nil {
					t.Fatal(err)
				}
				if err := joined.Sign(func(text []byte) (bundle.Signature, error) { return signature.Of(text, key) }); err != nil {
					t.Fatal(err)
				}
				reader, length, err := joined.Text()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(reader)
				if err != nil || !bytes.Equal(got, want) || length != int64(len(want)) {
					t.Fatalf("%s, %d records by %d: %v, %d of %d bytes\n%s\nwant\n%s", variant, records, size, err, length, len(want), got, want)
				}
				if sum, err := joined.Sum(); err != nil || sum != hex256(want) {
					t.Errorf("the hash of the text is %s, %v", sum, err)
				}
			}
		}
	}
	s := source(t)
	s.Records = nil
	if _, err := bundle.Join(s, nil); err == nil {
		t.Error("a bundle without the hash of its inputs was put together")
	}
}

func hex256(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestTheMakerIsCalledBetweenRecords: and its error ends the calculation.
func TestTheMakerIsCalledBetweenRecords(t *testing.T) {
	t.Parallel()
	s := source(t)
	for len(s.Records) < 200 {
		s.Records = append(s.Records, s.Records...)
	}
	calls := 0
	s.Between = func() error {
		calls++
		return nil
	}
	if _, err := bundle.PartOf(s); err != nil || calls != len(s.Records)/64 {
		t.Errorf("of %d records it was called %d times, %v", len(s.Records), calls, err)
	}
	end := errors.New("no more")
	s.Between = func() error { return end }
	if _, err := bundle.PartOf(s); !errors.Is(err, end) {
		t.Errorf("it ended with %v", err)
	}
}
