package sqlitex

import (
	"context"
	"fmt"
	"slices"
)

type minorKey struct{}

// Minor returns a context for writes that change nothing that is cached by MajorVersion.
func Minor(ctx context.Context) context.Context {
	return context.WithValue(ctx, minorKey{}, true)
}

func isMinor(ctx context.Context) bool {
	minor, _ := ctx.Value(minorKey{}).(bool)
	return minor
}

// MajorVersion is Version for what rarely changes: writes of this process under Minor leave it unchanged, if they are
// not committed together with others. Any other commit changes it, of another process too.
func (db *DB) MajorVersion(ctx context.Context) (Version, error) {
	v, err := db.versions.now(ctx, true)
	if err != nil {
		return Version{}, fmt.Errorf("read version of the file: %w", err)
	}
	return v, nil
}

// transactionState is the header at the beginning of a transaction, while no other can commit.
type transactionState struct {
	header indexHeader
	known  bool
}

func (v *versions) begun() (s transactionState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.header, s.known = v.header()
	return s
}

// committed records the state after the commit of a transaction of minor writes. It is a minor one if the state before
// is the last one seen and there was no other commit. Whoever reads the version between the commit and this call has
// counted it as a major one.
func (v *versions) committed(before transactionState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	header, ok := v.header()
	if ok && before.known && before.header == v.seen && header.commits() == before.header.commits()+1 {
		v.seen, v.states = header, v.states+1
	}
}

// areMinor reports whether all writes of a transaction are minor.
func areMinor(batch []*write) bool {
	return !slices.ContainsFunc(batch, func(one *write) bool { return !one.minor })
}
