package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// smallDisk is the size, in bytes, of the disk that fills up.
const smallDisk = 24 << 20

// onSmallDisk runs everything in one process on a small disk, and returns the file that
// fills it; see fill.
func onSmallDisk(t *testing.T) (d *deployment, ballast string) {
	t.Helper()
	mount := t.TempDir()
	// A disk mounted for the server only, which needs no privileges if user namespaces
	// are allowed.
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=0700 small %s && exec "$0" "$@"`, smallDisk, mount)
	wrap := []string{"unshare", "-Urm", "sh", "-c", script}
	if out, err := exec.CommandContext(t.Context(), wrap[0], append(wrap[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this machine does not let a test mount a small disk: %v %s", err, out)
	}
	d = single(t, mount, wrap...)
	pid := d.parts[0].proc.PID()
	d.enter = []string{"nsenter", "-t", strconv.Itoa(pid), "-U", "-m", "--preserve-credentials"}
	return d, fmt.Sprintf("/proc/%d/root%s", pid, filepath.Join(mount, "ballast"))
}

// TestFullDisk verifies that a full disk stops writes and nothing else: what was
// acknowledged is there, reads continue, and writes succeed again once there is room,
// without a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d, ballast := onSmallDisk(t)
	server := d.parts[0].proc
	random := testkit.Rand(t)
	people := d.team(random, 3)
	d.measure(people)
	filler := people.managers[0].clone(random.Uint64()) // the team continues meanwhile
	for range 2 {
		d.play(random, people, func() []act {
			return []act{
				{at: time.Duration(random.Int64N(int64(time.Second))), what: "fill the disk", do: func() {
					fill(t, ballast)
					d.untilRefused(filler)
				}},
				{at: 3 * time.Second, what: "make room", do: func() {
					if err := os.Remove(ballast); err != nil {
						t.Fatal(err)
					}
				}},
			}
		})
		if t.Failed() {
			return
		}
	}
	select {
	case <-server.Exited():
		t.Error("the server exited")
	default:
	}
}

// example returns the path of the oldest event, which this test does not use otherwise.
func (d *deployment) example(c *client) string {
	t := d.t
	t.Helper()
	var events struct {
		Items []struct {
			ID string `json:"_id"`
		}
	}
	if err := c.get(t.Context(), "/events?limit=100", &events); err != nil {
		t.Fatal(err)
	}
	return "/events/" + events.Items[len(events.Items)-1].ID
}

// ballast is a large record.
func ballast(t *testing.T) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"description": strings.Repeat("ballast ", 60), "treatment": "landfill", "weightKg": 1})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// untilRefused writes until a write is refused: the engine has some room left in files
// that it made before.
func (d *deployment) untilRefused(c *client) {
	t := d.t
	t.Helper()
	path, body := d.example(c)+"/waste", ballast(t)
	testkit.Eventually(t, limit, func() error {
		a, err := c.once(t.Context(), http.MethodPost, path, body, nil)
		if err != nil || a.status == http.StatusServiceUnavailable {
			return err
		}
		return fmt.Errorf("the disk is full, but a write is answered with %d %s", a.status, a.body)
	})
}

// fill writes a file until the disk is full to the last byte.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing of it counts
	for piece := make([]byte, 64<<10); len(piece) > 0; {
		if n, err := file.Write(piece); err != nil && n == 0 {
			piece = piece[:len(piece)/2]
		}
	}
}
