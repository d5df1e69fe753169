// Package deploy holds no code, only tests of what the service is deployed
// with: images, the compose file, the Kubernetes manifests, and that the
// settings, ports and commands in them are the programs' own.
package deploy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// root is the repository's, seen from this package.
const root = "../.."

// The overlays there are.
const (
	dev  = "dev"
	prod = "prod"
)

// decoder gives a decoder that refuses unknown and repeated fields, of the
// kinds of object the service uses.
var decoder = sync.OnceValues(func() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(appsv1.AddToScheme(scheme), autoscalingv2.AddToScheme(scheme), batchv1.AddToScheme(scheme),
		corev1.AddToScheme(scheme), networkingv1.AddToScheme(scheme), policyv1.AddToScheme(scheme))
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), err
})

// render builds an overlay as `kubectl apply -k` does and decodes it strictly.
func render(t *testing.T, overlay string) []runtime.Object {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).
		Run(filesys.MakeFsOnDisk(), filepath.Join(root, "k8s", "overlays", overlay))
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
		if err != nil {
			return nil, errors.Join(err, errors.New(string(buffer[:min(n, 200)])))
		}
		objects = append(objects, object)
	}
}

// all gives the objects of one kind.
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
	for _, overlay := range []string{dev, prod} {
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
			t.Fatalf("%s: nothing to spoil", name)
		}
		if _, err := decode([]byte(bad)); err == nil {
			t.Errorf("%s: decoded without complaint", name)
		}
	}
}

func TestEveryManifestIsUsed(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(filepath.Join(root, "k8s"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "kustomization.yaml" {
			return err
		}
		list, err := os.ReadFile(filepath.Join(filepath.Dir(path), "kustomization.yaml"))
		if err != nil {
			return err
		}
		if !strings.Contains(string(list), d.Name()) {
			t.Errorf("%s is in no kustomization", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
