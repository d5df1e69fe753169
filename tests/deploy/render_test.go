// Package deploy tests the deployment: images, the compose file, the Kubernetes
// manifests, and that their settings, ports and commands are those of the programs. It
// contains no other code.
package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	sigsyaml "sigs.k8s.io/yaml"
)

// root is the repository root, relative to this package.
const root = "../.."

// The overlays.
const (
	dev       = "dev"
	prod      = "prod"
	operators = "prod-operators"
)

// tree has the manifests in memory, with what an operator of production adds.
var tree = sync.OnceValues(func() (filesys.FileSystem, error) {
	memory := filesys.MakeFsInMemory()
	for _, folder := range []string{"k8s", "deploy/otel", "deploy/mongo", "deploy/monitoring"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(filepath.Join("/", name))
			if example, ok := strings.CutSuffix(name, ".example"); ok {
				name = example
			}
			return memory.WriteFile(name, text)
		})
		if err != nil {
			return nil, err
		}
	}
	return memory, nil
})

// operatorKinds are the API groups that a cluster has only with an operator: `make
// test-k8s` validates them against their definitions.
var operatorKinds = []string{"keda.sh", "monitoring.coreos.com", "gateway.networking.k8s.io"}

// decoder returns a decoder for the kinds of object in use that rejects unknown and
// duplicate fields.
var decoder = sync.OnceValues(func() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(appsv1.AddToScheme(scheme), autoscalingv2.AddToScheme(scheme), batchv1.AddToScheme(scheme),
		corev1.AddToScheme(scheme), networkingv1.AddToScheme(scheme), policyv1.AddToScheme(scheme))
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), err
})

// render builds an overlay as `kubectl apply -k` does and decodes it strictly.
func render(t *testing.T, overlay string) []runtime.Object {
	t.Helper()
	manifests, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(manifests, "/k8s/overlays/"+overlay)
	if err != nil {
		t.Fatalf("build the overlay %s: %v", overlay, err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode(text)
	if err != nil {
		t.Fatalf("decode the overlay %s: %v", overlay, err)
	}
	return objects
}

func decode(text []byte) ([]runtime.Object, error) {
	strict, err := decoder()
	if err != nil {
		return nil, err
	}
	var objects []runtime.Object
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	defer func() { _ = documents.Close() }()
	buffer := make([]byte, len(text)+1)
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := strict.Decode(buffer[:n], nil, nil)
		if runtime.IsNotRegisteredError(err) {
			var one unstructured.Unstructured
			if e := sigsyaml.UnmarshalStrict(buffer[:n], &one.Object); e == nil && slices.Contains(operatorKinds, one.GroupVersionKind().Group) {
				object, err = &one, nil
			}
		}
		if err != nil {
			return nil, errors.Join(err, errors.New(string(buffer[:min(n, 200)])))
		}
		objects = append(objects, object)
	}
}

// all returns the objects of one kind.
func all[T runtime.Object](objects []runtime.Object) []T {
	var found []T
	for _, o := range objects {
		if one, ok := o.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

func TestOverlaysAreWhole(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{dev, prod, operators} {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			var names []string
			for _, d := range all[*appsv1.Deployment](render(t, overlay)) {
				names = append(names, d.Name)
			}
			slices.Sort(names)
			want := []string{"auth", "calculation", "gateway", "otel-collector", "records", "review", "worker"}
			if !slices.Equal(names, want) {
				t.Errorf("deployments %v, want %v", names, want)
			}
		})
	}
}

// TestProductionAssumesNothing verifies that trusted proxies and the source of traffic
// to the gateway must be configured, or nothing can be applied.
func TestProductionAssumesNothing(t *testing.T) {
	t.Parallel()
	_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root, "k8s/overlays", prod))
	if err == nil || !strings.Contains(err.Error(), ".env") {
		t.Fatalf("the overlay is built without them: %v", err)
	}
	for _, overlay := range []string{prod, operators} {
		var from []string
		for _, p := range all[*networkingv1.NetworkPolicy](render(t, overlay)) {
			if p.Spec.PodSelector.MatchLabels[nameLabel] != "gateway" {
				continue
			}
			for _, rule := range p.Spec.Ingress {
				if len(rule.From) == 0 {
					t.Errorf("%s: the gateway is reachable from everywhere", overlay)
				}
				for _, peer := range rule.From {
					from = append(from, peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"])
				}
			}
		}
		if !slices.Equal(from, []string{"ingress"}) {
			t.Errorf("%s: the gateway is reachable from the namespaces %v", overlay, from)
		}
	}
}

// TestOperatorsReplaceWhatTheyDo verifies that the worker has one autoscaler and the
// gateway one route, consistent with the rest.
func TestOperatorsReplaceWhatTheyDo(t *testing.T) {
	t.Parallel()
	objects := render(t, operators)
	kinds := map[string]*unstructured.Unstructured{}
	for _, o := range all[*unstructured.Unstructured](objects) {
		kinds[o.GetKind()+"/"+o.GetName()] = o
	}
	for _, h := range all[*autoscalingv2.HorizontalPodAutoscaler](objects) {
		if h.Name == "worker" {
			t.Error("the worker has two autoscalers")
		}
	}
	if n := len(all[*networkingv1.Ingress](objects)); n != 0 {
		t.Errorf("%d Ingresses beside the HTTPRoute", n)
	}
	scaled, route := kinds["ScaledObject/worker"], kinds["HTTPRoute/gateway"]
	if scaled == nil || route == nil || kinds["PrometheusRule/ecf"] == nil || kinds["PodMonitor/ecf"] == nil {
		t.Fatalf("there are only %v", slices.Sorted(maps.Keys(kinds)))
	}
	text, err := scaled.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	// The names that the programs use.
	for _, want := range []string{"asynq:{interactive}:pending", "asynq:{bulk}:pending", "ecf_recalculation_due_age_seconds"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the worker is not scaled by %s", want)
		}
	}
	hosts, _, _ := unstructured.NestedStringSlice(route.Object, "spec", "hostnames")
	if !slices.Equal(hosts, []string{"carbon.example.com"}) {
		t.Errorf("the route is of %v", hosts)
	}
	checkJobs(t, objects)
}

// checkJobs verifies that the commands of jobs exist in the program.
func checkJobs(t *testing.T, objects []runtime.Object) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, "services/standalone/command.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all[*batchv1.CronJob](objects) {
		var words []string
		for _, arg := range c.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args {
			if strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "/") {
				break
			}
			words = append(words, arg)
		}
		if !strings.Contains(string(source), `app.NewCommand("`+strings.Join(words, " ")+`",`) {
			t.Errorf("%s: there is no command %v", c.Name, words)
		}
	}
}

// TestJobsOfOperators verifies that backups run every night and one is restored every
// month, automatically; that manual jobs exist as templates and never start alone; and
// that in development the schema and the first account are created on apply.
func TestJobsOfOperators(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{dev, prod, operators} {
		objects := render(t, overlay)
		found := map[string]string{}
		for _, c := range all[*batchv1.CronJob](objects) {
			when := c.Spec.Schedule
			if c.Spec.Suspend != nil && *c.Spec.Suspend {
				when = "by hand"
			}
			found[c.Name] = when + ": " + strings.Join(c.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args, " ")
		}
		for _, j := range all[*batchv1.Job](objects) {
			found["job "+j.Name] = strings.Join(j.Spec.Template.Spec.Containers[0].Args, " ")
		}
		want := map[string]string{
			"backup": `^\d+ \d+ \* \* \*: backup --into=`, "restore-drill": `^\d+ \d+ \d+ \* \*: backup verify `,
			"schema": `^by hand: schema up$`, "bootstrap": `^by hand: bootstrap`, "admin": `^by hand: `, "backups": `^by hand: `,
		}
		if overlay == dev {
			want["job bootstrap"] = `^bootstrap `
		}
		for name, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(found[name]) {
				t.Errorf("%s: %s is %q, want %s", overlay, name, found[name], pattern)
			}
		}
	}
}

// TestNamesAreResolvedEverywhere verifies that pods reach the name servers of
// kube-system and of OpenShift, and node-local caches, by UDP and TCP.
func TestNamesAreResolvedEverywhere(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{dev, prod, operators} {
		reached := map[string]bool{}
		for _, p := range all[*networkingv1.NetworkPolicy](render(t, overlay)) {
			if p.Name != "allow-dns" {
				continue
			}
			for _, rule := range p.Spec.Egress {
				for _, to := range rule.To {
					for _, port := range rule.Ports {
						for _, namespace := range []string{"kube-system", "openshift-dns", "default"} {
							if to.NamespaceSelector != nil && matches(to.NamespaceSelector, map[string]string{"kubernetes.io/metadata.name": namespace}) {
								reached[fmt.Sprintf("%s %s %s", namespace, port.Port, *port.Protocol)] = true
							}
						}
						if to.IPBlock != nil {
							reached[fmt.Sprintf("%s %s %s", to.IPBlock.CIDR, port.Port, *port.Protocol)] = true
						}
					}
				}
			}
		}
		if reached["default 53 UDP"] {
			t.Errorf("%s: pods may reach any name server", overlay)
		}
		for _, want := range []string{"kube-system 53", "openshift-dns 5353", "169.254.20.10/32 53", "169.254.25.10/32 53"} {
			for _, protocol := range []string{" UDP", " TCP"} {
				if !reached[want+protocol] {
					t.Errorf("%s: no pod reaches %s%s; there are %v", overlay, want, protocol, slices.Sorted(maps.Keys(reached)))
				}
			}
		}
	}
}

func TestDecoderIsStrict(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "k8s/base/records/deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(text); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"unknown field":  strings.Replace(string(text), "containerPort:", "containerPortt:", 1),
		"repeated field": string(text) + "spec: {}\n",
		"unknown kind":   strings.Replace(string(text), "apps/v1", "apps/v9", 1),
		"wrong type":     strings.Replace(string(text), "terminationGracePeriodSeconds: 35", "terminationGracePeriodSeconds: long", 1),
	} {
		if bad == string(text) {
			t.Fatalf("%s: nothing to change", name)
		}
		if _, err := decode([]byte(bad)); err == nil {
			t.Errorf("%s: decoded without complaint", name)
		}
	}
}

func TestEveryManifestIsUsed(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(filepath.Join(root, "k8s"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "kustomization.yaml" || d.Name() == "README.md" {
			return err
		}
		list, err := os.ReadFile(filepath.Join(filepath.Dir(path), "kustomization.yaml"))
		if err != nil {
			return err
		}
		if !strings.Contains(string(list), strings.TrimSuffix(d.Name(), ".example")) {
			t.Errorf("%s is in no kustomization", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
