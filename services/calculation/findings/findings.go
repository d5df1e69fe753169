// Package findings checks the counted records of an event together, for problems that a
// single record cannot show, such as a flight entered twice or waste that is counted
// once with its material and once by itself. A finding changes no figure. It
// asks for a review.
package findings

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// Codes of findings. They are part of the API.
const (
	DuplicateFlight      = "DUPLICATE_FLIGHT"
	DuplicateRecord      = "DUPLICATE_RECORD"
	IncludedTypeMissing  = "INCLUDED_TYPE_WITHOUT_RECORDS"
	CompanionMissing     = "EXPECTED_COMPANION_MISSING"
	EndOfLifeTwice       = "END_OF_LIFE_TWICE"
	SiteEnergyTwice      = "SITE_ENERGY_TWICE"
	RoomNightsExceed     = "ROOM_NIGHTS_EXCEED_ATTENDEES"
	FlyersExceed         = "PASSENGERS_EXCEED_ATTENDEES"
	PurchaseOverlaps     = "PURCHASE_OVERLAPS_RECORDS"
	ExcludedTypeCounted  = "EXCLUDED_TYPE_COUNTED"
	OutboundWithoutBack  = "OUTBOUND_WITHOUT_RETURN"
	LargeWithoutDateOrGr = "LARGE_WITHOUT_DATE_OR_GROUP"
	OutOfRange           = "OUT_OF_RANGE_FOR_TYPE"
	SupplierNotValid     = "SUPPLIER_FACTOR_NOT_VALID"
	SupplierWithdrawn    = "SUPPLIER_FACTOR_WITHDRAWN"
	NotChecked           = "CROSS_CHECKS_LEFT_OUT"
)

// Severities of findings.
const (
	Warning = "warning" // the total is probably wrong
	Info    = "info"    // to be checked
)

// Finding is something about several records, or about one beside the event.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	// RecordIDs are the records it is about, at most MaxIDs of them.
	RecordIDs []record.ID `json:"recordIds"`
	// Records is how many records it is about.
	Records int `json:"records"`
	// format and args are those of the message; only if somebody wrote a part of it.
	format string
	args   []any
}

// freeText is an argument of a message that somebody wrote.
type freeText string

// Withholding returns the finding with the given words in place of what people wrote.
func (f Finding) Withholding(words string) Finding {
	if f.format == "" {
		return f
	}
	args := slices.Clone(f.args)
	for i := range args {
		if _, ok := args[i].(freeText); ok {
			args[i] = freeText(words)
		}
	}
	f.Message, f.format, f.args = fmt.Sprintf(f.format, args...), "", nil
	return f
}

const (
	// MaxIDs bounds the ids of one finding.
	MaxIDs = 50
	// MaxPerCode bounds the findings of one code; a last one states how many more there are.
	MaxPerCode = 20
)

// Event is what of an event the findings need.
type Event struct {
	// Attendees in person, 0 if not stated, and Days, 0 if unknown.
	Attendees, Days int64
	// Virtual are remote attendees, 0 if not stated.
	Virtual int64
	// Excluded are the types that the event's boundary excludes.
	Excluded []string
	// Included are the types that the event's boundary means to cover.
	Included []string
	// Start is the event's first day, or empty.
	Start string
	// Place is the place of the event, nil if not stated.
	Place *Spot
	// Total is the footprint of all counted records.
	Total footprint.Mass
}

// EventOf returns what the findings need of an event and its total.
func EventOf(e record.Event, total footprint.Mass) Event {
	out := Event{Total: total, Start: e.StartDate, Place: placeOf(e.Location)}
	if e.Attendees != nil {
		out.Attendees = *e.Attendees
	}
	if e.VirtualAttendees != nil {
		out.Virtual = *e.VirtualAttendees
	}
	out.Days = e.Context().Days()
	var boundary struct {
		Included []string `json:"included"`
		Excluded []struct {
			Type string `json:"type"`
		} `json:"excluded"`
	}
	// The boundary was decoded before; unreadable ones name no type.
	_ = json.Unmarshal(e.Boundary, &boundary)
	out.Included = boundary.Included
	for _, x := range boundary.Excluded {
		out.Excluded = append(out.Excluded, x.Type)
	}
	return out
}

// Of returns the findings of an event: warnings first, then by code. The order of
// the facts does not matter; they come in one part or several.
func Of(e Event, parts ...[]Fact) []Finding {
	facts := sorted(parts)
	checks := []func(Event, []*Fact) []Finding{
		duplicateFlights, duplicates, grownLists, includedMissing, companions, endOfLifeTwice, energyOfSites, energyOfNoSite, roomNights, passengers, travellers, arrivals, purchases, excluded, outbound, large, outOfRange, expiredFactors,
	}
	out := []Finding{}
	for _, check := range checks {
		out = append(out, bounded(check(e, facts))...)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(-cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// sorted returns all facts by type and id. Ids usually differ in their first bytes, so those are compared first,
// without dereferencing the facts.
func sorted(parts [][]Fact) []*Fact {
	type placed struct {
		first uint64
		*Fact
	}
	ofType, n := map[string][]placed{}, 0
	for _, part := range parts {
		n += len(part)
		for i := range part {
			var first [8]byte
			copy(first[:], part[i].ID)
			ofType[part[i].Type] = append(ofType[part[i].Type], placed{binary.BigEndian.Uint64(first[:]), &part[i]})
		}
	}
	facts := make([]*Fact, 0, n)
	for _, typ := range slices.Sorted(maps.Keys(ofType)) {
		all := ofType[typ]
		slices.SortFunc(all, func(a, b placed) int {
			if a.first != b.first {
				return cmp.Compare(a.first, b.first)
			}
			return strings.Compare(string(a.ID), string(b.ID))
		})
		for _, p := range all {
			facts = append(facts, p.Fact)
		}
	}
	return facts
}

// TooMany is the one finding of an event that is too large to be checked.
func TooMany(most int) Finding {
	return Finding{Code: NotChecked, Severity: Info, RecordIDs: []record.ID{},
		Message: fmt.Sprintf("Records are compared with each other, and ranked by what to measure next, only in events of up to %d counted records; this event has more.", most)}
}

// finding returns a finding whose message is formatted. An argument that people wrote is a freeText.
func finding(code, severity string, about []*Fact, format string, args ...any) Finding {
	f := Finding{Code: code, Severity: severity, Message: fmt.Sprintf(format, args...), RecordIDs: []record.ID{}, Records: len(about)}
	for _, a := range about[:min(len(about), MaxIDs)] {
		f.RecordIDs = append(f.RecordIDs, a.ID)
	}
	if slices.ContainsFunc(args, func(arg any) bool { _, ok := arg.(freeText); return ok }) {
		f.format, f.args = format, args
	}
	return f
}

// bounded returns the findings of one check that concern the most records.
func bounded(all []Finding) []Finding {
	if len(all) <= MaxPerCode {
		return all
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(b.Records, a.Records) })
	rest := all[MaxPerCode-1:]
	last := Finding{Code: rest[0].Code, Severity: rest[0].Severity, RecordIDs: []record.ID{}}
	for _, f := range rest {
		last.Records += f.Records
		last.RecordIDs = append(last.RecordIDs, f.RecordIDs[:min(len(f.RecordIDs), MaxIDs-len(last.RecordIDs))]...)
	}
	last.Message = fmt.Sprintf("%d more findings of the same kind are not listed.", len(rest))
	return append(all[:MaxPerCode-1:MaxPerCode-1], last)
}

// groups returns the facts that share a key, sorted by it. Empty keys are ignored.
func groups(facts []*Fact, key func(*Fact) string) [][]*Fact {
	of, keys := inOrder(facts, key)
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	out := make([][]*Fact, len(of))
	for i, at := range order {
		out[i] = of[at]
	}
	return out
}

// inOrder is groups in the order of their first facts, and their keys.
func inOrder(facts []*Fact, key func(*Fact) string) (out [][]*Fact, keys []string) {
	at := map[string]int{}
	var alone []*Fact // room for those that share their key with no other
	for left, f := range facts {
		k := key(f)
		if k == "" {
			continue
		}
		if alone == nil {
			alone = make([]*Fact, 0, len(facts)-left)
		}
		if i, known := at[k]; known {
			out[i] = append(out[i], f)
			continue
		}
		alone = append(alone, f)
		n := len(alone)
		at[k], out, keys = len(out), append(out, alone[n-1:n:n]), append(keys, k)
	}
	return out, keys
}

// repeated returns the facts that may share a key with another one, in order: all that do, and few others. It uses a
// digest of each key, 0 for none, so that the many unique facts need neither a key nor a map entry.
func repeated(facts []*Fact, digest func(*Fact) uint64) []*Fact {
	size := uint64(1) << max(6, bits.Len(uint(len(facts)))+4) // some 3 % collide
	once, more := make([]uint64, size/64), make([]uint64, size/64)
	digests := make([]uint64, len(facts))
	for i, f := range facts {
		d := digest(f)
		digests[i] = d
		if d == 0 {
			continue
		}
		at, bit := d%size/64, uint64(1)<<(d%64)
		more[at] |= once[at] & bit
		once[at] |= bit
	}
	var out []*Fact
	for i, d := range digests {
		if d != 0 && more[d%size/64]&(1<<(d%64)) != 0 {
			out = append(out, facts[i])
		}
	}
	return out
}

func with(facts []*Fact, is func(*Fact) bool) []*Fact {
	var out []*Fact
	for _, f := range facts {
		if is(f) {
			out = append(out, f)
		}
	}
	return out
}

// normal normalizes names.
func normal(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
