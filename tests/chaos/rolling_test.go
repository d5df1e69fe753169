package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// lastRelease names the file with the revision that stands for the last release until
// there is a tag.
const lastRelease = "../../deploy/release/last"

// programs returns the path of a release's program, given its main package.
type programs func(main string) string

// release is one of the two releases that run side by side.
type release struct {
	built programs
	// env are the settings that only the processes of this release have.
	env []string
}

// previous builds the programs of the last release: of the newest tag before this
// commit, or else of the revision in deploy/release/last.
func previous(t *testing.T) (revision string, built programs) {
	t.Helper()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	revision, err := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^")
	if err != nil {
		text, err := os.ReadFile(lastRelease)
		if err != nil {
			t.Fatal(err)
		}
		revision = strings.TrimSpace(string(text))
	}
	commit, err := git("rev-parse", "--verify", revision+"^{commit}")
	if err != nil {
		t.Fatalf("the last release %q is not in this clone (git fetch --unshallow if it is shallow): %v", revision, err)
	}
	dir, err := filepath.Abs(filepath.Join("../../.cache/releases", commit))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		unpack := exec.CommandContext(t.Context(), "bash", "-c", `set -o pipefail; git -C ../.. archive "$1" | tar -x -C "$2"`, "-", commit, dir) //nolint:gosec // a commit and a folder
		if out, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("unpack %s: %v\n%s", commit, err, out)
		}
	}
	return revision, func(main string) string {
		path := filepath.Join(dir, "bin", strings.ReplaceAll(main, "/", "-"))
		if _, err := os.Stat(path); err == nil {
			return path // the sources of a commit never change
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", path, ".")
		build.Dir = filepath.Join(dir, main)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s of %s: %v\n%s", main, revision, err, out)
		}
		return path
	}
}

// balancer distributes connections over the replicas of a service, like a Service of
// Kubernetes: a replica that is removed gets no new connections and keeps existing
// ones.
type balancer struct {
	listener net.Listener
	mu       sync.Mutex
	targets  []string
	next     int
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go b.serve(client)
		}
	}()
	return b
}

func (b *balancer) serve(client net.Conn) {
	b.mu.Lock()
	targets := slices.Clone(b.targets)
	b.next++
	first := b.next
	b.mu.Unlock()
	for n := range targets {
		server, err := net.DialTimeout("tcp", targets[(first+n)%len(targets)], 5*time.Second)
		if err == nil {
			// A link without faults connects the two.
			join(client, server)
			return
		}
	}
	_ = client.Close()
}

// join copies bytes both ways until one side closes.
func join(a, b net.Conn) {
	l := &link{change: make(chan struct{})}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			l.pass(way[0], way[1])
			_, _ = way[0].Close(), way[1].Close()
		})
	}
	both.Wait()
}

func (b *balancer) add(target string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets = append(b.targets, target)
}

func (b *balancer) remove(target string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets = slices.DeleteFunc(b.targets, func(t string) bool { return t == target })
}

// replica is a process that a rollout replaces.
type replica struct {
	*part
	main, addr string
	common     []string  // the settings of any release
	behind     *balancer // nil if clients or the queue choose
}

// become stops the process and starts the same service of another release in its place.
func (r *replica) become(to release) {
	if r.behind != nil {
		r.behind.remove(r.addr)
	}
	r.stop()
	r.path, r.env = to.built(r.main), slices.Concat(r.common, to.env)
	r.start()
	r.proc.WaitHTTP(r.ready)
	if r.behind != nil {
		r.behind.add(r.addr)
	}
}

// replicated starts two processes of each service of a release, on MongoDB.
func replicated(t *testing.T, built programs) (*deployment, []*replica) {
	t.Helper()
	d := &deployment{t: t, user: "user@separate.test", manager: "manager@separate.test"}
	uri, database := testkit.MongoDB(t)
	_, d.redis = testkit.Redis(t)
	gateways := []string{address(t), address(t)}
	services := map[string]*balancer{}
	for _, name := range []string{"auth", "records", "review", "calculation"} {
		services[name] = newBalancer(t)
	}
	at := func(name string) string { return "http://" + services[name].listener.Addr().String() }
	d.admin = append(limits(),
		"ECF_MONGODB_URI="+named(t, uri, database, ""), "ECF_MONGODB_AUTH_URI="+named(t, uri, database+"_auth", ""), "ECF_REDIS_URL="+d.redis.URL(),
		"ECF_AUTH_URL="+at("auth"), "ECF_RECORDS_URL="+at("records"), "ECF_REVIEW_URL="+at("review"), "ECF_CALCULATION_URL="+at("calculation"),
		"ECF_ISSUER=http://"+gateways[0], "ECF_SIGNING_KEYS_DIR="+filepath.Join(t.TempDir(), "keys"))
	ecf := built("services/standalone/cmd/ecf")
	command(t, ecf, d.admin, "", "schema", "up")
	org := command(t, ecf, d.admin, "", "org", "create", "--name", "Apart Ltd", "--plan", "enterprise")
	for _, role := range []string{"user", "manager"} {
		command(t, ecf, d.admin, password+"\n", "user", "create", "--org", org, "--email", role+"@separate.test", "--role", role)
	}

	var all []*replica
	add := func(name, service, addr, ready string, args ...string) *replica {
		debug := address(t)
		if ready == "" {
			ready = debug + "/health/ready"
		}
		common := append([]string{"ECF_ADDR=" + addr, "ECF_DEBUG_ADDR=" + debug}, d.admin...)
		r := &replica{main: "services/" + service + "/cmd/" + service, addr: addr, common: common, behind: services[name], part: &part{
			t: t, name: fmt.Sprintf("%s %d", name, len(all)%2+1), args: args, ready: "http://" + ready, debug: debug, env: common,
		}}
		r.path = built(r.main)
		all = append(all, r)
		d.parts = append(d.parts, r.part)
		r.start()
		return r
	}
	for _, service := range []string{"auth", "records", "review", "calculation"} {
		for range 2 {
			addr := address(t)
			services[service].add(addr)
			if service == "calculation" {
				add(service, service, addr, addr+"/health/ready", "--role=serve")
			} else {
				add(service, service, addr, addr+"/health/ready")
			}
		}
	}
	for range 2 {
		add("worker", "calculation", address(t), "", "--role=work").status = true
	}
	for _, addr := range gateways {
		add("gateway", "gateway", addr, addr+"/api/v2/health/ready")
		d.bases = append(d.bases, "http://"+addr)
	}
	d.awaitReady()
	d.learnOrg()
	return d, all
}

// event creates an event to work with.
func (d *deployment) event(boss *client) *ledger {
	d.t.Helper()
	created, err := boss.post(d.t.Context(), "/events", map[string]any{"title": "Rolling", "country": "GB", "attendees": 100})
	var event struct {
		ID string `json:"_id"`
	}
	if err := errors.Join(err, created.into(&event)); err != nil {
		d.t.Fatal(err)
	}
	return &ledger{event: event.ID}
}

// roll replaces every process, one at a time, and takes the steps that follow, while
// clients work with an event; some moves must fall into each replacement and step. Then
// everything acknowledged must be there, and the result right.
func (d *deployment) roll(random *rand.Rand, people team, l *ledger, replicas []*replica, to release, afterwards ...func()) {
	t := d.t
	t.Helper()
	boss := people.managers[0]
	stop := make(chan struct{})
	everybody := sync.OnceFunc(func() { close(stop) })
	defer everybody()
	var working sync.WaitGroup
	for i := range people.users {
		w := &worker{user: people.users[i], manager: people.managers[i], random: rand.New(rand.NewPCG(random.Uint64(), 1)), ledger: l}
		working.Go(func() { w.run(t.Context(), stop) })
	}
	pace := func() {
		from := d.seen.definite.Load()
		testkit.Eventually(t, limit, func() error {
			if now := d.seen.definite.Load(); now < from+6 {
				return fmt.Errorf("%d answers since", now-from)
			}
			return nil
		})
	}
	pace()
	for _, r := range replicas {
		began := time.Now()
		r.become(to)
		t.Logf("  %s replaced in %.1fs", r.name, time.Since(began).Seconds())
		pace()
	}
	for _, step := range afterwards {
		step()
		pace()
	}
	everybody()
	working.Wait()
	quiet := time.Now()
	records, moves := l.acknowledged()
	took, err := l.check(t.Context(), boss, d.org, quiet, limit)
	if err := errors.Join(append(l.wrong, d.seen.verdict(), err)...); err != nil {
		t.Errorf("event %s: %v", l.event, err)
	}
	d.audit()
	t.Logf("%d records and %d moves acknowledged, the result was right %.1fs after the last; %d answers were definite, others: %s",
		records, moves, took.Seconds(), d.seen.definite.Load(), &d.seen)
}

// TestRollingReleases (make test-rolling) runs the last release and this one side by
// side on one MongoDB, two processes of each service, under load. Each process is
// replaced by that of this release, one at a time, workers first and gateways last,
// rolled back in the opposite order, and replaced again. The schema is migrated before,
// under the old programs. At the end, when none of them is left, its contract
// migrations run and auth accepts signed requests only, also under load.
func TestRollingReleases(t *testing.T) {
	if os.Getenv("ECF_ROLLING") == "" {
		t.Skip("run by make test-rolling")
	}
	revision, built := previous(t)
	old := release{built: built}
	// The last release does not sign, so auth accepts unsigned requests until none of
	// its processes is left (ADR 0098).
	signed := []string{"ECF_PEER_SECRET=a-secret-of-the-services-of-this-release"}
	now := release{built: func(main string) string { return testkit.BinaryWithoutRace(t, main) }, env: append(signed, "ECF_PEER_UNSIGNED=accept")}
	t.Logf("the last release is %s", revision)
	d, replicas := replicated(t, old.built)
	random := testkit.Rand(t)
	people := d.team(random, 2)
	// Both are events of the last release: one of a newer engine would wait for the
	// newer workers.
	up, down, again := d.event(people.managers[0]), d.event(people.managers[0]), d.event(people.managers[0])
	order := []string{"worker", "calculation", "review", "records", "auth", "gateway"}
	slices.SortStableFunc(replicas, func(a, b *replica) int {
		return slices.Index(order, strings.Fields(a.name)[0]) - slices.Index(order, strings.Fields(b.name)[0])
	})
	ecf := now.built("services/standalone/cmd/ecf")
	command(t, ecf, d.admin, "", "schema", "up")
	for _, r := range replicas {
		now.built(r.main) // build now, not while clients wait
	}
	t.Log("up")
	d.roll(random, people, up, replicas, now)
	slices.Reverse(replicas)
	t.Log("down again")
	d.roll(random, people, down, replicas, old)
	slices.Reverse(replicas)
	t.Log("up again, and the contracts of the schema")
	d.roll(random, people, again, replicas, now, func() {
		command(t, ecf, d.admin, "", "schema", "contract")
		d.takenUp(again.event)
	}, func() {
		for _, r := range replicas {
			if r.main == "services/auth/cmd/auth" {
				r.become(release{built: now.built, env: signed})
			}
		}
	})
	refused := exec.CommandContext(t.Context(), old.built("services/standalone/cmd/ecf"), "schema", "status")
	refused.Env = d.admin
	if out, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(out), "too new for this program") {
		t.Errorf("after the contracts the last release says: %v\n%s", err, out)
	}
}

// takenUp waits until a worker has written a sum of the event in the form that the
// contract migration allows: the processes check once a minute.
func (d *deployment) takenUp(event string) {
	t := d.t
	t.Helper()
	uri := strings.TrimPrefix(d.admin[slices.IndexFunc(d.admin, func(s string) bool { return strings.HasPrefix(s, "ECF_MONGODB_URI=") })], "ECF_MONGODB_URI=")
	address, err := url.Parse(uri)
	if err != nil {
		t.Fatal("the URI of MongoDB cannot be parsed")
	}
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	nodes := client.Database(strings.TrimPrefix(address.Path, "/")).Collection("result_nodes")
	testkit.Eventually(t, 3*time.Minute, func() error {
		n, err := nodes.CountDocuments(t.Context(), bson.D{{Key: "event", Value: event}, {Key: "detail", Value: true}})
		if err == nil && n == 0 {
			err = errors.New("every sum is written whole")
		}
		return err
	})
}
