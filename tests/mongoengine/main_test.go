package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// running is a server of a test and the function that stops it.
type running struct {
	uri   string
	stdin io.Closer
	ended <-chan error
}

// startServer runs the program as a test process would, and waits until it is ready.
func startServer(t *testing.T, args ...string) *running {
	t.Helper()
	in, stdin := io.Pipe()
	out, stdout := io.Pipe()
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := run(ctx, args, in, stdout, &testLog{t: t})
		_ = stdout.CloseWithError(io.EOF)
		ended <- err
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("server did not get ready: %v", err)
	}
	uri, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		t.Fatalf("unexpected first line %q", line)
	}
	return &running{uri: uri, stdin: stdin, ended: ended}
}

// testLog writes the server's log to the test's output.
type testLog struct {
	t  *testing.T
	mu sync.Mutex
}

func (l *testLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t.Logf("server: %s", b)
	return len(b), nil
}

// connect returns a client with the production settings, majority writes and a timeout,
// for a server that the test has.
func connect(t *testing.T, uri string) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).
		SetWriteConcern(writeconcern.Majority()).
		SetTimeout(30 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := client.Disconnect(ctx); err != nil {
			t.Errorf("disconnect: %v", err)
		}
	})
	return client
}

// database returns an empty database on the server ECF_MONGODB_URI, so that these tests
// also verify a real server, or else on this one.
func database(t *testing.T) *mongo.Database {
	t.Helper()
	uri := os.Getenv("ECF_MONGODB_URI")
	if uri == "" {
		uri = startServer(t).uri
	}
	db := connect(t, uri).Database("ecf_test_" + bson.NewObjectID().Hex())
	t.Cleanup(func() {
		if err := db.Drop(context.Background()); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return db
}

func isFerret(t *testing.T) bool {
	t.Helper()
	return os.Getenv("ECF_MONGODB_URI") == ""
}

func TestRunEndsWhenStdinCloses(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	server := startServer(t, "-ready-file", ready)
	if err := connect(t, server.uri).Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(ready)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(written)); got != server.uri {
		t.Errorf("ready file has %q, standard output %q", got, server.uri)
	}
	if err := server.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-server.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("still running after its standard input closed")
	}
}

func TestRunKeepsGivenDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, "-data", dir)
	items := connect(t, server.uri).Database("kept").Collection("items")
	if _, err := items.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}}); err != nil {
		t.Fatal(err)
	}
	_ = server.stdin.Close()
	if err := <-server.ended; err != nil {
		t.Error(err)
	}

	server = startServer(t, "-data", dir)
	n, err := connect(t, server.uri).Database("kept").Collection("items").CountDocuments(t.Context(), bson.D{})
	if err != nil || n != 1 {
		t.Errorf("after a restart: %d documents, %v; want 1", n, err)
	}
}

// TestDirectoryOfKilledServer verifies that a server starts on the files of one that was
// killed, whose socket is still there, and not on those of one that runs.
func TestDirectoryOfKilledServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killed, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "engine.sock"))
	if err != nil {
		t.Fatal(err)
	}
	killed.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, "-data", dir)
	if err := connect(t, server.uri).Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}

	in, stdin := io.Pipe()
	defer stdin.Close() //nolint:errcheck // nothing is written to it
	err = run(t.Context(), []string{"-data", dir}, in, io.Discard, &testLog{t: t})
	if err == nil || !strings.Contains(err.Error(), "another mongoengine is using "+dir) {
		t.Errorf("a second server on the directory: %v", err)
	}
	if err := connect(t, server.uri).Ping(t.Context(), nil); err != nil {
		t.Errorf("the first server, afterwards: %v", err)
	}
}

// TestURIOptions verifies that no option of the URI is required, and that those of
// production are accepted.
func TestURIOptions(t *testing.T) {
	t.Parallel()
	uri := startServer(t).uri
	bare, _, _ := strings.Cut(uri, "?")
	for _, u := range []string{
		uri, bare,
		bare + "?w=majority&journal=true&retryWrites=true&retryReads=true",
		bare + "?readConcernLevel=majority&readPreference=primary&maxPoolSize=3&serverMonitoringMode=stream",
		bare + "?directConnection=true&timeoutMS=5000&compressors=zlib,zstd",
	} {
		items := connect(t, u).Database("options").Collection("items")
		if _, err := items.InsertOne(t.Context(), bson.D{{Key: "u", Value: u}}); err != nil {
			t.Errorf("%s: insert: %v", u, err)
		}
		if n, err := items.CountDocuments(t.Context(), bson.D{{Key: "u", Value: u}}); err != nil || n != 1 {
			t.Errorf("%s: count: %d, %v", u, n, err)
		}
	}
}
