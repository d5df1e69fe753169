package deploy

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/mongox"
)

// secretsMount is where compose mounts secrets.
const secretsMount = "/run/secrets/"

func compose(t *testing.T) *types.Project {
	t.Helper()
	project, err := composeFile(t, filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func composeFile(t *testing.T, path string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{path}, cli.WithName("ecf"), cli.WithProfiles([]string{"admin", "observe"}))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(t.Context())
}

func TestComposeIsReadStrictly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bad.yml")
	if err := os.WriteFile(path, []byte("services:\n  a:\n    imagee: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := composeFile(t, path); err == nil {
		t.Error("a misspelled key was accepted")
	}
}

// composePrograms returns the programs of this repository by the name of their service.
func composePrograms(project *types.Project) map[string]program {
	list := map[string]program{}
	for name, s := range project.Services {
		if image := imageName(s.Image); image != "" {
			p := program{name: name, image: image, args: s.Command, env: map[string]string{}}
			for key, value := range s.Environment {
				if value != nil {
					p.env[key] = *value
				}
			}
			list[name] = p
		}
	}
	return list
}

func TestComposeServices(t *testing.T) {
	t.Parallel()
	project := compose(t)
	own := composePrograms(project)
	want := []string{"admin", "auth", "calculation", "gateway", "records", "review", "worker"}
	var names []string
	for name := range own {
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("programs %v, want %v", names, want)
	}
	for name, s := range project.Services {
		if !pinned(s.Image) {
			t.Errorf("%s: its image %s has no fixed version", name, s.Image)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s: has privileges that it does not need", name)
		}
		if s.Privileged || len(s.CapAdd) > 0 || s.Pid != "" || s.Ipc != "" {
			t.Errorf("%s: has privileges that nothing here may have", name)
		}
		if s.MemLimit == 0 {
			t.Errorf("%s: has no memory limit", name)
		}
		if s.PidsLimit == 0 && s.Deploy == nil {
			t.Errorf("%s: has no limit of processes", name)
		}
		if s.Logging == nil || s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
			t.Errorf("%s: the size of its log is not limited", name)
		}
		if imageName(s.Image) == "" && !strings.Contains(s.Image, "@sha256:") {
			t.Errorf("%s: its image %s is not pinned by digest", name, s.Image)
		}
		checkExposure(t, &s)
		checkOrder(t, project, &s)
	}
	for name := range own {
		s := project.Services[name]
		grace := app.ServeGrace + flushLimit
		if name == "worker" {
			grace = app.WorkGrace + flushLimit
		}
		if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) <= grace {
			t.Errorf("%s: is killed before it has stopped, which may take %v", name, grace)
		}
		limit, err := strconv.ParseInt(strings.TrimSuffix(own[name].env["GOMEMLIMIT"], "MiB"), 10, 64)
		if share := float64(limit<<20) / float64(s.MemLimit); err != nil || share < 0.8 || share > 0.95 {
			t.Errorf("%s: GOMEMLIMIT %q is not 80 to 95 %% of its memory, %d MiB", name, own[name].env["GOMEMLIMIT"], s.MemLimit>>20)
		}
		if own[name].env["GOMAXPROCS"] != processors {
			t.Errorf("%s: has no GOMAXPROCS of %s", name, processors)
		}
		if name == "admin" {
			continue
		}
		if s.HealthCheck == nil || !slices.Equal(s.HealthCheck.Test, []string{"CMD", "/app", "healthcheck"}) {
			t.Errorf("%s: has no health check", name)
		}
	}
	if !project.Networks["inside"].Internal {
		t.Error("the network of the databases is not internal")
	}
}

// checkExposure verifies that only the gateway and the dashboards are reachable from
// outside, and only from this machine.
func checkExposure(t *testing.T, s *types.ServiceConfig) {
	t.Helper()
	var networks []string
	for name := range s.Networks {
		networks = append(networks, name)
	}
	slices.Sort(networks)
	if port, ok := map[string]uint32{"gateway": 8080, "grafana": 3000}[s.Name]; ok {
		if len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || s.Ports[0].Target != port {
			t.Errorf("%s: publishes %+v", s.Name, s.Ports)
		}
		if !slices.Equal(networks, []string{"inside", "outside"}) {
			t.Errorf("%s: is in the networks %v", s.Name, networks)
		}
		return
	}
	if len(s.Ports) > 0 {
		t.Errorf("%s: publishes %+v", s.Name, s.Ports)
	}
	if s.NetworkMode == "" && !slices.Equal(networks, []string{"inside"}) {
		t.Errorf("%s: is in the networks %v", s.Name, networks)
	}
}

// checkOrder verifies that what a service waits for can report that it is ready.
func checkOrder(t *testing.T, project *types.Project, s *types.ServiceConfig) {
	t.Helper()
	for name, d := range s.DependsOn {
		other := project.Services[name]
		switch d.Condition {
		case types.ServiceConditionHealthy:
			if other.HealthCheck == nil || other.HealthCheck.Disable {
				t.Errorf("%s: waits for the health of %s, which has no health check", s.Name, name)
			}
		case types.ServiceConditionCompletedSuccessfully:
			if other.Restart != "no" {
				t.Errorf("%s: waits for the end of %s, which is restarted", s.Name, name)
			}
		default:
			t.Errorf("%s: does not wait until %s is usable", s.Name, name)
		}
	}
}

// makeSecrets runs the script that generates the secrets.
func makeSecrets(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "secrets")
	for range 2 { // the second run keeps existing ones
		out, err := exec.CommandContext(t.Context(), filepath.Join(root, "deploy/secrets.sh"), dir).CombinedOutput()
		if err != nil {
			t.Fatalf("make secrets: %v\n%s", err, out)
		}
	}
	return dir
}

func TestComposeSecrets(t *testing.T) {
	t.Parallel()
	project := compose(t)
	dir := makeSecrets(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, e := range entries {
		made[e.Name()] = true
		if _, ok := project.Secrets[e.Name()]; !ok {
			t.Errorf("%s is generated but not declared", e.Name())
		}
	}
	used := map[string][]string{}
	for name, s := range project.Services {
		for _, secret := range s.Secrets {
			used[secret.Source] = append(used[secret.Source], name)
		}
	}
	folder, err := filepath.Abs(filepath.Join(root, "deploy/secrets"))
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range project.Secrets {
		if !made[name] {
			t.Errorf("%s is declared but not generated", name)
		}
		if secret.File != filepath.Join(folder, name) {
			t.Errorf("%s is taken from %s", name, secret.File)
		}
		if len(used[name]) == 0 {
			t.Errorf("%s is not used", name)
		}
	}
	// No other service can read password hashes or act for another service.
	for secret, want := range map[string][]string{
		"mongo_root_password":   {"mongo-init"},
		"mongo_auth_uri":        {"admin", "auth"},
		"mongo_records_uri":     {"records"},
		"mongo_review_uri":      {"review"},
		"mongo_calculation_uri": {"calculation", "worker"},
		"mongo_standalone_uri":  {"admin"},
		"peer_secret":           {"auth", "calculation", "gateway", "records", "review"},
	} {
		slices.Sort(used[secret])
		if !slices.Equal(used[secret], want) {
			t.Errorf("%s is given to %v, want %v", secret, used[secret], want)
		}
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can read the folder of secrets: %v, %v", info.Mode(), err)
	}
}

func TestComposeSettings(t *testing.T) {
	t.Parallel()
	project := compose(t)
	dir := makeSecrets(t)
	for name, p := range composePrograms(project) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range checkNames(p.env) {
				t.Error(fault)
			}
			got, err := load(t, p.env, func(path string) string {
				secret, ok := strings.CutPrefix(path, secretsMount)
				granted := slices.ContainsFunc(project.Services[name].Secrets, func(s types.ServiceSecretConfig) bool { return s.Source == secret })
				if !ok || !granted {
					t.Errorf("%s is not a secret given to it", path)
					return ""
				}
				content, err := os.ReadFile(filepath.Join(dir, secret))
				if err != nil {
					t.Error(err)
				}
				return string(content)
			})
			if err != nil {
				t.Fatal(err)
			}
			if asks := name != "worker" && name != "admin"; asks != (len(got.Peers) == 1) {
				t.Errorf("it has %d secrets to prove itself to auth with, want 1", len(got.Peers))
			}
			if uri := got.Records.URI; uri != "" && mongox.DatabaseName(uri, "") != "ecf" {
				t.Error("its database is not ecf")
			}
			if uri := p.env["ECF_MONGODB_AUTH_URI_FILE"]; uri != "" && mongox.DatabaseName(got.Accounts.URI, "") != "ecf_auth" {
				t.Error("the database of its accounts is not ecf_auth")
			}
			for variable, value := range p.env {
				if strings.HasSuffix(variable, "_URL") {
					checkAddress(t, project, variable, value)
				}
			}
		})
	}
}

// checkAddress verifies that the service named in an address listens there.
func checkAddress(t *testing.T, project *types.Project, variable, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listens, ok := project.Services[u.Hostname()].Environment["ECF_ADDR"]
	if !ok || listens == nil {
		t.Errorf("%s: there is no service %s", variable, u.Hostname())
		return
	}
	if _, port, err := net.SplitHostPort(*listens); err != nil || port != u.Port() {
		t.Errorf("%s: %s, but it listens on %s", variable, address, *listens)
	}
}
