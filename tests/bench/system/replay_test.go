package system

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// recorder is a proxy between a service and MongoDB that records the commands of the
// service, so that the driver can send the same alone.
type recorder struct {
	listener net.Listener
	server   string

	mu       sync.Mutex
	keeping  bool
	commands []bson.D
}

// newRecorder returns a proxy to the server of uri, or to the primary of a replica set,
// and the URI of the proxy.
func newRecorder(t *testing.T, uri, primary string) (*recorder, string) {
	t.Helper()
	parsed, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Scheme != "mongodb" || parsed.Query().Get("tls") == "true" || parsed.Query().Get("ssl") == "true" {
		t.Fatalf("commands can be recorded only with a server without TLS and a mongodb:// URI, not %s", parsed.Redacted())
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{listener: listener, server: or(primary, parsed.Host)}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go r.pass(client)
		}
	}()
	query := parsed.Query()
	query.Set("directConnection", "true") // otherwise it would bypass this proxy
	parsed.Host, parsed.RawQuery = listener.Addr().String(), query.Encode()
	return r, parsed.String()
}

// pass forwards the messages between a client and the server.
func (r *recorder) pass(client net.Conn) {
	defer client.Close() //nolint:errcheck // it ends here
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // likewise
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	for {
		header := make([]byte, 16)
		if _, err := io.ReadFull(client, header); err != nil {
			return
		}
		size := binary.LittleEndian.Uint32(header)
		if size < 16 || size > 48<<20 {
			return
		}
		message := make([]byte, size)
		copy(message, header)
		if _, err := io.ReadFull(client, message[16:]); err != nil {
			return
		}
		if command := commandIn(message); command != nil {
			r.mu.Lock()
			if r.keeping {
				r.commands = append(r.commands, command)
			}
			r.mu.Unlock()
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// aside are the fields of a command that the driver sets itself, itsOwn the commands
// that the driver sends on its own. The service polls for imports even without
// requests.
var (
	aside   = []string{"lsid", "$clusterTime", "$db", "txnNumber", "$readPreference", "apiVersion"}
	itsOwn  = []string{"hello", "isMaster", "ismaster", "ping", "endSessions", "saslStart", "saslContinue", "buildInfo"}
	writing = []string{"insert", "update", "delete", "findAndModify"}
)

// commandIn returns the command of a message, or nil if it is not one that a service
// sends for a request.
func commandIn(message []byte) bson.D {
	const opMsg = 2013
	if len(message) < 26 || binary.LittleEndian.Uint32(message[12:]) != opMsg {
		return nil
	}
	var command bson.D
	var documents bson.E // a document sequence, separate from the body
	for rest := message[20:]; len(rest) > 5; {
		kind, size := rest[0], int(binary.LittleEndian.Uint32(rest[1:]))
		if size < 5 || size+1 > len(rest) {
			return nil
		}
		section := rest[1 : size+1]
		rest = rest[size+1:]
		if kind == 0 {
			if bson.Unmarshal(section, &command) != nil || len(command) == 0 || slices.Contains(itsOwn, command[0].Key) {
				return nil
			}
			continue
		}
		name, list, _ := strings.Cut(string(section[4:]), "\x00")
		documents.Key = name
		var all bson.A
		for len(list) > 4 {
			n := int(binary.LittleEndian.Uint32([]byte(list[:4])))
			if n < 5 || n > len(list) {
				return nil
			}
			var d bson.D
			if bson.Unmarshal([]byte(list[:n]), &d) != nil {
				return nil
			}
			all, list = append(all, d), list[n:]
		}
		documents.Value = all
	}
	if command == nil || command[0].Value == "imports" {
		return nil
	}
	if documents.Key != "" {
		command = append(command, documents)
	}
	return slices.DeleteFunc(command, func(e bson.E) bool { return slices.Contains(aside, e.Key) })
}

// during returns the commands sent while do ran.
func (r *recorder) during(do func()) []bson.D {
	r.mu.Lock()
	r.keeping, r.commands = true, nil
	r.mu.Unlock()
	do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keeping = false
	return r.commands
}

// names describes commands for messages.
func names(commands []bson.D) string {
	all := make([]string, len(commands))
	for i, c := range commands {
		all[i] = fmt.Sprint(c[0].Key, " ", c[0].Value)
	}
	return strings.Join(all, ", ")
}

func field(d bson.D, name string) any {
	for _, e := range d {
		if e.Key == name {
			return e.Value
		}
	}
	return nil
}

// sent sends a command. A write that the server refuses is an error.
func sent(ctx context.Context, db *mongo.Database, command bson.D) (bson.Raw, error) {
	reply, err := db.RunCommand(ctx, command).Raw()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"writeErrors", "writeConcernError"} {
		if fault, err := reply.LookupErr(name); err == nil {
			return nil, fmt.Errorf("%s: %s", name, fault)
		}
	}
	return reply, nil
}

// replayed sends commands one after the other; they only read.
func replayed(db *mongo.Database, commands []bson.D) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, c := range commands {
			if _, err := sent(ctx, db, c); err != nil {
				return fmt.Errorf("%s: %w", c[0].Key, err)
			}
		}
		return nil
	}
}

// readOnly fails the test if one of the commands writes.
func readOnly(t *testing.T, commands []bson.D) []bson.D {
	t.Helper()
	if len(commands) == 0 || slices.ContainsFunc(commands, func(c bson.D) bool { return slices.Contains(writing, c[0].Key) }) {
		t.Fatalf("a read sends %q", names(commands))
	}
	return commands
}

// replayedCreation repeats the commands of a creation, each time with another record.
// From reading the highest number to inserting the next it holds a lock, as a creation
// of the product does.
func replayedCreation(t *testing.T, db *mongo.Database, commands []bson.D) func(context.Context) error {
	t.Helper()
	insert := slices.IndexFunc(commands, func(c bson.D) bool { return c[0].Key == "insert" })
	highest := slices.IndexFunc(commands, func(c bson.D) bool {
		sort, ok := field(c, "sort").(bson.D)
		return ok && sort[0].Key == "seq"
	})
	if insert != len(commands)-1 || highest < 0 {
		t.Fatalf("a creation sends %q, want the highest number first and an insert last", names(commands))
	}
	documents, _ := field(commands[insert], "documents").(bson.A)
	record, ok := documents[0].(bson.D)
	if !ok || len(documents) != 1 {
		t.Fatalf("a creation inserts %v", documents)
	}
	id, _ := field(record, "_id").(string)
	var n atomic.Int64
	var alone sync.Mutex
	return func(ctx context.Context) error {
		if err := replayed(db, commands[:highest])(ctx); err != nil {
			return err
		}
		own := fmt.Sprintf("%s-%d", id, n.Add(1))
		alone.Lock()
		defer alone.Unlock()
		reply, err := sent(ctx, db, commands[highest])
		if err != nil {
			return err
		}
		top, ok := reply.Lookup("cursor", "firstBatch", "0", "seq").AsInt64OK()
		if !ok {
			return errors.New("no record has a number")
		}
		if err := replayed(db, commands[highest+1:insert])(ctx); err != nil {
			return err
		}
		mine := slices.Clone(record)
		for i, e := range mine {
			switch {
			case e.Key == "seq":
				mine[i].Value = top + 1
			case e.Value == id:
				mine[i].Value = own
			case e.Value == "id:"+id:
				mine[i].Value = "id:" + own
			}
		}
		command := slices.Clone(commands[insert])
		for i, e := range command {
			if e.Key == "documents" {
				command[i].Value = bson.A{mine}
			}
		}
		_, err = sent(ctx, db, command)
		return err
	}
}
