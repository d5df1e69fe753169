package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Sealed returns the version with the hashes of the newest entry of its history, which
// a change has just appended.
func (f SupplierFactor) Sealed() SupplierFactor {
	f.History = slices.Clone(f.History)
	last := len(f.History) - 1
	prev := ""
	if last > 0 {
		prev = f.History[last-1].Hash
	}
	e := &f.History[last]
	e.State = f.state()
	e.Hash = e.digest(f.Org, f.ID, prev)
	return f
}

// state returns the hash of a version's contents.
func (f SupplierFactor) state() string {
	f.History = nil
	f.CreatedAt, f.UpdatedAt = f.CreatedAt.UTC(), f.UpdatedAt.UTC()
	text, err := json.Marshal(f)
	if err != nil {
		return "" // no field fails
	}
	return hashOf("supplier factor", string(text))
}

// digest covers the tenant and the version, so that an entry cannot be moved to another
// history.
func (e SupplierEntry) digest(org OrgID, id, prev string) string {
	values := []string{
		"supplier factor change", string(org), id, strconv.FormatInt(e.Rev, 10), e.Action, e.By.ID, e.By.Name, e.By.Role.String(),
		e.At.UTC().Format(time.RFC3339Nano), e.Comment, strconv.FormatBool(e.FourEyes), strconv.FormatInt(e.PolicyRev, 10), e.State, prev,
	}
	return hashOf(append(values, e.Changed...)...)
}

// Verify returns what is wrong with the history of a version: with each entry that has a
// hash, with those that lack one behind one that has, and with the version as the newest
// left it.
func (f SupplierFactor) Verify() error {
	prev := ""
	for i, e := range f.History {
		switch {
		case e.Rev != int64(i)+1:
			return fmt.Errorf("revision %d of its history is missing", i+1)
		case e.Hash == "" && prev == "":
			continue // the entry predates hashes
		case e.Hash != e.digest(f.Org, f.ID, prev):
			return fmt.Errorf("revision %d of its history was changed", e.Rev)
		}
		prev = e.Hash
	}
	if f.Rev != int64(len(f.History)) {
		return fmt.Errorf("it has revision %d, and a history of %d", f.Rev, len(f.History))
	}
	if prev != "" && f.History[len(f.History)-1].State != f.state() {
		return fmt.Errorf("it was changed after revision %d, by no action", f.Rev)
	}
	return nil
}
