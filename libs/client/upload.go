package client

import (
	"io"
	"sync"
)

// upload is a streamed body.
type upload struct {
	source io.Reader
	// sending is closed when the transport has let go of the source, which it may
	// do after it has given an answer.
	sending chan struct{}
	// workbook: the source is XLSX and not CSV.
	workbook bool
}

func (u *upload) mediaType() string {
	if u.workbook {
		return string(Workbook)
	}
	return "text/csv"
}

// begin returns the body of an attempt. Closing it leaves the source open: it may
// be sent again, and it belongs to the caller.
func (u *upload) begin() io.ReadCloser {
	done := make(chan struct{})
	u.sending = done
	return &uploadBody{Reader: u.source, done: sync.OnceFunc(func() { close(done) })}
}

type uploadBody struct {
	io.Reader
	done func()
}

func (b *uploadBody) Close() error {
	b.done()
	return nil
}

// rewind goes back to the beginning of the source, and reports whether that can
// be done.
func (u *upload) rewind() bool {
	seeker, ok := u.source.(io.Seeker)
	if !ok {
		return false
	}
	if u.sending != nil {
		<-u.sending
	}
	_, err := seeker.Seek(0, io.SeekStart)
	return err == nil
}
