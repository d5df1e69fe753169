package neighbour

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// bareOrder is the environment variable that makes this program the bareServer.
const bareOrder = "ECF_BENCH_BARE"

// bareReady is what it prints before its address.
const bareReady = "only refusing at"

// bareServer rejects uploads with as little work as possible: it reads the header of a
// request, answers 413 and closes the connection, whatever follows. What another client
// notices during a flood of it is the cost of the flood's clients and of the operating
// system. It prints its address.
func bareServer(out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, bareReady, listener.Addr()); err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close() //nolint:errcheck // whatever it returns, it is closed
			lines := bufio.NewReader(conn)
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				if line == "\r\n" {
					break
				}
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		}()
	}
}

// startBare starts the bareServer in a separate process, with the priority of the
// product, and returns its address.
func startBare(t *testing.T) (base string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := behind(serverPriority, self)
	line := testkit.Process(t, program[0], program[1:], []string{bareOrder + "=1"}).WaitLine(bareReady)
	return "http://" + strings.TrimSpace(strings.TrimPrefix(line, bareReady))
}
