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

func TestWrapTranslatesOutagesOnly(t *testing.T) {
	t.Parallel()
	lost := topology.ConnectionError{ConnectionID: "mongo-0.internal:27017[-5]", Wrapped: io.EOF}
	for name, c := range map[string]struct {
		err  error
		want apperr.Code
	}{
		"no error":        {nil, ""},
		"lost connection": {lost, apperr.Unavailable},
		"wrapped":         {fmt.Errorf("read: %w", lost), apperr.Unavailable},
		"no primary":      {topology.ServerSelectionError{Wrapped: io.ErrUnexpectedEOF}, apperr.Unavailable},
		"stepped down":    {mongo.CommandError{Code: 189, Name: "PrimarySteppedDown"}, apperr.Unavailable},
		"majority silent": {mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64}}, apperr.Unavailable},
		"majority unsure": {mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 79}}, apperr.Unavailable},
		"taken, but by what": {mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 11000}},
			WriteConcernError: &mongo.WriteConcernError{Code: 64}}, apperr.Unavailable},
		"write conflict":    {mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 112}}}, apperr.Unavailable},
		"overloaded":        {mongo.CommandError{Code: 462, Labels: []string{"SystemOverloadedError"}}, apperr.Unavailable},
		"read unconfirmed":  {mongo.CommandError{Code: 187, Name: "LinearizableReadConcernError"}, apperr.Unavailable},
		"cursor gone":       {mongo.CommandError{Code: 43, Name: "CursorNotFound"}, apperr.Unavailable},
		"full disk":         {mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 14031}}}, apperr.Unavailable},
		"a wrong statement": {mongo.CommandError{Code: 2, Name: "BadValue"}, apperr.Internal},
		"anything else":     {errors.New("broken"), apperr.Internal},
	} {
		got := mongox.Wrap("read event", c.err)
		if apperr.CodeOf(got) != c.want {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
		if c.err != nil && !strings.Contains(got.Error(), "read event: "+c.err.Error()) {
			t.Errorf("%s: %v does not name its cause", name, got)
		}
	}
}
