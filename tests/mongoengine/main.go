// Command mongoengine is a MongoDB-compatible server for tests: FerretDB on SQLite
// behind a front that passes on one command at a time. It is never shipped or measured:
// it is correct, not fast, and meant for small data.
//
//	mongoengine [-addr 127.0.0.1:0] [-data DIR] [-ready-file FILE] [-stdin=false]
//
// When it accepts connections it prints "ready " and its URI. It exits on SIGTERM,
// SIGINT or when its standard input is closed, so that it never outlives the test that
// started it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mongoengine:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done or, unless disabled, stdin is closed.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, logs io.Writer) (err error) {
	flags := flag.NewFlagSet("mongoengine", flag.ContinueOnError)
	flags.SetOutput(logs)
	address := flags.String("addr", "127.0.0.1:0", "TCP `address` to listen on; port 0 takes a free one")
	data := flags.String("data", "", "`directory` to keep the databases in; without it a temporary one")
	readyFile := flags.String("ready-file", "", "`file` to write the URI to when ready")
	watchStdin := flags.Bool("stdin", true, "end when standard input closes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	dir := *data
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mongoengine-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = filepath.Abs(dir); err != nil {
		return err
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	e, err := startEngine(dir, logs)
	if err != nil {
		return err
	}
	defer e.stop()
	f, err := startFront(*address, e.socket, logs)
	if err != nil {
		return err
	}
	defer f.stop()

	if *readyFile != "" {
		if err := writeWhole(*readyFile, f.uri()+"\n"); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(stdout, "ready", f.uri()); err != nil {
		return err
	}

	closed := make(chan struct{})
	if *watchStdin {
		go func() {
			defer close(closed)
			_, _ = io.Copy(io.Discard, stdin)
		}()
	}
	select {
	case <-ctx.Done():
	case <-closed:
	}
	return nil
}

// writeWhole writes a file atomically.
func writeWhole(name, content string) error {
	partial := name + ".partial"
	if err := os.WriteFile(partial, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(partial, name)
}
