package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/standalone/auditheads"
)

// exportSettings are the settings of audit export.
type exportSettings struct {
	Data
	To     string
	Folder keys.Folder
}

// Describe implements settings.Config.
func (c *exportSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.To, "to", "", "file to write, which must not exist", nil).Require()
	c.Folder.Describe(s)
	c.Data.Describe(s)
}

// auditExport writes the heads of all chains to a file, signed with the report key. It may run
// beside servers.
func auditExport(ctx context.Context, env app.Env, c *exportSettings) (err error) {
	signing, err := reportKeysOf(c.Folder)
	if err != nil {
		return err
	}
	stores, err := openExisting(ctx, env, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	// Written under another name until it is complete.
	partial := filepath.Join(filepath.Dir(c.To), "."+filepath.Base(c.To)+".partial")
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return fmt.Errorf("--to must name a file that can be written: %w", err)
	}
	defer os.Remove(partial) //nolint:errcheck // it is no longer there where all went well
	heads, err := writeHeads(ctx, f, stores, signing)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = durable.Link(partial, c.To)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists already, and exports never overwrite a file", c.To)
	case isFull(err):
		return fmt.Errorf("the disk of %s has no room for the heads, and nothing was written: make room, or name a file on another disk with --to: %w", absolute(c.To), err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%d heads, signed with the key %s\n", heads, signing.Public().Keys[0].KeyID)
	return err
}

func reportKeysOf(folder keys.Folder) (*bundle.Keys, error) {
	list, err := bundle.OpenKeys(calculation.ReportKeysDir(folder.Path), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no key of reports (ecf keys rotate --reports makes one): %w", err)
	}
	return list, err
}

func writeHeads(ctx context.Context, out io.Writer, s *stores, signing *bundle.Keys) (int64, error) {
	w, err := auditheads.NewWriter(out, time.Now())
	if err != nil {
		return 0, err
	}
	if err := s.chains().Export(ctx, w.Add); err != nil {
		return 0, err
	}
	return w.Close(signing.SignText)
}

func (s *stores) chains() auditheads.Stores {
	return auditheads.Stores{Records: s.records, Accounts: s.accounts}
}

// compareHeads prints what existed when the heads were exported and is missing now, and returns
// the number of such things. What organizations had that are or were being deleted may be missing.
func compareHeads(ctx context.Context, out io.Writer, c *auditSettings, s *stores, deletions map[string]auth.Deletion) (broken int, err error) {
	trusted, err := trustedKeys(ctx, c)
	if err != nil {
		return 0, err
	}
	f, err := os.Open(c.Heads)
	if err != nil {
		return 0, fmt.Errorf("--heads must name a file written by ecf audit export: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	compared := int64(0)
	comparer := auditheads.Comparer{Stores: s.chains(), Report: func(fault string) error {
		broken++
		_, err := fmt.Fprintln(out, fault)
		return err
	}}
	at, signedBy, err := auditheads.Read(f, func(h auditheads.Head) error {
		if _, ok := deletions[h.Org]; ok {
			return nil
		}
		compared++
		return comparer.Add(ctx, h)
	})
	if err != nil {
		return broken, fmt.Errorf("%s: %w", c.Heads, err)
	}
	if err := comparer.Flush(ctx); err != nil {
		return broken, err
	}
	if !slices.Contains(trusted, signedBy) {
		return broken, fmt.Errorf("%s is signed with the key %s, which is not one of the %d trusted keys", c.Heads, signedBy, len(trusted))
	}
	_, err = fmt.Fprintf(out, "%d heads of %s compared, %d faults\n", compared, at.Format(time.RFC3339), broken)
	return broken, err
}

// trustedKeys returns the ids of the keys that may have signed a file of heads.
func trustedKeys(ctx context.Context, c *auditSettings) ([]string, error) {
	if c.Keys != "" {
		return publishedKeys(ctx, c.Keys)
	}
	own, err := reportKeysOf(c.Folder)
	if err != nil {
		return nil, fmt.Errorf("%w; name the keys with --keys", err)
	}
	return idsOf(own.Public()), nil
}
