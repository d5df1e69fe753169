package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// images are the images built from deploy/Dockerfile, with the build arguments of each.
var images = map[string][]string{
	"gateway": {"SERVICE=gateway"}, "auth": {"SERVICE=auth"}, "records": {"SERVICE=records"}, "review": {"SERVICE=review"},
	"calculation": {"SERVICE=calculation"}, "standalone": {"SERVICE=standalone", "PROGRAM=ecf", "SOURCES=all"},
}

// podman runs a Podman command (ECF_PODMAN) and returns its output.
func podman(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Getenv("ECF_PODMAN"), args...) //nolint:gosec // the program of the one who runs the test
	var problems strings.Builder
	cmd.Stderr, cmd.Dir = &problems, root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("podman %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return strings.TrimSpace(string(out))
}

// buildImage builds an image with the repository's Dockerfile and returns its id, a
// hash of its contents. ECF_IMAGE_FLAGS has further flags, such as local base images
// instead of those of a registry.
func buildImage(t *testing.T, service, tag string) (id string) {
	t.Helper()
	// Times in the image are those of the commit, as in a release.
	when, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "--quiet", "--no-cache", "--skip-unused-stages=false", "--timestamp", strings.TrimSpace(string(when)), "-f", "deploy/Dockerfile", "-t", tag,
		"--build-arg", "VERSION=9.8.7", "--build-arg", "REVISION=0000000000000000000000000000000000000000"}
	for _, arg := range images[service] {
		args = append(args, "--build-arg", arg)
	}
	args = append(args, strings.Fields(os.Getenv("ECF_IMAGE_FLAGS"))...)
	podman(t, append(args, ".")...)
	return podman(t, "image", "inspect", "--format", "{{.Id}} {{.Digest}}", tag)
}

// TestImages (make test-images) builds each image of the Dockerfile twice, which must
// give the same image, runs all of them as the manifests do, and uses them. The program
// of each is stored in ECF_IMAGE_PROGRAMS, for its bill of materials.
//
// Statement 39: static, without a shell, not root, nothing writable, two builds equal.
func TestImages(t *testing.T) {
	if os.Getenv("ECF_PODMAN") == "" {
		t.Skip("NOT TESTED: no images are built; run make test-images")
	}
	programs := os.Getenv("ECF_IMAGE_PROGRAMS")
	if err := os.MkdirAll(programs, 0o755); err != nil { //nolint:gosec // everybody may read them
		t.Fatal(err)
	}
	for service := range images {
		tag := "localhost/ecf/" + service + ":test"
		first := buildImage(t, service, tag)
		if again := buildImage(t, service, tag); again != first {
			t.Errorf("%s: two builds are %s and %s", service, first, again)
		}
		t.Logf("%s is %s", service, first)
		checkContents(t, service, tag, filepath.Join(programs, service))
	}
	if t.Failed() {
		return
	}
	keys := t.TempDir()
	if err := os.Chown(keys, 65532, 65532); err != nil {
		t.Fatalf("running containers requires root: %v", err)
	}
	s := startSystemBy(t, func(name, program string, args, env []string) *testkit.Proc {
		return runImage(t, name, program, keys, args, env)
	}, "ECF_SIGNING_KEYS_DIR=/var/lib/ecf/keys")
	s.work()
	event, record := s.submitted()
	s.make(record+"/approve", nil)
	s.await(event, 1)
	for name := range s.parts {
		checkConfined(t, containerName(t, name))
		podman(t, "exec", containerName(t, name), "/app", "healthcheck")
	}
	// The image with all services, on its embedded engines.
	debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	data := t.TempDir()
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	runImage(t, "standalone", "standalone", data, []string{"serve"}, []string{
		fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", testkit.FreePort(t)), "ECF_DEBUG_ADDR=" + debug, "ECF_DATA_DIR=/var/lib/ecf/keys/data",
	}).WaitHTTP("http://" + debug + "/health/ready")
	checkConfined(t, containerName(t, "standalone"))
	for name, proc := range s.parts {
		if err := proc.Stop(); err != nil {
			t.Errorf("%s does not exit cleanly: %v", name, err)
		}
	}
}

func containerName(t *testing.T, name string) string {
	return fmt.Sprintf("ecf-test-%d-%s", os.Getpid(), name)
}

// runImage runs a container as the manifests do: not as root, only one writable folder,
// no capabilities, and no privilege escalation.
func runImage(t *testing.T, name, program, folder string, args, env []string) *testkit.Proc {
	t.Helper()
	container := containerName(t, name)
	all := []string{"run", "--rm", "--name", container, "--network", "host", "--read-only", "--read-only-tmpfs=false", "--cap-drop", "all",
		"--security-opt", "no-new-privileges", "--memory", "512m", "-v", folder + ":/var/lib/ecf/keys"}
	for _, e := range env {
		all = append(all, "--env", e)
	}
	t.Cleanup(func() { _ = exec.Command(os.Getenv("ECF_PODMAN"), "rm", "-f", container).Run() }) //nolint:gosec // as above
	return testkit.Process(t, os.Getenv("ECF_PODMAN"), append(append(all, "localhost/ecf/"+program+":test"), args...), nil)
}

// checkContents verifies that an image has its one program, a user other than root, and
// no shell. The program is written to a file.
func checkContents(t *testing.T, service, tag, to string) {
	t.Helper()
	if user := podman(t, "image", "inspect", "--format", "{{.User}}", tag); user != "65532:65532" {
		t.Errorf("%s runs as %q", service, user)
	}
	container := podman(t, "create", tag)
	defer podman(t, "rm", container)
	podman(t, "cp", container+":/app", to)
	list := exec.CommandContext(t.Context(), "sh", "-c", `"$ECF_PODMAN" export "$0" | tar -t`, container) //nolint:gosec // a container's id
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.Lines(string(out)) {
		if regexp.MustCompile(`(^|/)(sh|bash|busybox|apt|dpkg)$`).MatchString(strings.TrimSpace(file)) {
			t.Errorf("%s contains %s", service, file)
		}
	}
	if kind, err := exec.CommandContext(t.Context(), "go", "version", "-m", to).Output(); err != nil || !strings.Contains(string(kind), "CGO_ENABLED=0") {
		t.Errorf("%s: the program is not static: %v", service, err)
	}
}

// checkConfined reads from the kernel what the process of a container may do.
func checkConfined(t *testing.T, container string) {
	t.Helper()
	pid := podman(t, "inspect", "--format", "{{.State.Pid}}", container)
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^Uid:\t65532\t65532\t65532\t65532$`, `(?m)^Gid:\t65532\t`, `(?m)^CapEff:\t0+$`, `(?m)^CapBnd:\t0+$`, `(?m)^NoNewPrivs:\t1$`} {
		if !regexp.MustCompile(want).Match(status) {
			t.Errorf("%s: its process is not %s", container, want)
		}
	}
	mounts, err := os.ReadFile("/proc/" + pid + "/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^\S+ / \S+ ro,`).Match(mounts) {
		t.Errorf("%s: its root file system is writable", container)
	}
}
