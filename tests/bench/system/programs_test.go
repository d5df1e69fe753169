package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// programs caches the release builds, by name.
var programs sync.Map // of func() error

// program returns the path of a program of the product. A full run uses a release build
// by the Makefile, a short run the build of other tests.
func program(t *testing.T, name string) string {
	t.Helper()
	folder := name
	if name == "ecf" {
		folder = "standalone"
	}
	if !planned(t).full {
		return testkit.BinaryWithoutRace(t, "services/"+folder+"/cmd/"+name)
	}
	root := testkit.Root(t)
	revision(t)
	build, _ := programs.LoadOrStore(name, sync.OnceValue(func() error {
		cmd := exec.Command("make", "-C", root, "bin/"+name) //nolint:noctx // other tests use it, too
		// Options of the make that runs this test must not reach this one.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}))
	if err := build.(func() error)(); err != nil { //nolint:forcetypeassert // it was stored above
		t.Fatalf("make bin/%s: %v", name, err)
	}
	return filepath.Join(root, "bin", name)
}
