package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// dial opens a raw connection to a server.
func dial(t *testing.T, uri string) net.Conn {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func asMessage(t *testing.T, flags uint32, body bson.D) message {
	t.Helper()
	raw, err := bson.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	m := (&command{body: raw}).encode(7, 0)
	binary.LittleEndian.PutUint32(m[headerSize:], flags)
	return m
}

func send(t *testing.T, conn net.Conn, m message) {
	t.Helper()
	if _, err := conn.Write(m); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, conn net.Conn) bson.Raw {
	t.Helper()
	m, err := readMessage(conn)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCommand(m)
	if err != nil {
		t.Fatal(err)
	}
	if c.flags != 0 {
		t.Errorf("reply with flags %#x", c.flags)
	}
	if to := binary.LittleEndian.Uint32(m[8:]); to != 7 {
		t.Errorf("reply to request %d, want 7", to)
	}
	return c.body
}

// insertOf returns an insert of n documents of the given size.
func insertOf(from, n, size int) bson.D {
	var documents bson.A
	for i := range n {
		documents = append(documents, document("_id", from+i, "fill", make([]byte, size)))
	}
	return document("insert", "items", "documents", documents, "$db", "raw")
}

// TestStuckClientsHoldNobodyUp verifies that clients that stop at any point block no
// other and leave no lock.
func TestStuckClientsHoldNobodyUp(t *testing.T) {
	t.Parallel()
	uri := startServer(t).uri
	items := connect(t, uri).Database("raw").Collection("items")

	inMiddle := dial(t, uri)
	whole := asMessage(t, 0, insertOf(0, 1, 100))
	send(t, inMiddle, whole[:len(whole)-10])

	// Its replies fill every buffer between it and the server.
	neverReads := dial(t, uri)
	send(t, neverReads, asMessage(t, 0, insertOf(100, 4, 4<<20)))
	for range 8 {
		send(t, neverReads, asMessage(t, 0, document("find", "items", "batchSize", 4, "$db", "raw")))
	}

	for i := range 20 {
		leaves := dial(t, uri)
		send(t, leaves, asMessage(t, 0, insertOf(1000+i*10, 10, 10)))
		_ = leaves.Close()
	}

	for i := range 20 {
		if _, err := items.InsertOne(t.Context(), document("_id", -1-i)); err != nil {
			t.Fatalf("insert beside stuck clients: %v", err)
		}
	}
	if n, err := items.CountDocuments(t.Context(), document("_id", document("$lt", 0))); err != nil || n != 20 {
		t.Errorf("%d, %v; want 20", n, err)
	}
}

// TestHelloIsAnsweredOnce verifies that a hello that requests a stream of replies, as
// monitors send, is answered once and immediately, even while other commands run.
func TestHelloIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	uri := startServer(t).uri
	monitor := dial(t, uri)
	started := time.Now()
	for range 3 {
		send(t, monitor, asMessage(t, flagExhaust, document("hello", 1,
			"topologyVersion", document("processId", bson.NewObjectID(), "counter", int64(0)),
			"maxAwaitTimeMS", int64(10_000), "$db", "admin")))
		reply := receive(t, monitor)
		if reply.Lookup("ok").AsFloat64() != 1 || !reply.Lookup("isWritablePrimary").Boolean() {
			t.Errorf("hello: %v", reply)
		}
		if !reply.Lookup("topologyVersion").IsZero() {
			t.Error("the answer invites the driver to wait for news")
		}
	}
	if waited := time.Since(started); waited > 9*time.Second {
		t.Errorf("three answers took %v: the server waits for news", waited)
	}
}

func TestUnacknowledgedWriteHasNoReply(t *testing.T) {
	t.Parallel()
	conn := dial(t, startServer(t).uri)
	send(t, conn, asMessage(t, flagMoreToCome, insertOf(0, 3, 1)))
	send(t, conn, asMessage(t, 0, document("count", "items", "$db", "raw")))
	if reply := receive(t, conn); reply.Lookup("n").AsInt64() != 3 {
		t.Errorf("the first reply is %v, want the count of 3", reply)
	}
}

func TestBrokenMessagesEndTheConnection(t *testing.T) {
	t.Parallel()
	uri := startServer(t).uri
	sound := asMessage(t, 0, document("ping", 1, "$db", "admin"))
	with := func(at int, b ...byte) message {
		m := slices.Clone(sound)
		copy(m[at:], b)
		return m
	}
	for name, m := range map[string]message{
		"length too small":      with(0, 15, 0, 0, 0),
		"length too large":      with(0, 0xff, 0xff, 0xff, 0x7f),
		"length negative":       with(0, 0xff, 0xff, 0xff, 0xff),
		"section of no kind":    with(headerSize+4, 9),
		"document too long":     with(headerSize+5, 0xff, 0xff),
		"document too short":    with(headerSize+5, 1, 0, 0, 0),
		"document without end":  with(len(sound)-1, 1),
		"sequence without name": append(with(0, byte(len(sound)+6)), 1, 5, 0, 0, 0, 0),
		"opcode of no kind":     with(12, 1, 2, 3, 4),
	} {
		conn := dial(t, uri)
		send(t, conn, m)
		if _, err := io.ReadAll(conn); err != nil {
			t.Errorf("%s: %v, want the connection closed", name, err)
		}
	}
	if err := connect(t, uri).Ping(t.Context(), nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestChecksumIsLeftOut(t *testing.T) {
	t.Parallel()
	conn := dial(t, startServer(t).uri)
	m := asMessage(t, flagChecksum, document("ping", 1, "$db", "admin"))
	m = append(m, 1, 2, 3, 4)
	binary.LittleEndian.PutUint32(m, uint32(len(m)))
	send(t, conn, m)
	if reply := receive(t, conn); reply.Lookup("ok").AsFloat64() != 1 {
		t.Errorf("%v", reply)
	}
}

func FuzzParseCommand(f *testing.F) {
	raw, err := bson.Marshal(insertOf(1, 2, 3))
	if err != nil {
		f.Fatal(err)
	}
	c := &command{body: raw, sequences: []sequence{{name: "documents", documents: []bson.Raw{raw, raw}}}}
	f.Add([]byte(c.encode(1, 2)[headerSize:]))
	f.Add([]byte(c.withList("documents", nil).encode(1, 2)[headerSize:]))
	f.Fuzz(func(t *testing.T, sections []byte) {
		parsed, err := parseCommand(append(make(message, headerSize), sections...))
		if err != nil {
			return
		}
		again, err := parseCommand(parsed.encode(1, 2))
		if err != nil {
			t.Fatalf("what was read and written again is refused: %v", err)
		}
		if fmt.Sprint(again.body, again.sequences) != fmt.Sprint(parsed.body, parsed.sequences) {
			t.Errorf("read %v, after writing %v", parsed, again)
		}
		// Inspecting a command must not fail, whatever it contains.
		_ = refusal(parsed)
		_ = parsed.list("documents")
	})
}
