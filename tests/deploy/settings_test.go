package deploy

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/cache"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/settings"
)

// foreign are the variables that are not our settings: those of the Go runtime, and
// components of the OpenTelemetry ones.
var foreign = []string{"GOMAXPROCS", "GOMEMLIMIT", "POD_UID", "DEPLOYMENT_ENVIRONMENT"}

// checkNames returns the variables of a program that are not settings and so have no
// effect.
func checkNames(env map[string]string) []string {
	var found []string
	for name := range env {
		switch {
		case slices.Contains(settings.Names, name), slices.Contains(foreign, name), strings.HasPrefix(name, "OTEL_"):
		default:
			found = append(found, name+" is not a setting")
		}
	}
	return found
}

// platform has the deployment-dependent settings of all programs.
type platform struct {
	app.Listen
	Records  mongodb.Optional
	Accounts mongodb.Accounts
	Cache    cache.Config
	Keys     keys.Published
	Peers    peer.Secrets
	// The services behind the gateway.
	RecordsURL, ReviewURL, CalculationURL string
}

func (c *platform) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	c.Records.Describe(s)
	c.Accounts.Describe(s)
	c.Cache.Optional = true
	c.Cache.Describe(s)
	c.Keys.Describe(s)
	c.Peers.Describe(s)
	s.URL(&c.RecordsURL, "ECF_RECORDS_URL", "http://records:8082", "records")
	s.URL(&c.ReviewURL, "ECF_REVIEW_URL", "http://review:8083", "review")
	s.URL(&c.CalculationURL, "ECF_CALCULATION_URL", "http://calculation:8084", "calculation")
	s.Default("ECF_AUTH_URL", "http://auth:8081")
}

// load reads the settings of a program as the program does. file returns the contents
// of a mounted file.
func load(t *testing.T, env map[string]string, file func(path string) string) (platform, error) {
	t.Helper()
	dir := t.TempDir()
	given := map[string]string{}
	for name, value := range env {
		if strings.HasSuffix(name, "_FILE") && value != "" {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(file(value)), 0o600); err != nil {
				t.Fatal(err)
			}
			value = path
		}
		given[name] = value
	}
	var c platform
	err := settings.Of(&c).Load(nil, func(name string) string { return given[name] })
	return c, err
}

// program is one of our programs as a deployment starts it.
type program struct {
	name string // of the workload
	// image is the name of its image, "records" for ecf/records:dev.
	image string
	args  []string
	env   map[string]string
}

// programs returns the programs of an overlay.
func programs(objects []runtime.Object) []program {
	configs := map[string]map[string]string{}
	for _, m := range all[*corev1.ConfigMap](objects) {
		configs[m.Name] = m.Data
	}
	var list []program
	for _, d := range all[*appsv1.Deployment](objects) {
		if d.Labels["app.kubernetes.io/part-of"] != "ecf" {
			continue
		}
		c := d.Spec.Template.Spec.Containers[0]
		p := program{name: d.Name, image: imageName(c.Image), args: c.Args, env: map[string]string{}}
		for _, from := range c.EnvFrom {
			maps.Copy(p.env, configs[from.ConfigMapRef.Name])
		}
		for _, e := range c.Env {
			p.env[e.Name] = e.Value
		}
		list = append(list, p)
	}
	return list
}

var imagePattern = regexp.MustCompile(`(?:^|/)ecf/([a-z]+)(?::|@|$)`)

// imageName returns the part of an image's name that identifies the program, or "" if
// it is not ours.
func imageName(image string) string {
	if m := imagePattern.FindStringSubmatch(image); m != nil {
		return m[1]
	}
	return ""
}

// secretFile returns the contents of the overlay's secrets by path; in production,
// which has none, an address of the right kind.
func secretFile(objects []runtime.Object, name string) func(path string) string {
	return func(path string) string {
		key := filepath.Base(path)
		for _, s := range all[*corev1.Secret](objects) {
			if strings.HasPrefix(s.Name, name+"-") && s.Data[key] != nil {
				return string(s.Data[key])
			}
		}
		if strings.HasPrefix(key, "mongodb") {
			return "mongodb://user:password@db.example.com/ecf"
		}
		if key == "peer-secret" {
			return "a-random-secret-of-forty-eight-letters-and-digits"
		}
		return "rediss://:password@redis.example.com:6379/0"
	}
}

func TestKubernetesSettings(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{dev, prod} {
		objects := render(t, overlay)
		for _, p := range programs(objects) {
			t.Run(overlay+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				for _, fault := range checkNames(p.env) {
					t.Error(fault)
				}
				got, err := load(t, p.env, secretFile(objects, p.image))
				if err != nil {
					t.Fatal(err)
				}
				_, debug, err := net.SplitHostPort(got.DebugAddr)
				if err != nil {
					t.Fatalf("debug address: %v", err)
				}
				c := deployment(objects, p.name).Spec.Template.Spec.Containers[0]
				if port := containerPort(c, "debug"); port != debug {
					t.Errorf("debug port %s, but it listens on %s", port, debug)
				}
				if p.name == "worker" {
					return // it serves nothing else
				}
				_, port, err := net.SplitHostPort(got.Addr)
				if err != nil {
					t.Fatalf("address: %v", err)
				}
				if want := containerPort(c, "http"); port != want {
					t.Errorf("port %s, but it listens on %s", want, port)
				}
				if len(got.Peers) != 1 {
					t.Errorf("it has %d secrets to prove itself to auth with, want 1", len(got.Peers))
				}
				if overlay == prod && !strings.HasPrefix(got.Keys.Issuer.URL, "https://") {
					t.Errorf("issuer %s", got.Keys.Issuer.URL)
				}
				for _, address := range []string{got.Keys.AuthURL, got.RecordsURL, got.ReviewURL, got.CalculationURL} {
					if err := servedAt(objects, address); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func containerPort(c corev1.Container, name string) string {
	for _, p := range c.Ports {
		if p.Name == name {
			return fmt.Sprint(p.ContainerPort)
		}
	}
	return ""
}

// servedAt returns an error unless a Service has the host and port of an address.
func servedAt(objects []runtime.Object, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	for _, s := range all[*corev1.Service](objects) {
		for _, p := range s.Spec.Ports {
			if s.Name == u.Hostname() && fmt.Sprint(p.Port) == u.Port() {
				return nil
			}
		}
	}
	return fmt.Errorf("nothing is served at %s", address)
}

func TestNamesThatNobodyReadsAreFound(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]bool{
		"ECF_MONGODB_URI": false, "ECF_MONGODB_URI_FILE": false, "OTEL_SERVICE_NAME": false,
		"ECF_MONGO_URI": true, "ECF_ISSUER_FILE": true, "MONGODB_URI": true,
	} {
		if found := checkNames(map[string]string{name: "x"}); (len(found) > 0) != wrong {
			t.Errorf("%s: found %v", name, found)
		}
	}
}
