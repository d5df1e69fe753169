package chaos

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const scalerFile = "../../k8s/components/keda/worker.yaml"

// trigger is a trigger by which KEDA scales the workers: it starts the first one if the
// measured value exceeds activation.
type trigger struct {
	query, list string // one of them is set
	activation  float64
}

// triggers reads the triggers of the shipped ScaledObject.
func triggers(t *testing.T) []trigger {
	t.Helper()
	text, err := os.ReadFile(scalerFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []trigger
	for _, m := range regexp.MustCompile(`(?s)(?:query: ([^\n]+)|listName: "([^"]+)").*?activation(?:Threshold|ListLength): "([0-9.]+)"`).FindAllStringSubmatch(string(text), -1) {
		activation, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, trigger{m[1], m[2], activation})
	}
	if len(all) != 3 {
		t.Fatalf("%s has the triggers %v", scalerFile, all)
	}
	return all
}

// valueOf returns the value of a trigger as KEDA gets it: from Prometheus, or as the
// length of a Redis list.
func (d *deployment) valueOf(prometheus string, tr trigger) (float64, error) {
	if tr.list != "" {
		return lengthOf(d.redis.Addr(), tr.list)
	}
	client := &http.Client{Timeout: 20 * time.Second}
	res, err := client.Get(prometheus + "/api/v1/query?query=" + url.QueryEscape(tr.query))
	if err != nil {
		return 0, err
	}
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := errors.Join(json.NewDecoder(res.Body).Decode(&answer), res.Body.Close()); err != nil {
		return 0, err
	}
	if len(answer.Data.Result) != 1 {
		return 0, fmt.Errorf("%s has %d series", tr.query, len(answer.Data.Result))
	}
	return strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
}

// lengthOf returns the length of a Redis list.
func lengthOf(addr, list string) (float64, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // what it answered counts
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintf(conn, "*2\r\n$4\r\nLLEN\r\n$%d\r\n%s\r\n", len(list), list); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return 0, err
	}
	var n float64
	if _, err := fmt.Sscanf(line, ":%g\r\n", &n); err != nil {
		return 0, fmt.Errorf("Redis answers %q: %w", line, err)
	}
	return n, nil
}

// scaled waits until the triggers for the age of the oldest mark and for the queue of
// interactive approvals both ask for a worker, or no trigger does.
func (d *deployment) scaled(prometheus string, asked bool) {
	d.t.Helper()
	for _, tr := range triggers(d.t) {
		if asked && tr.list == "asynq:{bulk}:pending" {
			continue // no test changes a whole event here
		}
		testkit.Eventually(d.t, time.Minute, func() error {
			value, err := d.valueOf(prometheus, tr)
			if err == nil && (value > tr.activation) != asked {
				err = fmt.Errorf("%s%s is %g, which asks for a worker above %g", tr.query, tr.list, value, tr.activation)
			}
			return err
		})
	}
}
