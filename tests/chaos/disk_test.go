package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// smallDisk is the size, in bytes, of the disk that gets full.
const smallDisk = 24 << 20

// A full disk stops writes, and nothing else: what was acknowledged is there,
// reads go on, and when there is room again so do writes, without a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	mount := t.TempDir()
	// A disk of its own, seen by the server alone, which needs no rights where
	// users may have namespaces of their own.
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=0700 small %s && exec "$0" "$@"`, smallDisk, mount)
	wrap := []string{"unshare", "-Urm", "sh", "-c", script}
	if out, err := exec.CommandContext(t.Context(), wrap[0], append(wrap[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this machine does not let a test have a small disk of its own: %v %s", err, out)
	}
	d := single(t, mount, wrap...)
	server := d.parts[0].proc
	d.enter = []string{"nsenter", "-t", strconv.Itoa(server.PID()), "-U", "-m", "--preserve-credentials"}
	random := testkit.Rand(t)
	people := d.team(random, 3)
	d.measure(people)
	filler := people.managers[0].clone(random.Uint64()) // the team goes on meanwhile
	ballast := fmt.Sprintf("/proc/%d/root%s", server.PID(), filepath.Join(mount, "ballast"))
	for range 2 {
		d.play(random, people, func() []act {
			return []act{
				{at: time.Duration(random.Int64N(int64(time.Second))), what: "fill the disk", do: func() {
					fill(t, random, ballast)
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
		t.Error("the server ended")
	default:
	}
}

// untilRefused writes until that is refused: the engine has some room of its own
// in files that it has made before.
func (d *deployment) untilRefused(c *client) {
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
	// The oldest is the example, which nobody looks at here.
	path := "/events/" + events.Items[len(events.Items)-1].ID + "/waste"
	body, err := json.Marshal(map[string]any{"description": strings.Repeat("ballast ", 60), "treatment": "landfill", "weightKg": 1})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, limit, func() error {
		a, err := c.once(t.Context(), http.MethodPost, path, body, nil)
		if err != nil || a.status == http.StatusServiceUnavailable {
			return err
		}
		return fmt.Errorf("the disk is full, and a write is answered with %d %s", a.status, a.body)
	})
}

// fill writes a file until the disk is full to the last byte.
func fill(t *testing.T, random *rand.Rand, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing of it counts
	piece := make([]byte, 64<<10)
	for i := range piece {
		piece[i] = byte(random.Uint32())
	}
	for len(piece) > 0 {
		n, err := file.Write(piece)
		if err != nil && n == 0 {
			piece = piece[:len(piece)/2]
		}
	}
}
