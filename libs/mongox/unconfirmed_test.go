package mongox_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/mongox"
)

var (
	lostReply = mongo.CommandError{Labels: []string{"NetworkError"}, Wrapped: topology.ConnectionError{Wrapped: io.EOF}}
	conflict  = mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 112}}}
	noPrimary = topology.ServerSelectionError{Wrapped: io.ErrUnexpectedEOF}
)

// saysThatItMayBeStored reports whether a client hears that a write may have been executed.
func saysThatItMayBeStored(t *testing.T, err error) bool {
	t.Helper()
	var told *apperr.Error
	if wrapped := mongox.Wrap("write", err); !errors.As(wrapped, &told) || told.Code != apperr.Unavailable {
		t.Errorf("%v becomes %v, want %s", err, wrapped, apperr.Unavailable)
		return false
	}
	return strings.Contains(told.Message, "may have been stored")
}

// TestAWriteOfUnknownOutcomeSaysSo: who hears that the database cannot be reached may repeat the request, and who hears that
// it may have been stored looks first.
func TestAWriteOfUnknownOutcomeSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		unknown bool
	}{
		"lost connection":    {lostReply, true},
		"wrapped":            {fmt.Errorf("insert: %w", lostReply), true},
		"majority silent":    {mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64}}, true},
		"interrupted":        {mongo.CommandError{Code: 11600}, true},
		"stepped down":       {mongo.CommandError{Code: 189}, true},
		"took too long":      {mongo.CommandError{Code: 50}, true},
		"no connection":      {topology.ConnectionError{Wrapped: io.EOF}, false},
		"no free connection": {topology.WaitQueueTimeoutError{}, false},
		"no primary":         {noPrimary, false},
		"client is closed":   {mongo.ErrClientDisconnected, false},
		"not the primary":    {mongo.CommandError{Code: 10107, Labels: []string{"RetryableWriteError"}}, false},
		"write conflict":     {conflict, false},
		"full disk":          {mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 14031}}}, false},
		"overloaded":         {mongo.CommandError{Code: 462, Labels: []string{"SystemOverloadedError"}}, false},
		"overloaded and silent": {mongo.WriteException{Labels: []string{"SystemOverloadedError"},
			WriteConcernError: &mongo.WriteConcernError{Code: 64}}, true},
	} {
		if got := saysThatItMayBeStored(t, mongox.Unconfirmed(c.err)); got != c.unknown {
			t.Errorf("%s: says that it may be stored: %t, want %t", name, got, c.unknown)
		}
		if saysThatItMayBeStored(t, c.err) {
			t.Errorf("%s: of a read it is said that it may be stored", name)
		}
	}
	if err := mongox.Unconfirmed(nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
	for _, certain := range []error{mongo.CommandError{Code: 2}, mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 11000}}}} {
		if err := mongox.Wrap("write", mongox.Unconfirmed(certain)); apperr.CodeOf(err) != apperr.Internal {
			t.Errorf("%v becomes %v", certain, err)
		}
	}
}

// TestARepetitionMakesNoWriteCertain: that the second run of a write was not executed says nothing about the first.
func TestARepetitionMakesNoWriteCertain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second error
		unknown       bool
	}{
		"lost, then refused":     {lostReply, conflict, true},
		"lost, then not sent":    {lostReply, noPrimary, true},
		"lost twice":             {lostReply, lostReply, true},
		"refused, then lost":     {conflict, lostReply, true},
		"refused twice":          {conflict, conflict, false},
		"refused, then not sent": {conflict, noPrimary, false},
	} {
		runs := []error{c.first, c.second}
		repeated, err := mongox.Repeat(t.Context(), func() error {
			next := runs[0]
			runs = runs[1:]
			return next
		})
		if got := saysThatItMayBeStored(t, err); !repeated || got != c.unknown {
			t.Errorf("%s: repeated %t, says that it may be stored: %t, want %t", name, repeated, got, c.unknown)
		}
	}
}
