package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
)

// packSettings are the settings of factors check and factors sign.
type packSettings struct {
	Folder keys.Folder
	Keys   string
	file   string
}

// Describe implements settings.Config.
func (c *packSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Keys, "keys", "", "file or URL of keys that may sign packs, in addition to the report keys of this system", nil)
	c.Folder.Describe(s)
	s.Argument(&c.file, "name one file (- for standard input)")
}

// addSettings are the settings of factors add.
type addSettings struct {
	packSettings
	Data     Data
	Unsigned bool
}

// Describe implements settings.Config.
func (c *addSettings) Describe(s *settings.Set) {
	s.BoolFlag(&c.Unsigned, "unsigned", "accept a pack without a signature; the list of factor sets shows it")
	c.packSettings.Describe(s)
	c.Data.Describe(s)
}

// packExportSettings are the settings of factors export.
type packExportSettings struct {
	Name    string
	Release int
	set     string
}

// Describe implements settings.Config.
func (c *packExportSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Name, "name", "", "name of the pack, such as desnz-2027", nil).Require()
	s.Flag("release", "1", "number of the pack's release", func(v string) (err error) {
		if c.Release, err = strconv.Atoi(v); err != nil || c.Release < 1 {
			return errors.New("must be a whole number from 1")
		}
		return nil
	}, func() string { return strconv.Itoa(c.Release) })
	s.Argument(&c.set, "name one factor set")
}

// read reads the file in the arguments, and prints warnings for the operator.
func (c *packSettings) read(env app.Env) (*pack.Document, error) {
	text, err := readBundle(env, c.file)
	if err != nil {
		return nil, err
	}
	document, notes, err := pack.Read(text)
	for _, n := range notes {
		if _, printed := fmt.Fprintf(env.Stdout, "look at %s\n", n); printed != nil {
			return nil, printed
		}
	}
	if faults, ok := errors.AsType[pack.Faults](err); ok {
		return nil, fmt.Errorf("the pack has %d faults:\n%w", len(faults), faults)
	}
	return document, err
}

// signer returns the key that signed a pack, an error that wraps pack.ErrUnsigned, or what is
// wrong with the signature.
func (c *packSettings) signer(ctx context.Context, d *pack.Document) (kid string, err error) {
	if err := d.CheckSignature(); err != nil {
		return "", err
	}
	kid = d.Signature.KeyID
	trusted, err := c.trusted(ctx)
	if err != nil {
		return "", err
	}
	if !slices.Contains(trusted, kid) {
		return "", fmt.Errorf("the pack is signed with the key %s, which is neither one of the report keys of this system nor one of those in --keys", kid)
	}
	return kid, nil
}

// trusted returns the ids of the keys that may sign packs.
func (c *packSettings) trusted(ctx context.Context) ([]string, error) {
	var trusted []string
	own, err := bundle.OpenKeys(calculation.ReportKeysDir(c.Folder.Path), false)
	switch {
	case err == nil:
		trusted = idsOf(own.Public())
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if c.Keys == "" {
		return trusted, nil
	}
	published, err := publishedKeys(ctx, c.Keys)
	return append(trusted, published...), err
}

// factorsCheck checks a pack without adding it.
func factorsCheck(ctx context.Context, env app.Env, c *packSettings) error {
	d, err := c.read(env)
	if err != nil {
		return err
	}
	kid, err := c.signer(ctx, d)
	signed := "signed with the key " + kid
	if errors.Is(err, pack.ErrUnsigned) {
		signed, err = "not signed", nil
	}
	if err != nil {
		return err
	}
	sum, err := d.Checksum()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s: %d rows, %d sources, %s\nchecksum %s\n", d.ID(), len(d.Rows), len(d.Sources), signed, sum)
	return err
}

// factorsSign prints a pack signed with the newest report key.
func factorsSign(_ context.Context, env app.Env, c *packSettings) error {
	quiet := env
	quiet.Stdout = io.Discard
	d, err := c.read(quiet)
	if err != nil {
		return err
	}
	own, err := bundle.OpenKeys(calculation.ReportKeysDir(c.Folder.Path), false)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no key to sign with: %w", err)
	}
	if err != nil {
		return err
	}
	if err := d.Sign(own.SignText); err != nil {
		return err
	}
	return printPack(env, d)
}

func printPack(env app.Env, d *pack.Document) error {
	text, err := d.Encode()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\n", text)
	return err
}

// factorsExport prints a built-in set as a pack with another name.
func factorsExport(_ context.Context, env app.Env, c *packExportSettings) error {
	at := slices.IndexFunc(factors.Sets(), func(s *factors.Set) bool { return s.ID == c.set })
	if at < 0 {
		return fmt.Errorf("%q is not a built-in factor set", c.set)
	}
	d := pack.Export(factors.Sets()[at], c.Name, c.Release)
	if !factors.IsPackID(d.ID()) {
		return fmt.Errorf("--name must consist of lower-case letters, digits and single hyphens; got %q", c.Name)
	}
	return printPack(env, &d)
}

// factorsAdd adds a pack. Running servers load it with the first request that names it. An
// existing set never changes.
func factorsAdd(ctx context.Context, env app.Env, c *addSettings) error {
	d, err := c.read(env)
	if err != nil {
		return err
	}
	kid, err := c.signer(ctx, d)
	if errors.Is(err, pack.ErrUnsigned) && c.Unsigned {
		kid, err = "", nil
	}
	if errors.Is(err, pack.ErrUnsigned) {
		return fmt.Errorf("%w: sign it with ecf factors sign, or add it with --unsigned", err)
	}
	if err != nil {
		return err
	}
	sum, err := d.Checksum()
	if err != nil {
		return err
	}
	text, err := d.Encode()
	if err != nil {
		return err
	}
	return describe(withAccounts(ctx, c.Data, env.Logger, func(opened *stores, accounts *auth.Accounts) error {
		p := record.FactorPack{ID: d.ID(), Checksum: sum, AddedAt: time.Now().UTC().Truncate(time.Millisecond), Document: text}
		added, err := addPack(ctx, opened.records, p)
		if err != nil {
			return err
		}
		if added {
			if err := accounts.FactorPackAdded(ctx, p.ID, sum, kid); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(env.Stdout, "%s\n", p.ID)
		return err
	}))
}

// addPack stores a pack, and reports whether it is new.
func addPack(ctx context.Context, store record.FactorPacks, p record.FactorPack) (added bool, err error) {
	err = store.InsertFactorPack(ctx, p)
	if !errors.Is(err, record.ErrDuplicate) {
		return err == nil, err
	}
	there, err := store.FactorPack(ctx, p.ID)
	if err == nil && there.Checksum != p.Checksum {
		err = fmt.Errorf("%s exists already with different content (checksum %s), and a set never changes: give the pack the next release number", p.ID, there.Checksum)
	}
	return false, err
}

// factorsList prints the factor sets, the built-in ones first.
func factorsList(ctx context.Context, env app.Env, d *Data) (err error) {
	opened, err := openExisting(ctx, env, *d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.close()) }()
	for _, s := range factors.Sets() {
		if _, err := fmt.Fprintf(env.Stdout, "%s\t%d\t%d rows\tbuilt in\n", s.ID, s.Year, len(s.Factors())); err != nil {
			return err
		}
	}
	ids, err := opened.records.FactorPackIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p, err := opened.records.FactorPack(ctx, id)
		if err != nil {
			return err
		}
		s, err := factors.Resolve(ctx, id)
		if err != nil {
			return err
		}
		signed := "signed with the key " + s.Pack.SignedBy
		if s.Pack.SignedBy == "" {
			signed = "not signed"
		}
		if _, err := fmt.Fprintf(env.Stdout, "%s\t%d\t%d rows, %d of its own\tadded %s, %s\t%s\n", s.ID, s.Year, len(s.Factors()), s.Pack.Rows,
			p.AddedAt.Format(time.RFC3339), signed, s.Pack.Title); err != nil {
			return err
		}
	}
	return nil
}
