// Package factorpacks finds the factor sets that operators have added to a store.
package factorpacks

import (
	"context"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/record"
)

// Source returns the source of the sets of a store's packs.
func Source(store record.FactorPacks) factors.Source {
	return func(ctx context.Context, id string) (*factors.Set, error) {
		p, err := store.FactorPack(ctx, id)
		if errors.Is(err, record.ErrNotFound) {
			return nil, fmt.Errorf("%w as %q", factors.ErrNotHeld, id)
		}
		if err != nil {
			return nil, err
		}
		document, _, err := pack.Read(p.Document)
		if err != nil {
			return nil, fmt.Errorf("read factor pack %s: %w", id, err)
		}
		set, err := document.Set()
		if err == nil && (set.ID != id || set.Checksum != p.Checksum) {
			err = fmt.Errorf("factor pack %s is damaged: its content is that of %s, checksum %s", id, set.ID, set.Checksum)
		}
		return set, err
	}
}
