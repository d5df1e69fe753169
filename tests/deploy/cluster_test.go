package deploy

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// cluster is a real API server without nodes: it admits, validates and stores objects,
// and runs none.
type cluster struct {
	t       *testing.T
	folder  string // of the programs
	server  string
	token   string
	kubectl string
	args    []string
}

// startCluster runs etcd and the API server from the folder ECF_KUBERNETES, which `make
// test-k8s` fills.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	folder := os.Getenv("ECF_KUBERNETES")
	if folder == "" {
		t.Skip("NOT TESTED: no Kubernetes API server was built; run make test-k8s")
	}
	dir := t.TempDir()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	keyFile, tokens := filepath.Join(dir, "sa.pem"), filepath.Join(dir, "tokens.csv")
	token := rand.Text()
	for path, content := range map[string]string{
		keyFile: string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		tokens:  token + ",admin,admin,system:masters\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client, peer, secure := testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t)
	store := fmt.Sprintf("http://127.0.0.1:%d", client)
	member := fmt.Sprintf("http://127.0.0.1:%d", peer)
	etcd := testkit.Process(t, filepath.Join(folder, "etcd"), []string{"--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", store, "--advertise-client-urls", store, "--listen-peer-urls", member, "--initial-advertise-peer-urls", member,
		"--initial-cluster", "default=" + member, "--log-level", "error"}, nil)
	etcd.WaitHTTP(store + "/health")
	// It calls aggregated servers, such as KEDA's metrics server, with this
	// certificate.
	ca, cert, private, _ := testkit.NewAuthority(t).Write(dir)
	testkit.Process(t, filepath.Join(folder, "kube-apiserver"), []string{"--etcd-servers", store, "--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(secure), "--cert-dir", filepath.Join(dir, "pki"), "--authorization-mode", "RBAC", "--token-auth-file", tokens,
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", keyFile, "--service-account-signing-key-file", keyFile,
		"--service-cluster-ip-range", "10.96.0.0/16", "--endpoint-reconciler-type", "none", "--advertise-address", "127.0.0.1", "--v", "0",
		"--requestheader-client-ca-file", ca, "--requestheader-username-headers", "X-Remote-User", "--requestheader-group-headers", "X-Remote-Group",
		"--requestheader-extra-headers-prefix", "X-Remote-Extra-", "--proxy-client-cert-file", cert, "--proxy-client-key-file", private}, nil)
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		kubectl = filepath.Join(folder, "kubectl")
	}
	c := &cluster{t: t, folder: folder, server: fmt.Sprintf("https://127.0.0.1:%d", secure), token: token, kubectl: kubectl}
	c.args = []string{"--kubeconfig", "/dev/null", "--cache-dir", filepath.Join(dir, "cache"), "--server", c.server, "--token", token, "--insecure-skip-tls-verify"}
	testkit.Eventually(t, 3*time.Minute, func() error {
		_, err := c.try("", "get", "--raw", "/readyz")
		return err
	})
	crds, err := filepath.Glob(filepath.Join(folder, "crds", "*.yaml"))
	if err != nil || len(crds) == 0 {
		t.Fatalf("there are no definitions in %s/crds: %v", folder, err)
	}
	for _, crd := range crds {
		c.must("", "apply", "--server-side", "-f", crd)
	}
	c.must("", "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
	return c
}

func (c *cluster) try(stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(c.t.Context(), c.kubectl, append(append([]string{}, c.args...), args...)...) //nolint:gosec // a test's own command
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (c *cluster) must(stdin string, args ...string) string {
	c.t.Helper()
	out, err := c.try(stdin, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// TestClusterTakesEverything verifies that a real API server accepts every object of
// every overlay without a warning, twice, and that its restricted Pod Security standard
// admits every pod and rejects one with more privileges (statement 37).
func TestClusterTakesEverything(t *testing.T) {
	c := startCluster(t)
	for _, overlay := range []string{dev, prod, operators} {
		text := yamlOf(t, overlay)
		for range 2 {
			c.must(text, "apply", "--server-side", "--force-conflicts", "--warnings-as-errors", "-f", "-")
		}
		objects := render(t, overlay)
		namespace := all[*corev1.Namespace](objects)[0].Name
		pods := 0
		for name, template := range podTemplates(objects) {
			if out, err := c.try(podOf(t, name, namespace, template), "create", "--dry-run=server", "--warnings-as-errors", "-f", "-"); err != nil {
				t.Errorf("%s: the pod of %s is not admitted: %s", overlay, name, out)
			}
			pods++
		}
		if pods < 10 {
			t.Errorf("%s: only %d pods were checked", overlay, pods)
		}
		asRoot := podTemplates(objects)["records"]
		asRoot.Spec.SecurityContext.RunAsNonRoot = nil
		if out, err := c.try(podOf(t, "root", namespace, asRoot), "create", "--dry-run=server", "-f", "-"); err == nil || !strings.Contains(out, "violates PodSecurity") {
			t.Errorf("%s: a pod that may run as root is admitted: %s", overlay, out)
		}
	}
	// A misspelled field is rejected, so accepted fields were read.
	bad := strings.Replace(yamlOf(t, operators), "pollingInterval:", "polingInterval:", 1)
	if out, err := c.try(bad, "apply", "--server-side", "--dry-run=server", "--force-conflicts", "-f", "-"); err == nil {
		t.Errorf("a misspelled field of a ScaledObject was accepted: %s", out)
	}
}

// podTemplates returns the pod templates of the objects, by name.
func podTemplates(objects []runtime.Object) map[string]corev1.PodTemplateSpec {
	out := map[string]corev1.PodTemplateSpec{}
	for _, w := range workloads(objects) {
		if w.name != operations {
			out[w.name] = *w.template.DeepCopy()
		}
	}
	for _, j := range all[*batchv1.CronJob](objects) {
		out["cronjob-"+j.Name] = *j.Spec.JobTemplate.Spec.Template.DeepCopy()
	}
	for _, j := range all[*batchv1.Job](objects) {
		out["job-"+j.Name] = *j.Spec.Template.DeepCopy()
	}
	return out
}

func podOf(t *testing.T, name, namespace string, template corev1.PodTemplateSpec) string {
	t.Helper()
	pod := corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "try-" + name, Namespace: namespace, Labels: template.Labels}, Spec: template.Spec}
	// A controller would create the claims of a StatefulSet's volumes.
	for _, container := range pod.Spec.Containers {
		for _, mount := range container.VolumeMounts {
			if !hasVolume(&pod, mount.Name) {
				pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: mount.Name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
			}
		}
	}
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func hasVolume(pod *corev1.Pod, name string) bool {
	for _, v := range pod.Spec.Volumes {
		if v.Name == name {
			return true
		}
	}
	return false
}

// yamlOf returns an overlay in the form in which it is applied.
func yamlOf(t *testing.T, overlay string) string {
	t.Helper()
	manifests, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(manifests, "/k8s/overlays/"+overlay)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}
