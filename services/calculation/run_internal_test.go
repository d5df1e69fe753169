package calculation

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity"
)

// nobody verifies no token.
type nobody struct{}

func (nobody) Verify(context.Context, string) (identity.Principal, error) {
	return identity.Principal{}, errors.New("no such token")
}

// TestTheProgramIsHashedAtItsStart: the first explanation or report does not wait for it, and when a later release has
// replaced the file of the program, the tags of this one are not those of that.
func TestTheProgramIsHashedAtItsStart(t *testing.T) { //nolint:paralleltest // it replaces a variable
	hash, hashed := programHash, make(chan struct{})
	programHash = func() (string, error) {
		close(hashed)
		return "", nil
	}
	defer func() { programHash = hash }()
	enough := errors.New("enough")
	err := app.Serve(t.Context(), app.Env{Logger: slog.New(slog.DiscardHandler)}, "calculation", app.Listen{}, func(_ context.Context, p *app.Process) (app.Service, error) {
		s, err := Start(p, Deps{Verifier: nobody{}})
		return s, errors.Join(err, enough)
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	select {
	case <-hashed:
	case <-time.After(10 * time.Second):
		t.Error("the program is not hashed")
	}
}
