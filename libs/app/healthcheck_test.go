package app

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestHealthcheckAsksTheDebugAddress(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	server := httptest.NewServer(Debug{Ready: func(context.Context) error {
		if ready.Load() {
			return nil
		}
		return errors.New("the database at 10.1.2.3 does not answer")
	}}.Handler())
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}

	ask := func(t *testing.T, addr string) (code int, stderr string) {
		t.Helper()
		var out strings.Builder
		ran := false
		program := Program{Name: "records", Commands: []Command{NewCommand("", "", func(context.Context, Env, *none) error {
			ran = true
			return nil
		})}}
		code = program.exitCode(t.Context(), Env{
			Args: []string{"healthcheck"},
			Getenv: func(name string) string {
				if name == "ECF_DEBUG_ADDR" {
					return addr
				}
				return ""
			},
			Stdout: &out, Stderr: &out,
		})
		if ran {
			t.Error("the program itself ran as well")
		}
		return code, out.String()
	}

	if code, out := ask(t, "127.0.0.1:"+port); code != exitFailed || !strings.Contains(out, "not ready") || strings.Contains(out, "10.1.2.3") {
		t.Errorf("not ready: code %d, output %q", code, out)
	}
	ready.Store(true)
	for _, addr := range []string{"127.0.0.1:" + port, "0.0.0.0:" + port, ":" + port} {
		if code, out := ask(t, addr); code != exitOK || out != "" {
			t.Errorf("%s: code %d, output %q", addr, code, out)
		}
	}
	for _, addr := range []string{"", "127.0.0.1"} {
		if code, out := ask(t, addr); code != exitFailed || !strings.Contains(out, "ECF_DEBUG_ADDR") {
			t.Errorf("%q: code %d, output %q", addr, code, out)
		}
	}
	server.Close()
	if code, out := ask(t, "127.0.0.1:"+port); code != exitFailed || out == "" {
		t.Errorf("nobody listens: code %d, output %q", code, out)
	}
}
