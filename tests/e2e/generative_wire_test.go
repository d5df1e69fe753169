package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// field is one header field, which may be repeated and have any value.
type field struct{ name, value string }

// wireRequest is a request as bytes, which no HTTP library corrects.
type wireRequest struct {
	method, target string
	fields         []field
	body           []byte
	// head, if set, is sent instead of the request line and the fields.
	head string
	// length, if set, is sent as Content-Length instead of the body's length.
	length string
	// alone means that the request has its own connection, to which the client then
	// stops writing.
	alone bool
}

func (w *wireRequest) bytes(host string) []byte {
	var b bytes.Buffer
	if w.head != "" {
		b.WriteString(w.head)
		b.Write(w.body)
		return b.Bytes()
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", w.method, w.target, host)
	for _, f := range w.fields {
		b.WriteString(f.name + ": " + f.value + "\r\n")
	}
	length := w.length
	if length == "" && (len(w.body) > 0 || w.method == http.MethodPost || w.method == http.MethodPatch) {
		length = fmt.Sprint(len(w.body))
	}
	if length != "" && length != "none" {
		b.WriteString("Content-Length: " + length + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(w.body)
	return b.Bytes()
}

// set replaces all fields of a name.
func (w *wireRequest) set(name, value string) {
	w.drop(name)
	w.fields = append(w.fields, field{name, value})
}

func (w *wireRequest) drop(name string) {
	var kept []field
	for _, f := range w.fields {
		if !strings.EqualFold(f.name, name) {
			kept = append(kept, f)
		}
	}
	w.fields = kept
}

func (w *wireRequest) get(name string) string {
	for _, f := range w.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

// asHTTP returns the request as the validator of the document reads it.
func (w *wireRequest) asHTTP() (*http.Request, error) {
	target, err := url.ParseRequestURI(w.target)
	if err != nil {
		return nil, err
	}
	r := &http.Request{Method: w.method, URL: target, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(w.body)), ContentLength: int64(len(w.body)), RequestURI: w.target}
	for _, f := range w.fields {
		r.Header.Add(f.name, f.value)
	}
	return r, nil
}

// curl returns the request as a command that repeats it.
func (w *wireRequest) curl(base string) string {
	if w.head != "" || w.length != "" || w.alone {
		return fmt.Sprintf("%.3000q", w.bytes("host"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "curl --path-as-is -X %s %q", w.method, base+w.target)
	for _, f := range w.fields {
		value := f.value
		if strings.EqualFold(f.name, "Authorization") && len(value) > 40 {
			value = "Bearer $TOKEN"
		}
		fmt.Fprintf(&b, " -H %.300q", f.name+": "+value)
	}
	if len(w.body) > 0 {
		fmt.Fprintf(&b, " --data-binary %.3000q", w.body)
	}
	return b.String()
}

// wire sends requests over keep-alive connections.
type wire struct {
	host string
	conn net.Conn
	in   *bufio.Reader
}

const wireTimeout = 40 * time.Second

// errNoAnswer means that the server closed the connection without a response.
var errNoAnswer = errors.New("the connection was closed without an answer")

// send returns the response, and what followed it on a separate connection.
func (w *wire) send(r *wireRequest) (status int, header http.Header, body, rest []byte, err error) {
	if !r.alone && w.conn != nil {
		status, header, body, err = w.once(r)
		if err == nil {
			return status, header, body, nil, nil
		}
		w.close() // the server may have closed an idle connection
	}
	if w.conn != nil {
		w.close()
	}
	if w.conn, err = net.Dial("tcp", w.host); err != nil {
		return 0, nil, nil, nil, err
	}
	w.in = bufio.NewReaderSize(w.conn, 64<<10)
	status, header, body, err = w.once(r)
	if err == nil && r.alone {
		rest, _ = io.ReadAll(io.LimitReader(w.in, 1<<20))
	}
	if err != nil || r.alone {
		w.close()
	}
	return status, header, body, rest, err
}

func (w *wire) once(r *wireRequest) (int, http.Header, []byte, error) {
	if err := w.conn.SetDeadline(time.Now().Add(wireTimeout)); err != nil {
		return 0, nil, nil, err
	}
	// A server that refuses early closes its side; its response can be read all the
	// same.
	_, writeErr := w.conn.Write(r.bytes(w.host))
	if tcp, ok := w.conn.(*net.TCPConn); ok && r.alone {
		_ = tcp.CloseWrite()
	}
	answer, err := http.ReadResponse(w.in, &http.Request{Method: r.method})
	for err == nil && answer.StatusCode == http.StatusContinue {
		answer, err = http.ReadResponse(w.in, &http.Request{Method: r.method})
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
			return 0, nil, nil, errNoAnswer
		}
		return 0, nil, nil, errors.Join(err, writeErr)
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		body, err = unzipped(body)
	}
	if err != nil {
		return 0, nil, nil, err
	}
	if answer.Close || writeErr != nil {
		if !r.alone {
			w.close()
		}
	}
	return answer.StatusCode, answer.Header, body, nil
}

func unzipped(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func isReset(err error) bool {
	text := err.Error()
	return strings.Contains(text, "connection reset") || strings.Contains(text, "broken pipe")
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}
