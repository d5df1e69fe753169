package testkit

import (
	little "encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Fault is how a command to a MongoDB server fails.
type Fault struct {
	// Code and Label are what the client receives.
	Code  int32
	Label string
	// Done means that the server executed the command and its reply was lost.
	Done bool
	// Unacknowledged means that the server executed the command and no majority of the
	// members acknowledged that: Code is in the reply's writeConcernError.
	Unacknowledged bool
	// Lasts means that all later commands fail too, whatever their names, and are not
	// executed.
	Lasts bool
	// Cut, if not nil, closes the connection instead of sending a reply, once the
	// channel is closed.
	Cut <-chan struct{}
}

// MongoFaults is a proxy between a client and a MongoDB server that makes commands
// fail.
type MongoFaults struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	command string
	nth     int
	fault   Fault
	met     int
	arrived chan struct{}
	conns   []net.Conn
}

// NewMongoFaults returns a proxy to the server of uri, and the URI of the proxy, with
// which the client does not retry.
func NewMongoFaults(t testing.TB, uri string) (string, *MongoFaults) {
	t.Helper()
	parsed, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &MongoFaults{listener: listener, target: parsed.Host}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		f.mu.Lock()
		for _, c := range f.conns {
			_ = c.Close()
		}
		f.mu.Unlock()
		serving.Wait()
	})
	parsed.Host = listener.Addr().String()
	query := parsed.Query()
	query.Set("directConnection", "true")
	query.Set("retryWrites", "false")
	query.Set("retryReads", "false")
	parsed.RawQuery = query.Encode()
	return parsed.String(), f
}

// Fail makes the nth command with the given name from now on fail, and no other; 0
// cancels it. The name "write" stands for insert, update and delete, "any" for all
// commands but the driver's own. The channel is closed when the command has arrived.
func (f *MongoFaults) Fail(command string, nth int, fault Fault) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.command, f.nth, f.fault, f.met, f.arrived = command, nth, fault, 0, make(chan struct{})
	return f.arrived
}

// Refuse stops accepting connections; existing ones continue.
func (f *MongoFaults) Refuse() { _ = f.listener.Close() }

// Met reports whether a command has failed since Fail.
func (f *MongoFaults) Met() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met > 0
}

// due reports whether the command with the given name is to fail now.
func (f *MongoFaults) due(name string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nth == 0 || !isMeant(f.command, name) {
		return Fault{}, false
	}
	if f.nth--; f.nth > 0 {
		return Fault{}, false
	}
	if f.met++; f.met == 1 {
		close(f.arrived)
	}
	now := f.fault
	if f.fault.Lasts {
		f.command, f.nth, f.fault.Done = "any", 1, false
	}
	return now, true
}

// isMeant reports whether name matches the name given to Fail.
func isMeant(wanted, name string) bool {
	switch wanted {
	case "write":
		return name == "insert" || name == "update" || name == "delete"
	case "any":
		return !slices.Contains([]string{"", "hello", "isMaster", "ismaster", "ping", "endSessions", "killCursors"}, name)
	}
	return name == wanted
}

func (f *MongoFaults) serve(client net.Conn) {
	server, err := net.Dial("tcp", f.target)
	if err != nil {
		_ = client.Close()
		return
	}
	f.mu.Lock()
	f.conns = append(f.conns, client, server)
	f.mu.Unlock()
	defer client.Close() //nolint:errcheck // it ends here
	defer server.Close() //nolint:errcheck // likewise
	for {
		request, err := wireMessage(client)
		if err != nil {
			return
		}
		fault, fails := f.due(wireCommand(request))
		if fails && fault.Cut != nil {
			<-fault.Cut
			return
		}
		answer := wireFailure(request, fault)
		if !fails || fault.Done || fault.Unacknowledged {
			if _, err := server.Write(request); err != nil {
				return
			}
			reply, err := wireMessage(server)
			if err != nil {
				return
			}
			if !fails || fault.Unacknowledged {
				answer = reply
			}
		}
		if fails && fault.Unacknowledged {
			answer = wireUnacknowledged(answer, fault)
		}
		if _, err := client.Write(answer); err != nil {
			return
		}
	}
}

const wireHeader = 16

// wireMessage reads one message of the wire protocol.
func wireMessage(r io.Reader) ([]byte, error) {
	header := make([]byte, wireHeader)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, err
	}
	size := little.LittleEndian.Uint32(header)
	if size < wireHeader || size > 48_000_000 {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, size)
	copy(message, header)
	_, err := io.ReadFull(r, message[wireHeader:])
	return message, err
}

// wireCommand returns the name of the command in a message, or "" if it has none.
func wireCommand(message []byte) string {
	const opMsg, body = 2013, wireHeader + 5
	if little.LittleEndian.Uint32(message[12:]) != opMsg || len(message) < body || message[body-1] != 0 {
		return ""
	}
	elements, err := bson.Raw(message[body:]).Elements()
	if err != nil || len(elements) == 0 {
		return ""
	}
	return elements[0].Key()
}

// wireFailure returns the reply with which a command fails.
func wireFailure(request []byte, fault Fault) []byte {
	return wireReply(request[4:8], bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: "injected"}, {Key: "code", Value: fault.Code}, {Key: "codeName", Value: "Injected"}}, fault)
}

// wireUnacknowledged returns the reply to a write with the error of its write concern.
func wireUnacknowledged(reply []byte, fault Fault) []byte {
	var answer bson.D
	if err := bson.Unmarshal(reply[wireHeader+5:], &answer); err != nil {
		return nil // the client finds the connection closed
	}
	answer = append(answer, bson.E{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: fault.Code}, {Key: "errmsg", Value: "injected"}}})
	return wireReply(reply[8:12], answer, fault)
}

// wireReply returns the reply to a request with the given id.
func wireReply(request []byte, answer bson.D, fault Fault) []byte {
	if fault.Label != "" {
		answer = append(answer, bson.E{Key: "errorLabels", Value: bson.A{fault.Label}})
	}
	body, err := bson.Marshal(answer)
	if err != nil {
		return nil // the client finds the connection closed
	}
	message := make([]byte, wireHeader+5, wireHeader+5+len(body))
	copy(message[8:], request)
	little.LittleEndian.PutUint32(message[12:], 2013)
	message = append(message, body...)
	little.LittleEndian.PutUint32(message, uint32(len(message)))
	return message
}

// passing are the transient failures that a write must survive: before it was executed,
// and after. Short runs try the first two.
var passing = []Fault{
	{Code: 112, Label: "TransientTransactionError"},
	{Code: 112, Done: true},
	{Code: 189, Label: "RetryableWriteError", Done: true},
	{Code: 1}, // how compatible servers report a deadlock
	{Code: 1, Done: true},
	{Code: 91, Label: "RetryableWriteError", Unacknowledged: true},
}

// EachWriteFails makes each command of a write fail once, with each transient failure;
// the write and then check must succeed. prepare is called before each attempt.
func EachWriteFails(t *testing.T, between *MongoFaults, prepare func() (write, check func() error)) {
	t.Helper()
	tried := passing[:2]
	if Long(t) {
		tried = passing
	}
	for _, fault := range tried {
		for nth := 1; ; nth++ {
			write, check := prepare()
			between.Fail("write", nth, fault)
			err := write()
			met := between.Met()
			between.Fail("", 0, Fault{})
			if !met && nth == 1 {
				t.Fatal("the write sent no command")
			}
			if err != nil {
				t.Errorf("write %d, %+v: %v", nth, fault, err)
			} else if err := check(); err != nil {
				t.Errorf("after write %d, %+v: %v", nth, fault, err)
			}
			if !met {
				break
			}
		}
	}
}
