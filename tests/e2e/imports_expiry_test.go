package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

// outlasting is a file that signals when half of it has been read, and then waits.
type outlasting struct {
	*bytes.Reader
	wait func()
}

func (o *outlasting) Read(p []byte) (int, error) {
	half, read := o.Size()/2, o.Size()-int64(o.Len())
	if read < half {
		return o.Reader.Read(p[:min(int64(len(p)), half-read)])
	}
	o.wait()
	return o.Reader.Read(p)
}

// TestATokenThatExpiresInMidImport verifies that a file whose token expires while it is
// sent is imported once, as is one whose token expired before, or expires before a
// request whose response was lost is repeated. Work after the response needs no token.
func TestATokenThatExpiresInMidImport(t *testing.T) {
	t.Parallel()
	const rows = 1_000
	s := start(t, map[string]string{"ECF_ACCESS_TOKEN_TTL": "3s"})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c, err := client.New(s.url, client.Options{PollInterval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Login(ctx, "manager@example.test", password); err != nil {
		t.Fatal(err)
	}
	event, err := c.CreateEvent(ctx, client.EventInput{Title: "Conference", Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: new(10)})
	if err != nil {
		t.Fatal(err)
	}
	// Larger than the memory buffer, so that it is passed on while it is sent.
	file := func(name string) []byte {
		var b strings.Builder
		b.WriteString("treatment,weightKg,description\n")
		for n := range rows {
			fmt.Fprintf(&b, "landfill,%d,%s of the file %s\n", n+1, strings.Repeat("x", 100), name)
		}
		return []byte(b.String())
	}
	expiry := func(token string) {
		t.Helper()
		me := s.anonymous(t)
		me.token = token
		waitStatus(t, me, "/auth/me", http.StatusUnauthorized)
	}
	imports := 0
	completed := func(i *client.Import) {
		t.Helper()
		done, err := c.WaitForImport(ctx, event.ID, i.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		imports++
		if done.Status != "completed" || done.Rows != rows || done.Imported != rows || done.Failed != 0 {
			t.Errorf("import %d: %+v", imports, done)
		}
		all, err := c.ListImports(event.ID).Page(ctx, 1, 100)
		if err != nil {
			t.Fatal(err)
		}
		records, err := c.ListRecords(event.ID, "waste").Page(ctx, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Items) != imports || records.Pagination.Total != imports*rows {
			t.Errorf("%d imports and %d records after %d files of %d rows", len(all.Items), records.Pagination.Total, imports, rows)
		}
	}

	// While it is sent. On a slow machine the token may have expired before it was
	// checked; then the client has sent the file again, and the try does not count.
	for inMid, tries := false, 0; !inMid; tries++ {
		if tries == 8 {
			t.Fatal("a token that expires while a file is sent is refused")
		}
		if err := c.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		var meta client.Meta
		half, expired, sent := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		source := &outlasting{Reader: bytes.NewReader(file(fmt.Sprint("sent ", tries))), wait: sync.OnceFunc(func() { close(half); <-expired })}
		token, made := c.Tokens().AccessToken, (*client.Import)(nil)
		go func() {
			i, err := c.ImportRecords(ctx, event.ID, "waste", source, client.ImportOptions{}, client.WithMeta(&meta))
			made = i
			sent <- err
		}()
		select {
		case <-half:
			expiry(token)
		case err := <-sent:
			t.Fatalf("answered before the file was sent: %v", err)
		}
		close(expired)
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		inMid = meta.Attempts == 1
		completed(made)
	}

	// Before it is sent: it is sent again with the next token and the same key.
	expiry(c.Tokens().AccessToken)
	var meta client.Meta
	i, err := c.ImportRecords(ctx, event.ID, "waste", bytes.NewReader(file("expired before")), client.ImportOptions{}, client.WithMeta(&meta))
	if err != nil || meta.Attempts < 2 || meta.Replayed {
		t.Fatalf("%v, %+v", err, meta)
	}
	completed(i)

	// After the response, which was lost: the same key with the next token is the same
	// import.
	text, key := file("answer lost"), client.IdempotencyKey("a-key-of-this-file")
	if i, err = c.ImportRecords(ctx, event.ID, "waste", bytes.NewReader(text), client.ImportOptions{}, key); err != nil {
		t.Fatal(err)
	}
	expiry(c.Tokens().AccessToken)
	again, err := c.ImportRecords(ctx, event.ID, "waste", bytes.NewReader(text), client.ImportOptions{}, key, client.WithMeta(&meta))
	if err != nil || !meta.Replayed || meta.Attempts < 2 || again.ID != i.ID {
		t.Fatalf("%v, %+v, import %s and before %s", err, meta, again.ID, i.ID)
	}
	completed(i)
}
