package record

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/spelling"
)

// SupplierLibrary finds the factors that the records of an organization name. It
// remembers what it has read, for the many records of one request. It is used by
// one goroutine.
type SupplierLibrary struct {
	Context context.Context //nolint:containedctx // it lives as long as one request
	Store   interface {
		SupplierFactorVersions(ctx context.Context, org OrgID, key string) ([]SupplierFactor, error)
		SupplierFactorList(ctx context.Context, org OrgID, skip, limit int64) ([]SupplierFactor, int64, error)
	}
	Org OrgID

	read map[string][]SupplierFactor
}

var _ footprint.SupplierFactors = (*SupplierLibrary)(nil)

// DecodeOptions returns the options for decoding records with the supplier factors of an
// organization, for use by one goroutine.
func DecodeOptions(ctx context.Context, store SupplierFactors, org OrgID, strict bool) footprint.Options {
	return footprint.Options{Strict: strict, Suppliers: &SupplierLibrary{Context: ctx, Store: store, Org: org}}
}

// maxRemembered bounds the cache of a library against hostile files.
const maxRemembered = 1000

func (l *SupplierLibrary) versions(name string) ([]SupplierFactor, error) {
	key := SupplierKey(name)
	if all, ok := l.read[key]; ok {
		return all, nil
	}
	all, err := l.Store.SupplierFactorVersions(l.Context, l.Org, key)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f SupplierFactor) bool { return f.Deleted })
	if l.read == nil || len(l.read) >= maxRemembered {
		l.read = map[string][]SupplierFactor{}
	}
	l.read[key] = all
	return all, nil
}

// SupplierFactor implements footprint.SupplierFactors.
func (l *SupplierLibrary) SupplierFactor(reference, day string) (footprint.SupplierFactor, string, error) {
	name, version := reference, int64(0)
	if at := strings.LastIndexByte(reference, '@'); at >= 0 {
		n, err := strconv.ParseInt(reference[at+1:], 10, 64)
		if err != nil || n < 1 {
			return footprint.SupplierFactor{}, "", unknownSupplier("%q is not a version number; write the name alone, or the name with its version, such as %s@1.", reference[at+1:], reference[:at])
		}
		name, version = reference[:at], n
	}
	all, err := l.versions(name)
	if err != nil {
		return footprint.SupplierFactor{}, "", fmt.Errorf("read supplier factors: %w", err)
	}
	if len(all) == 0 {
		return footprint.SupplierFactor{}, "", l.unknown(name)
	}
	if version > 0 {
		return exactVersion(all, name, version)
	}
	var usable []string
	for _, f := range all {
		if f.Status != SupplierApproved {
			continue
		}
		if f.ValidOn(day) {
			return f.SupplierFactor, "", nil
		}
		usable = append(usable, f.Reference())
	}
	if len(usable) > 0 {
		e := unknownSupplier("No approved version of %s is valid on %s: %s is valid %s. To use one anyway, name its version.",
			all[0].Name, day, usable[0], validityOf(all, usable[0]))
		e.Offered = usable[:min(len(usable), 3)]
		return footprint.SupplierFactor{}, "", e
	}
	return footprint.SupplierFactor{}, "", unknownSupplier("No version of %s is approved; the newest, %s, is %s. It can be used once a manager has approved it.",
		all[0].Name, all[0].Reference(), all[0].Status)
}

func validityOf(all []SupplierFactor, reference string) string {
	for _, f := range all {
		if f.Reference() == reference {
			return f.Validity()
		}
	}
	return ""
}

// exactVersion returns a version that is named: one that is approved, or was when
// it was withdrawn.
func exactVersion(all []SupplierFactor, name string, version int64) (footprint.SupplierFactor, string, error) {
	for _, f := range all {
		switch {
		case f.Version != version:
		case f.Status == SupplierApproved:
			return f.SupplierFactor, "", nil
		case f.Status == SupplierWithdrawn:
			return f.SupplierFactor, f.Reference() + " was withdrawn from the library; a newer version or another factor should take its place.", nil
		default:
			return footprint.SupplierFactor{}, "", unknownSupplier("%s is %s. It can be used once a manager has approved it.", f.Reference(), f.Status)
		}
	}
	e := unknownSupplier("%s has no version %d.", name, version)
	for _, f := range all[:min(len(all), 3)] {
		e.Offered = append(e.Offered, f.Reference())
	}
	return footprint.SupplierFactor{}, "", e
}

// unknown returns an error with suggestions from the library.
func (l *SupplierLibrary) unknown(name string) error {
	const looked = 200
	page, _, err := l.Store.SupplierFactorList(l.Context, l.Org, 0, looked)
	if err != nil {
		return fmt.Errorf("read supplier factors: %w", err)
	}
	var names []string
	for _, f := range page {
		if f.Status == SupplierApproved && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	e := unknownSupplier("The library of your organization has no supplier factor named %q.", shortName(name))
	e.Offered = spelling.Nearest(name, names, 3)
	return e
}

func shortName(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}

func unknownSupplier(format string, args ...any) *footprint.UnknownSupplierFactorError {
	return &footprint.UnknownSupplierFactorError{Message: fmt.Sprintf(format, args...)}
}
