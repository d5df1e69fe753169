package standalone

import (
	"cmp"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/cache"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/gateway"
	"github.com/eventcarbon/ecf/services/records"
)

// Data is the location of the data, a setting of every command.
type Data struct {
	app.Log
	// Dir contains the embedded database and generated secrets.
	Dir      keys.DataDir
	Records  mongodb.Optional
	Accounts mongodb.Accounts
	// filled reports that this process copies other data into MongoDB: others must not use them before that is finished.
	filled bool
	// waits reports that this process is a server, which waits for the schema of MongoDB to be brought up; a command ends.
	waits bool
}

// Describe implements settings.Config.
func (c *Data) Describe(s *settings.Set) {
	c.Dir.Describe(s)
	c.Records.Describe(s)
	s.Note("ECF_MONGODB_URI", "the embedded database when empty")
	c.Accounts.Describe(s)
	c.Log.Describe(s)
}

// Config are the settings of the server.
type Config struct {
	app.Listen
	// Demo creates a demo organization on the first start, whose accounts have the password
	// DemoPassword, or a generated one if it is empty.
	Demo         bool
	DemoPassword string
	Data         Data
	// QueueURL is the Redis of the queue; empty: the embedded one.
	QueueURL string
	Cache    cache.Config
	Keys     auth.Keys
	Auth     auth.Config
	Records  records.Config
	Gateway  gateway.Config
	Work     calculation.WorkConfig

	// issuerGuessed reports that the issuer is the listen address, because none was given.
	issuerGuessed bool
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	s.Bool(&c.Demo, "ECF_DEMO", "false", "create a demo organization on the first start")
	s.Text(&c.DemoPassword, "ECF_DEMO_PASSWORD", "", "password of the demo accounts on the first start; generated when empty", checkDemoPassword).Hide()
	c.Data.Describe(s)
	redisx.DescribeURL(s, &c.QueueURL)
	s.Note("ECF_REDIS_URL", "the embedded one when empty")
	c.Cache.Optional = true
	c.Cache.Describe(s)
	c.Keys.Describe(s)
	c.Auth.Describe(s)
	c.Records.Describe(s)
	c.Gateway.Describe(s)
	c.Work.Describe(s)
	s.After(func() error {
		c.issuerGuessed = c.Auth.Issuer == ""
		return nil
	})
	issuerOfAddress(s, &c.Auth.Issuer, &c.Addr)
	s.After(func() error {
		c.Gateway.Issuer.URL = c.Auth.Issuer
		return nil
	})
}

// issuerOfAddress makes the listen address the default of the issuer, in the server and in the
// commands that print links to it.
func issuerOfAddress(s *settings.Set, issuer, addr *string) {
	s.Default("ECF_ISSUER", "")
	s.Note("ECF_ISSUER", "the address listened at when empty; servers on one MongoDB take each other's tokens where all have the same one, and the same ECF_SIGNING_KEYS_DIR")
	s.After(func() error {
		*issuer = cmp.Or(*issuer, keys.IssuerAt(*addr), "http://127.0.0.1:8080")
		return nil
	})
}

// linked is the setting for the links that a command prints.
type linked struct {
	issuer keys.Issuer
	addr   string
	// guessed reports that the issuer is the listen address, because none was given.
	guessed bool
}

// Describe implements settings.Config.
func (l *linked) Describe(s *settings.Set) {
	l.issuer.Describe(s)
	app.DescribeAddr(s, &l.addr)
	s.After(func() error {
		l.guessed = l.issuer.URL == ""
		return nil
	})
	issuerOfAddress(s, &l.issuer.URL, &l.addr)
}

// Load parses the settings of the server.
func Load(args []string, getenv func(string) string) (Config, error) {
	var c Config
	err := settings.Of(&c).Load(args, getenv)
	return c, err
}
