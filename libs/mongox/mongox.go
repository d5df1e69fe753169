// Package mongox connects to MongoDB with the options of this product: majority
// and journaled writes, majority reads from the primary, a timeout on every operation.
package mongox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/eventcarbon/ecf/libs/schema"
)

// operationTimeout bounds every operation. It is set on the client because with a context's own deadline the driver
// closes the connection.
const operationTimeout = 4 * time.Second

// Options are options of a connection.
type Options struct {
	// AppName shows in the server's logs and current operations.
	AppName string
	// Monitor, when set, sees every command (tracing, tests that count).
	Monitor *event.CommandMonitor
}

// Connect returns a client for the server at uri. It does not wait for the server: a service may start before its
// database. The hosts of a mongodb+srv address are looked up first, see IsUnresolved.
//
// Of the options in the address maxPoolSize, timeoutMS, serverSelectionTimeoutMS, connectTimeoutMS and those of TLS
// are supported. A write concern, a read concern or a read preference that would weaken the guarantees of the stores is
// an error.
func Connect(uri string, o Options) (*mongo.Client, error) {
	opts, err := clientOptions(uri)
	if err != nil {
		return nil, err
	}
	opts.SetAppName(o.AppName)
	if o.Monitor != nil {
		opts.SetMonitor(o.Monitor)
	}
	opts.SetPoolMonitor(newPoolMonitor(o.AppName))
	client, err := mongo.Connect(opts)
	if err != nil {
		return nil, invalid(uri, err)
	}
	return client, nil
}

func clientOptions(uri string) (*options.ClientOptions, error) {
	opts := options.Client().ApplyURI(uri)
	if err := opts.Validate(); err != nil {
		return nil, invalid(uri, err)
	}
	if p := opts.ReadPreference; p != nil && p.Mode() != readpref.PrimaryMode {
		return nil, fmt.Errorf("the MongoDB address %s has readPreference=%s: what is read decides what is written, so it must be primary", Redact(uri), p.Mode())
	}
	if c := opts.WriteConcern; c != nil && (c.W != nil && c.W != "majority" || c.Journal != nil && !*c.Journal) {
		return nil, fmt.Errorf("the MongoDB address %s has a write concern below majority and journal: what is acknowledged must survive a failover, so leave w and journal out", Redact(uri))
	}
	if c := opts.ReadConcern; c != nil && c.Level != "majority" {
		return nil, fmt.Errorf("the MongoDB address %s has readConcernLevel=%s: what is read decides what is written, so a failover must not roll it back; leave readConcernLevel out", Redact(uri), c.Level)
	}
	journaled := true
	majority := writeconcern.Majority()
	majority.Journal = &journaled
	// A read of the primary's own state may include writes that a failover rolls back, and a write to the new primary
	// may be based on it.
	opts.SetWriteConcern(majority).SetReadConcern(readconcern.Majority()).SetReadPreference(readpref.Primary())
	if opts.Timeout == nil {
		opts.SetTimeout(operationTimeout)
	} else if *opts.Timeout == 0 {
		return nil, fmt.Errorf("the MongoDB address %s has timeoutMS=0, which is no limit: a server that hangs would hold sweeps and workers for ever; leave timeoutMS out for %s", Redact(uri), operationTimeout)
	}
	if opts.ServerSelectionTimeout == nil {
		opts.SetServerSelectionTimeout(3 * time.Second)
	}
	if opts.ConnectTimeout == nil {
		opts.SetConnectTimeout(3 * time.Second)
	}
	if opts.MaxPoolSize == nil {
		opts.SetMaxPoolSize(64)
	}
	return opts, nil
}

// invalid returns the error for an invalid address. The driver's text is omitted if it may repeat the address with
// its password.
func invalid(uri string, err error) error {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("connect to MongoDB at %s: %w", Redact(uri), lookup)
	}
	reason := "the address is not valid"
	_, rest, _ := strings.Cut(uri, "://")
	credentials := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		_, credentials, _ = strings.Cut(rest[:at], ":")
	}
	if text := err.Error(); credentials == "" && !strings.Contains(text, "@") || credentials != "" && !strings.Contains(text, credentials) && !strings.Contains(text, "@") {
		reason = text
	}
	return fmt.Errorf("connect to MongoDB at %s: %s", Redact(uri), reason)
}

// IsUnresolved reports whether no name server knew the hosts of an address. It may know them later, as it may the host
// of an address that names one.
func IsUnresolved(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// Ping returns an error unless the primary answers.
func Ping(ctx context.Context, client *mongo.Client) error {
	return client.Ping(ctx, readpref.Primary())
}

// Redact returns uri for logs: without its password, and without its options, which may contain secrets. It supports
// addresses with several hosts, which are not URLs, and omits too much of a malformed one rather than too little.
func Redact(uri string) string {
	const unreadable = "(unreadable address)"
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || scheme != "mongodb" && scheme != "mongodb+srv" {
		return unreadable
	}
	rest, options, _ := strings.Cut(rest, "?")
	if strings.Contains(options, "@") {
		return unreadable // the question mark may have been the password's
	}
	// The last @: an unescaped one in a password must not reveal the password.
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, _, _ := strings.Cut(rest[:at], ":")
		rest = user + ":xxxxx" + rest[at:]
	}
	return scheme + "://" + rest
}

// IsDuplicate reports whether err is the violation of a unique index by a document that a majority of the members has.
func IsDuplicate(err error) bool { return mongo.IsDuplicateKeyError(err) && !isUnacknowledged(err) }

// IsNoDocument reports whether err means that no document matched.
func IsNoDocument(err error) bool { return errors.Is(err, mongo.ErrNoDocuments) }

// IsPermanent reports whether waiting cannot help: the server rejects the request and will reject it again.
func IsPermanent(err error) bool {
	if errors.Is(err, schema.ErrNewer) || errors.Is(err, ErrIndex) {
		return true
	}
	// A rejection while connecting, such as of a password, is wrapped in an error that looks like an outage.
	if refused, ok := errors.AsType[driver.Error](err); ok && slices.Contains(permanentCodes, int(refused.Code)) {
		return true
	}
	if IsOutage(err) {
		return false
	}
	failed, ok := errors.AsType[mongo.ServerError](err)
	return ok && slices.ContainsFunc(permanentCodes, failed.HasErrorCode)
}

// permanentCodes are the codes of rejections that an operator has to resolve.
var permanentCodes = []int{
	2,    // BadValue
	9,    // FailedToParse
	13,   // Unauthorized
	14,   // TypeMismatch
	18,   // AuthenticationFailed
	26,   // NamespaceNotFound
	31,   // RolesNotRelated
	59,   // CommandNotFound
	67,   // CannotCreateIndex
	72,   // InvalidOptions
	73,   // InvalidNamespace
	85,   // IndexOptionsConflict
	86,   // IndexKeySpecsConflict
	8000, // AtlasError, which is how managed offerings refuse
}

// Check validates an address without connecting. Its error never contains the password.
func Check(uri string) error {
	if !strings.HasPrefix(uri, "mongodb://") && !strings.HasPrefix(uri, "mongodb+srv://") {
		return errors.New("must begin with mongodb:// or mongodb+srv://")
	}
	if strings.HasPrefix(uri, "mongodb+srv://") {
		return nil // its options need a name server
	}
	if _, err := clientOptions(uri); err != nil {
		return fmt.Errorf("is refused: %w", err)
	}
	return nil
}

// DatabaseName returns the database that uri names in its path, or fallback. It does not ask a name server for the hosts
// of a mongodb+srv address: while that is unreachable, the name must not be another one.
func DatabaseName(uri, fallback string) string {
	_, rest, _ := strings.Cut(uri, "://")
	rest, _, _ = strings.Cut(rest, "?")
	_, path, _ := strings.Cut(rest[strings.LastIndexByte(rest, '@')+1:], "/")
	name, err := url.PathUnescape(path)
	if err != nil || name == "" {
		return fallback
	}
	return name
}
