package record

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/eventcarbon/ecf/libs/ids"
)

// NewMark makes a mark: the time in a form that sorts, so that the oldest mark
// of a set is its smallest, and 64 random bits, so that no two marks are the
// same and clearing one never clears another. The time serves only to measure
// how long a result has been due; no decision compares clocks.
func NewMark(now time.Time) string {
	var random [8]byte
	// crypto/rand.Read never returns an error.
	_, _ = rand.Read(random[:])
	return fmt.Sprintf("%012x-%s", now.UnixMilli(), hex.EncodeToString(random[:]))
}

// MarkTime returns the time a mark was made, the zero time for anything else.
func MarkTime(mark string) time.Time {
	if len(mark) < 12 {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(mark[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// NewID returns a new random id, in an index near those made about the same time.
func NewID() string { return ids.NewGrouped() }
