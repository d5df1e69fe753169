package mongox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/schema"
)

// Options of an address are applied or rejected with the reason, and the password is never shown.
func TestOptionsOfTheAddress(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		"":                                    "",
		"maxPoolSize=7&timeoutMS=9000":        "",
		"w=majority&journal=true":             "",
		"readPreference=primary":              "",
		"readPreference=secondaryPreferred":   "readPreference=secondaryPreferred",
		"w=1":                                 "write concern",
		"journal=false":                       "write concern",
		"readConcernLevel=majority":           "",
		"readConcernLevel=local":              "readConcernLevel=local",
		"tls=true&tlsCAFile=/nonexistent.pem": "/nonexistent.pem",
		"maxPoolSize=many":                    "maxPoolSize",
		"timeoutMS=0":                         "timeoutMS=0",
	} {
		err := mongox.Check("mongodb://ecf:hunter2@db.test/ecf?" + options)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", options, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", options, err, want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the password shows: %v", options, err)
		}
	}
}

// The name of the database does not depend on a name server.
func TestDatabaseName(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"mongodb://db.test":                                       "fallback",
		"mongodb://db.test/":                                      "fallback",
		"mongodb://db.test/?w=majority":                           "fallback",
		"mongodb://db.test/ecf?authSource=admin":                  "ecf",
		"mongodb://ecf:p%2Fw%40@a.test:27017,b.test:27017/prod":   "prod",
		"mongodb+srv://ecf:hunter2@nowhere.invalid/prod?tls=true": "prod",
		"mongodb+srv://nowhere.invalid":                           "fallback",
		"mongodb://%2Ftmp%2Fmongodb-27017.sock/na%2Dme":           "na-me",
	} {
		if got := mongox.DatabaseName(uri, "fallback"); got != want {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
}

func TestPermanentErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err       error
		permanent bool
	}{
		"unauthorized":         {mongo.CommandError{Code: 13}, true},
		"conflicting index":    {fmt.Errorf("step 3: %w", mongo.CommandError{Code: 86}), true},
		"wrong options":        {mongo.CommandError{Code: 72}, true},
		"wrong password":       {fmt.Errorf("auth: %w", driver.Error{Code: 18}), true},
		"a newer schema":       {fmt.Errorf("records: %w", schema.ErrNewer), true},
		"no primary":           {mongo.CommandError{Code: 10107}, false},
		"a step that was long": {mongo.CommandError{Code: 50}, false},
		"an unknown failure":   {errors.New("anything"), false},
		"the end":              {context.Canceled, false},
	} {
		if got := mongox.IsPermanent(c.err); got != c.permanent {
			t.Errorf("%s: permanent %v, want %v", name, got, c.permanent)
		}
	}
}
