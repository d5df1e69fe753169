// Command sample is a program for the tests of testkit. It serves HTTP on the address
// SAMPLE_ADDR, answers the first two requests with 503 and the others with 200, and
// exits on SIGTERM with the code given as its argument.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", os.Getenv("SAMPLE_ADDR"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(3)
	}
	var asked atomic.Int32
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})}
	go server.Serve(listener) //nolint:errcheck // it ends with the program
	fmt.Println("environment:", os.Getenv("ECF_LEAKED"), os.Getenv("SAMPLE_OWN"))
	fmt.Printf("sample listens on %s\n", listener.Addr())
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "sample ends")
	code := 0
	if len(os.Args) > 1 {
		code, _ = strconv.Atoi(os.Args[1])
	}
	os.Exit(code)
}
