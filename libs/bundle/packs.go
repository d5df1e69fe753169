package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
)

// set returns the factor set to recompute a bundle with: the available one, else that of the excerpt in the bundle.
func (b Bundle) set() (*factors.Set, error) {
	// If the store is unavailable, the excerpt is equivalent.
	held, err := factors.ByID(b.FactorSet.ID)
	if err == nil {
		return held, nil
	}
	if !errors.Is(err, factors.ErrNotHeld) && b.FactorSet.Pack == nil {
		return nil, err
	}
	if b.FactorSet.Pack == nil {
		return nil, errors.New("no such set in this version of the program")
	}
	text, err := b.FactorSet.Pack.Encode()
	if err != nil {
		return nil, err
	}
	excerpt, err := pack.ReadExcerpt(text)
	if err != nil {
		return nil, fmt.Errorf("the rows of the set are no factor pack: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if excerpt.ID() != b.FactorSet.ID {
		return nil, fmt.Errorf("the rows are those of the factor pack %s", excerpt.ID())
	}
	if err := excerpt.CheckExcerptSignature(b.FactorSet.Version); err != nil && !errors.Is(err, pack.ErrUnsigned) {
		return nil, err
	}
	return excerpt.SetOfExcerpt(b.FactorSet.Version)
}

// statePack adds a statement on the origin of a set that is not built in.
func (v *Verdict) statePack(b Bundle) {
	p := b.FactorSet.Pack
	if p == nil {
		return
	}
	signed := "which nobody signed"
	if p.Signature != nil {
		signed = "signed with the key " + p.Signature.KeyID
	}
	v.Statements = append(v.Statements, printable(fmt.Sprintf("The factor set %s is the pack %q of %s, %s; its rows in use, %d, are in the bundle.",
		b.FactorSet.ID, p.Title, p.Publisher, signed, len(p.Rows))))
}
