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

// programs are what was built as it is shipped, by name.
var programs sync.Map // of func() error

// program returns the path of a program of the product. What is measured in full is built
// as it is shipped, by the Makefile; a short run has what other tests have built.
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
		// What the make that runs this test was told is not for this one.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}))
	if err := build.(func() error)(); err != nil { //nolint:forcetypeassert // it was stored above
		t.Fatalf("make bin/%s: %v", name, err)
	}
	return filepath.Join(root, "bin", name)
}
