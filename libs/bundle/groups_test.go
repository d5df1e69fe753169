package bundle_test

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestJoinGivesTheBytesOfBuild: a bundle that is put together from groups has the hashes,
// the signature and every byte of one that is made at once, however its records are divided.
func TestJoinGivesTheBytesOfBuild(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	for _, records := range []int{0, 1, 6} {
		s := source(t)
		s.Records = s.Records[:records]
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
			var groups []bundle.Group
			var texts []bundle.Text
			// An empty one among them, as of a segment whose records cannot be calculated.
			for _, some := range append(slices.Collect(slices.Chunk(s.Records, size)), nil) {
				of := s
				of.Records = some
				part, err := bundle.PartOf(of)
				if err != nil {
					t.Fatal(err)
				}
				text, err := bundle.TextOf(func(w io.Writer) error { return bundle.WriteRecords(w, part.Records) })
				if err != nil {
					t.Fatal(err)
				}
				groups, texts = append(groups, part.Group), append(texts, text)
			}
			of := s
			of.Records, of.InputsHash = nil, built.Result.InputsHash
			joined, err := bundle.Join(of, groups, texts)
			if err != nil {
				t.Fatal(err)
			}
			if err := joined.Sign(func(text []byte) (bundle.Signature, error) { return bundle.SignText(text, key) }); err != nil {
				t.Fatal(err)
			}
			reader, length, err := joined.Text()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(reader)
			if err != nil || !bytes.Equal(got, want) || length != int64(len(want)) {
				t.Fatalf("%d records by %d: %v, %d of %d bytes\n%s\nwant\n%s", records, size, err, length, len(want), got, want)
			}
			if sum, err := joined.Sum(); err != nil || sum != hex256(want) {
				t.Errorf("the hash of the text is %s, %v", sum, err)
			}
		}
	}
	s := source(t)
	s.Records = nil
	if _, err := bundle.Join(s, nil, nil); err == nil {
		t.Error("a bundle without the hash of its inputs was put together")
	}
}

func hex256(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
