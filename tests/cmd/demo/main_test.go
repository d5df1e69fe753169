package main

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

func TestWithoutCredentials(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-credentials", filepath.Join(t.TempDir(), "none")}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "make run") {
		t.Errorf("got %v, want a hint to start the server", err)
	}
}

func TestWithoutServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil { // now nothing listens there
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = run(t.Context(), []string{"-url", address, "-email", "m@demo.test", "-password", "secret", "-patience", "0s"}, &out)
	if err == nil || !strings.Contains(err.Error(), "log in as m@demo.test") || strings.Contains(err.Error()+out.String(), "secret") {
		t.Errorf("got %v, said %q", err, out.String())
	}
}
